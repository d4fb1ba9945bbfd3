package text

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// The lines of a table are as long as its ruler: columns line up.
func TestTableIsAligned(t *testing.T) {
	tab := Table{Title: "T", Names: 1, Header: []string{"who", "µs", "none"}}
	tab.Add("a", "1 µs ±3%", "")
	tab.Add("bcd", "", "")
	var b strings.Builder
	if err := tab.Write(&b); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")[2:]
	for _, l := range lines {
		if got, want := utf8.RuneCountInString(l), utf8.RuneCountInString(lines[0]); got != want {
			t.Errorf("%q has %d columns of text, want %d", l, got, want)
		}
	}
	if strings.Contains(b.String(), "none") {
		t.Error("an empty column is shown")
	}
}
