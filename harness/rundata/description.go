package rundata

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Files are described by lines before the measurements. Those that benchstat is to keep measurements apart by are
// configuration lines of benchfmt, "key: value". All others would make a table of its own of every run, with its date
// and its load; they begin with "# ", which readers of benchfmt pass over. What is said of one series has its name
// after the key: "# note Cost/op=pair/impl=a: text". Older files have configuration lines only.

var configKeys = []string{"goos", "goarch", "pkg", "cpu"}

// The keys of what the harness itself says: of a run, whether it has all blocks; of a file, how
// many samples it has, which is its first block, how many rounds a block has, and the notes of
// its series; before the samples of a cell, its name.
const (
	CompleteKey = "complete"
	samplesKey  = "samples"
	blockKey    = "block"
	perBlockKey = "rounds-per-block"
	noteKey     = "note"
	cellKey     = "cell"
)

// otherMark begins the lines that only this package reads.
const otherMark = "# "

// breaks are what would end a line of a description.
var breaks = strings.NewReplacer("\n", " ", "\r", " ")

// describe writes the lines of a description.
func describe(buf *bytes.Buffer, description []Param) {
	for _, p := range description {
		if !slices.Contains(configKeys, p.Key) {
			buf.WriteString(otherMark)
		}
		fmt.Fprintf(buf, "%s: %s\n", p.Key, breaks.Replace(p.Value))
	}
}

// descriptionOf reads a line of a description. Its key is one word that begins with a lower-case letter, and may have
// the name of a series after it where only this package reads it.
func descriptionOf(l string) (p Param, ok bool) {
	l, other := strings.CutPrefix(strings.TrimRight(l, "\r\n"), otherMark)
	key, value, ok := strings.Cut(l, ":")
	if other { // names may have a colon, but no space
		key, value, ok = strings.Cut(l+" ", ": ")
	}
	words := strings.Split(key, " ")
	ok = ok && key != "" && unicode.IsLower([]rune(key)[0]) &&
		(len(words) == 1 || other && len(words) == 2) &&
		!slices.ContainsFunc(words, func(w string) bool { return w == "" || strings.ContainsFunc(w, unicode.IsSpace) })
	return Param{key, strings.TrimSpace(value)}, ok
}

// Get returns the value of a key, and "" if params do not have it.
func Get(params []Param, key string) string {
	for _, p := range params {
		if p.Key == key {
			return p.Value
		}
	}
	return ""
}

// Set returns params with another value under a key.
func Set(params []Param, p Param) []Param {
	params = slices.Clone(params)
	i := slices.IndexFunc(params, func(have Param) bool { return have.Key == p.Key })
	if i < 0 {
		return append(params, p)
	}
	params[i] = p
	return params
}
