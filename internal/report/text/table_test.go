package text

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// The lines of a table are as long as its ruler: columns line up.
func TestTableIsAligned(t *testing.T) {
	tab := Table{Title: "T", Names: 1, Header: []string{"who", "µs", "none"}}
	tab.Add("a", "1 µs ±3%", "")
	tab.Add("bcd", "", "")
	var b strings.Builder
	require.NoError(t, tab.Write(&b))
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")[2:]
	for _, l := range lines {
		require.Equal(t, utf8.RuneCountInString(lines[0]), utf8.RuneCountInString(l), l)
	}
	require.NotContains(t, b.String(), "none")
}
