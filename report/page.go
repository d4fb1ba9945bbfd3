package report

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"schedbench/internal/words"
)

// page writes paragraphs and tables, and keeps the first error.
type page struct {
	w   io.Writer
	err error
}

func (t *page) printf(format string, args ...any) {
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.w, format, args...)
	}
}

func (t *page) heading(s string) { t.printf("%s\n\n", s) }

// item writes an item of a list, if it says something.
func (t *page) item(s string) {
	if s != "" {
		t.printf("  - %s\n", strings.Join(folded(s, pageWidth-4), "\n    "))
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

func (t *page) table(tab *table) {
	if t.err == nil {
		t.err = tab.write(t.w)
	}
}
