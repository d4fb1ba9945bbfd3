package text

import (
	"fmt"
	"io"
	"unicode/utf8"

	"schedbench/internal/words"
)

// Page writes paragraphs, and keeps the first error.
type Page struct {
	W   io.Writer
	Err error
	// Colour says that the page is for a terminal that shows labels bold.
	Colour bool
}

// Printf writes as fmt.Fprintf does.
func (t *Page) Printf(format string, args ...any) {
	if t.Err == nil {
		_, t.Err = fmt.Fprintf(t.W, format, args...)
	}
}

// pageWidth is that of paragraphs, in letters; tables have their own.
const pageWidth = 100

// folded breaks a text into lines of at most so many letters, if its words allow it.
func folded(s string, width int) (lines []string) {
	for _, word := range words.Split(s) {
		if n := len(lines); n > 0 && utf8.RuneCountInString(lines[n-1])+1+utf8.RuneCountInString(word) <= width {
			lines[n-1] += " " + word
			continue
		}
		lines = append(lines, word)
	}
	return lines
}

// Paragraph writes a text folded at the width of a page.
func (t *Page) Paragraph(s string) {
	for _, l := range folded(s, pageWidth) {
		t.Printf("%s\n", l)
	}
}
