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

func TestCommandsCallTheProgramByItsName(t *testing.T) {
	for said, want := range map[string]string{
		`bench plot DIR`:                            `./$mine plot DIR`,
		`chooses nothing: run "bench tune x"`:       `chooses nothing: run "./$mine tune x"`,
		"which tick: bench --x\nbench --y":          "which tick: ./$mine --x\n./$mine --y",
		`unknown experiment "bench", want cost`:     `unknown experiment "bench", want cost`,
		"bench: no run in x/bench: want schedbench": "bench: no run in x/bench: want schedbench",
		"data/*.bench.gz (benchstat)":               "data/*.bench.gz (benchstat)",
	} {
		require.Equal(t, want, Called(said, "./$mine"))
		require.Equal(t, said, Called(said, ""))
	}
}

func TestALabelStandsLeftOfItsParagraph(t *testing.T) {
	var b strings.Builder
	p := &Page{W: &b}
	p.Labelled("PICK", strings.Repeat("sleeps until due ", 12)+"\nand no more")
	p.Labelled("NOTHING", "")
	require.NoError(t, p.Err)
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	require.Len(t, lines, 4)
	require.True(t, strings.HasPrefix(lines[0], "PICK          sleeps until"))
	require.True(t, strings.HasPrefix(lines[1], "              "))
	require.Equal(t, "              and no more", lines[3])
	for _, l := range lines {
		require.LessOrEqual(t, utf8.RuneCountInString(l), pageWidth)
	}
}
