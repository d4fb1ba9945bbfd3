package main

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// manual is a file of documentation with samples of output in it.
type manual struct {
	name     string
	lines    []string
	examples []example
}

// example is a block that a command prints.
type example struct {
	kind, command string
	// from and to are the lines of the block between its fences, counted from 0: from itself is in it, and to is not.
	from, to int
}

// The kinds of samples.
const (
	byLine    = ""
	byLabel   = "labels"
	measuring = "measured"
)

var marker = regexp.MustCompile(`^<!-- output ?([a-z]*): (.*) -->$`)

// parse finds the samples of a page. A comment without a block under it, and one of no known kind, are errors.
func parse(name, text string) (*manual, error) {
	p := &manual{name: name, lines: strings.Split(text, "\n")}
	inBlock := false
	for i := 0; i < len(p.lines); i++ {
		if isFence(p.lines[i]) {
			inBlock = !inBlock
		}
		m := marker.FindStringSubmatch(strings.TrimSpace(p.lines[i]))
		if m == nil || inBlock {
			continue
		}
		if !slices.Contains([]string{byLine, byLabel, measuring}, m[1]) {
			return nil, fmt.Errorf("%s:%d: output %s: want output, output %s or output %s", name, i+1, m[1], byLabel, measuring)
		}
		open := i + 1
		for open < len(p.lines) && p.lines[open] == "" {
			open++
		}
		end := open + 1
		for end < len(p.lines) && !isFence(p.lines[end]) {
			end++
		}
		if end >= len(p.lines) || !isFence(p.lines[open]) {
			return nil, fmt.Errorf("%s:%d: no fenced block under the comment", name, i+1)
		}
		p.examples = append(p.examples, example{m[1], m[2], open + 1, end})
		i = end
	}
	return p, nil
}

func isFence(line string) bool { return strings.HasPrefix(line, "```") }

// refresh replaces the samples by what their commands print now, those that measure only if asked to.
func (p *manual) refresh(output func(command string) (string, error), measured bool) error {
	for _, s := range slices.Backward(p.examples) { // the places of those before stay
		if s.kind == measuring && !measured {
			continue
		}
		printed, err := output(s.command)
		if err != nil {
			return fmt.Errorf("%s:%d: %s: %w", p.name, s.from, s.command, err)
		}
		p.lines = slices.Replace(p.lines, s.from, s.to, printedLines(printed)...)
	}
	return os.WriteFile(p.name, []byte(strings.Join(p.lines, "\n")), 0o666)
}

// check says where samples have another form than what their commands print now.
func (p *manual) check(output func(command string) (string, error)) error {
	var failed []error
	for _, s := range p.examples {
		if s.kind == measuring {
			continue
		}
		printed, err := output(s.command)
		if err != nil {
			failed = append(failed, fmt.Errorf("%s:%d: %s: %w", p.name, s.from, s.command, err))
			continue
		}
		shown := p.lines[s.from:s.to]
		if d := differ(s.kind, shown, printedLines(printed)); d != nil {
			failed = append(failed, fmt.Errorf("%s:%d: %s prints\n    %s\nand not\n    %s\n(make docs writes it anew)",
				p.name, s.from+d.at+1, s.command, d.want, d.have))
		}
	}
	return errors.Join(failed...)
}

// printedLines are those of an output, without blanks at their ends and empty lines at its own.
func printedLines(s string) []string {
	lines := strings.Split(strings.Trim(s, "\n"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return lines
}
