package main

import (
	"fmt"
	"regexp"
	"strings"
)

var marker = regexp.MustCompile(`^<!-- output: (.*) -->$`)

// fresh returns a page with what the commands of its samples print now, and how many samples there are.
func fresh(name, text string, output func(command string) (string, error)) (page string, samples int, err error) {
	lines := strings.Split(text, "\n")
	var kept []string
	inBlock := false
	for i := 0; i < len(lines); i++ {
		if isFence(lines[i]) {
			inBlock = !inBlock
		}
		kept = append(kept, lines[i])
		m := marker.FindStringSubmatch(strings.TrimSpace(lines[i]))
		if m == nil || inBlock {
			continue
		}
		open := i + 1
		for open < len(lines) && lines[open] == "" {
			open++
		}
		end := open + 1
		for end < len(lines) && !isFence(lines[end]) {
			end++
		}
		if end >= len(lines) || !isFence(lines[open]) {
			return "", 0, fmt.Errorf("%s:%d: no fenced block under the comment", name, i+1)
		}
		printed, err := output(m[1])
		if err != nil {
			return "", 0, fmt.Errorf("%s:%d: %s: %w", name, i+1, m[1], err)
		}
		kept = append(append(append(kept, lines[i+1:open+1]...), printedLines(printed)...), lines[end])
		samples++
		i = end
	}
	return strings.Join(kept, "\n"), samples, nil
}

func isFence(line string) bool { return strings.HasPrefix(line, "```") }

// printedLines returns the lines of an output without trailing blanks. It drops empty lines at the beginning and the
// end.
func printedLines(s string) []string {
	lines := strings.Split(strings.Trim(s, "\n"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return lines
}
