package main

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// A comment has a command, and a sample is the comment with the fenced block under it.
var (
	comment = regexp.MustCompile(`(?m)^<!-- output: .* -->$`)
	sample  = regexp.MustCompile("(?ms)^(<!-- output: ([^\n]*) -->\n+```[^\n]*\n)(.*?)^```$")
)

// fresh returns a page with what the commands of its samples print now, and how many samples there are.
func fresh(name, text string, output func(command string) (string, error)) (page string, samples int, err error) {
	page = sample.ReplaceAllStringFunc(text, func(shown string) string {
		samples++
		parts := sample.FindStringSubmatch(shown)
		printed, failed := output(parts[2])
		if failed != nil {
			err = errors.Join(err, fmt.Errorf("%s: %s: %w", name, parts[2], failed))
		}
		return parts[1] + tidied(printed) + "```"
	})
	if comments := len(comment.FindAllString(text, -1)); comments != samples {
		err = fmt.Errorf("%s: %d comments have no fenced block under them", name, comments-samples)
	}
	return page, samples, err
}

// tidied returns an output without trailing blanks, and without empty lines at the beginning and the end.
func tidied(s string) string {
	return regexp.MustCompile(`(?m) +$`).ReplaceAllString(strings.Trim(s, "\n"), "") + "\n"
}
