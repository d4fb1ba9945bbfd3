package text

import (
	"strings"
	"unicode/utf8"
)

// LabelWidth is how many letters wide the column of labels is, which stands left of what
// they are of.
const LabelWidth = 14

// Labelled writes a paragraph beside its label, which is shorter than that, if it says something: folded at the width
// of a page, its lines one below the other. A line break in it begins a new line.
func (t *Page) Labelled(label, s string) {
	var lines []string
	for part := range strings.SplitSeq(s, "\n") {
		lines = append(lines, folded(part, pageWidth-LabelWidth)...)
	}
	for i, l := range lines {
		blank := strings.Repeat(" ", max(1, LabelWidth-utf8.RuneCountInString(label)))
		if i > 0 {
			label, blank = "", strings.Repeat(" ", LabelWidth)
		}
		t.Printf("%s\n", strings.TrimRight(t.bold(label)+blank+l, " "))
	}
}

// bold returns a text as a terminal shows it bold, if the page is for one.
func (t *Page) bold(s string) string {
	if !t.Colour || s == "" {
		return s
	}
	return "\x1b[1m" + s + "\x1b[0m"
}
