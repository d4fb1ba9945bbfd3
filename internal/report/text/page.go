// Package text lays out paragraphs and tables for terminals and files.
package text

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"schedbench/internal/words"
)

// Page writes paragraphs, and keeps the first error.
type Page struct {
	W   io.Writer
	Err error
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
func folded(s string, width int) []string {
	return words.Fold(s, func(line string) bool { return utf8.RuneCountInString(line) <= width })
}

// Paragraph writes a text folded at the width of a page.
func (t *Page) Paragraph(s string) {
	for _, l := range folded(s, pageWidth) {
		t.Printf("%s\n", l)
	}
}

// LabelWidth is the width of the column of labels, in letters.
const LabelWidth = 14

// Labelled writes a paragraph beside its label, which is shorter than that, if it says something: folded at the width
// of a page, its lines one below the other. A line break in it begins a new line.
func (t *Page) Labelled(label, s string) {
	var lines []string
	for part := range strings.SplitSeq(s, "\n") {
		lines = append(lines, folded(part, pageWidth-LabelWidth)...)
	}
	for i, l := range lines {
		if i > 0 {
			label = ""
		}
		t.Printf("%s\n", strings.TrimRight(fmt.Sprintf("%-*s%s", LabelWidth, label, l), " "))
	}
}

// commands matches bench where a text names a command: at the start of a line, and after a quote, a parenthesis, a
// colon or a semicolon. It does not match the word alone in quotes: a user typed that.
var commands = regexp.MustCompile(`(?m)(^|["(]|[:;] )bench( |$)`)

// Called returns a text whose commands call the program by another name than bench: "" is no other.
func Called(s, program string) string {
	if program == "" {
		return s
	}
	return commands.ReplaceAllString(s, "${1}"+strings.ReplaceAll(program, "$", "$$")+"${2}")
}
