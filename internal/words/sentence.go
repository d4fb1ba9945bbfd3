package words

import (
	"fmt"
	"slices"
	"strings"
)

// Split splits a text at its spaces, but not a number from %, ns, µs, ms or s after it.
func Split(s string) (list []string) {
	units := []string{"%", "ns", "µs", "ms", "s"}
	for _, word := range strings.Fields(s) {
		if n := len(list); n > 0 && slices.Contains(units, strings.TrimRight(word, ".,:;)")) && strings.ContainsAny(list[n-1][len(list[n-1])-1:], "0123456789") {
			list[n-1] += " " + word
			continue
		}
		list = append(list, word)
	}
	return list
}

// Sentences ends each text that is not empty with a full stop, and joins them.
func Sentences(texts ...string) string {
	said := Said(texts...)
	for i, t := range said {
		said[i] = strings.TrimSuffix(t, ".") + "."
	}
	return strings.Join(said, " ")
}

// Said returns the texts that are not empty.
func Said(texts ...string) []string {
	return slices.DeleteFunc(slices.Clone(texts), func(t string) bool { return t == "" })
}

// Capital returns a text with its first letter in upper case.
func Capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// List joins words as in a sentence: a, b and c.
func List(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// FromTo writes a range, as one figure if both ends look the same.
func FromTo(least, most string) string {
	if least == most {
		return least
	}
	return least + " to " + most
}

// Few lists at most so many words, and how many more there are: a, b and 3 more.
func Few(most int, words []string) string {
	if more := len(words) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(words[:most], ", "), more)
	}
	return strings.Join(words, ", ")
}

// Many writes a number of things: 1 round, 2k rounds.
func Many(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%s %ss", Count(float64(n)), thing)
}

// Verb writes how many do something: 1 says, 2 say.
func Verb(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}

// Fold breaks a text into lines that fit, as far as its words do.
func Fold(s string, fits func(line string) bool) (lines []string) {
	for _, word := range Split(s) {
		if n := len(lines); n > 0 && fits(lines[n-1]+" "+word) {
			lines[n-1] += " " + word
			continue
		}
		lines = append(lines, word)
	}
	return lines
}
