package main

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"schedbench/catalog"
	"schedbench/harness/rundata"
)

// mismatch is the first place where a sample has another form than what is printed now. A missing line is empty.
type mismatch struct {
	at         int // the line of the sample
	have, want string
}

// differ compares the forms of a sample and of what is printed now, nil if they are alike.
func differ(kind string, have, want []string) *mismatch {
	shown, printed := formOf(kind, have), formOf(kind, want)
	for len(shown) < len(printed) {
		shown = append(shown, shape{at: len(have) - 1})
	}
	for i, a := range shown {
		var b shape
		if i < len(printed) {
			b = printed[i]
		}
		if a.form != b.form {
			return &mismatch{a.at, a.text, b.text}
		}
	}
	return nil
}

// shape is something of a text that has a form: a line, or a label.
type shape struct {
	at         int // its line
	text, form string
}

// formOf returns the parts of a text that count for a kind of sample.
func formOf(kind string, lines []string) (parts []shape) {
	for i, l := range lines {
		switch {
		case kind == byLine:
			parts = append(parts, shape{i, l, masked(l)})
		case label.MatchString(l):
			parts = append(parts, shape{i, l, label.FindStringSubmatch(l)[1]})
		case i+1 < len(lines) && ruler.MatchString(lines[i+1]):
			parts = append(parts, shape{i, l, masked(l)})
		}
	}
	return parts
}

var (
	// label begins a line in capitals, and ruler is under the heads of a table.
	label = regexp.MustCompile(`^ {0,2}([A-Z][A-Z][A-Z ,]*[A-Z])(?:$|  |:| [^A-Z])`)
	ruler = regexp.MustCompile(`^ *─+( +─+)*$`)

	figure = regexp.MustCompile(`[-+±~<>]?\d[\d.,]*(?:e[-+]?\d+)?(?: ?(?:[kMGT]i?B|B|[nµum]?s|%|×|[kMG]?/s|[kMG]|h|m|d|y)(?:\d[\w.]*)?)*`)
	dashes = regexp.MustCompile(`─+`)
	blanks = regexp.MustCompile(` +`)
	// together is a list of what has been masked: how many there are is a figure too.
	together = regexp.MustCompile(`NAME(?:(?:, | and | or )NAME)+`)
)

// masked returns the form of a line: without figures and their units, and with one word for every contestant.
func masked(line string) string {
	for _, name := range contestants() {
		line = strings.ReplaceAll(line, name, "NAME")
	}
	line = figure.ReplaceAllString(line, "#")
	line = dashes.ReplaceAllString(line, "─")
	line = together.ReplaceAllString(line, "NAME")
	return blanks.ReplaceAllString(strings.TrimSpace(line), " ")
}

// contestants returns all names, those first that others are the beginning of.
func contestants() (names []string) {
	for _, c := range slices.Concat(catalog.Contestants(), catalog.Baselines()) {
		names = append(names, c.Name+rundata.AASuffix, c.Name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	return names
}
