package text

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

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

func TestLabelsAreBoldOnATerminalOnly(t *testing.T) {
	var plain, bold strings.Builder
	(&Page{W: &plain}).Labelled("PICK", "x")
	(&Page{W: &bold, Colour: true}).Labelled("PICK", "x")
	require.Equal(t, "PICK          x\n", plain.String())
	require.Equal(t, "\x1b[1mPICK\x1b[0m          x\n", bold.String())
}
