package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/harness/rundata"
)

// controlled makes up a control that was built to be something, and what was read of it.
func controlled(params string, known float64, read ...float64) *rundata.Data {
	g := newSynthetic(len(read))
	s := g.series(rundata.Control, params, map[string]float64{rundata.KnownNs: 0, rundata.ReadNs: 0})
	for i := range read {
		s.Values[rundata.KnownNs][i] = known
	}
	s.Values[rundata.ReadNs] = read
	return g.data
}

// A control that reads back wrong, or scatters, is a caution; one that does neither is not.
func TestControlsAreJudged(t *testing.T) {
	for name, c := range map[string]struct {
		data *rundata.Data
		want string
	}{
		"right":                {controlled("what=spin known=50ns", 50, 49, 51, 50, 52, 48, 50), ""},
		"a little off":         {controlled("what=spin known=50ns", 50, 54, 54, 54, 54, 54, 54), ""},
		"off":                  {controlled("what=spin known=50ns", 50, 60, 61, 59, 60, 61, 59), "a control reads back wrong: a spin of 50 ns read 59 ns to 61 ns"},
		"off the other way":    {controlled("what=slow-call known=50µs", 50e3, 40e3, 41e3, 40e3, 41e3, 40e3, 40e3), "a control reads back wrong: a call of 50 µs read 40 µs to 41 µs"},
		"perhaps off":          {controlled("what=spin known=50ns", 50, 61, 50, 62, 52, 60, 51), ""},
		"scatters":             {controlled("what=spin known=50ns", 50, 34, 72, 50, 45, 60, 40), "a control scatters: a spin of 50 ns read 34 ns to 72 ns"},
		"reads nothing":        {controlled("what=spin known=50ns", 50, 50, 51, 50, -3, 49, 50), "a control scatters: a spin of 50 ns read -3 ns to 51 ns"},
		"late by more":         {controlled("what=lateness known=3ms", 3e6, 3.5e6, 3.51e6, 3.5e6), "a control reads back wrong: a lateness of 3 ms read 3.5 ms to 3.51 ms"},
		"late as it is":        {controlled("what=lateness known=3ms", 3e6, 3.01e6, 3.02e6, 3.01e6), ""},
		"burnt less":           {controlled("what=burn", 0.25e9, 0.2e9, 0.2e9, 0.2e9), "a control reads back wrong: CPU time of 250 ms a second read 200 ms"},
		"one block says least": {controlled("what=spin known=50ns", 50, 80), ""},
	} {
		t.Run(name, func(t *testing.T) {
			made := NewCard(c.data, Options{})
			others := paragraph(made, "CAUTION")
			require.Empty(t, paragraph(made, "DO NOT TRUST"))
			if c.want == "" {
				require.NotContains(t, others, "control")
			} else {
				require.Contains(t, others, c.want)
			}
		})
	}
}

// The first touch of a page is in the table of controls, explained, and no caution.
func TestTheFirstTouchOfAPageIsShown(t *testing.T) {
	table := func(d *rundata.Data) string {
		var b strings.Builder
		require.NoError(t, Tables(&b, d, Options{}))
		return b.String()
	}
	without := controlled("what=spin known=50ns", 50, 49, 51, 50, 52, 48, 50)
	require.NotContains(t, table(without), firstTouch)
	g := newSynthetic(6)
	g.given(rundata.Control, "what="+firstTouch, rundata.NsPerOp, 11600, 3300, 2200, 3800, 11000, 2500)
	got := table(g.data)
	require.Regexp(t, firstTouch+` .*3\.55 µs`, got)
	require.Contains(t, got, "is the first write to a page of 4 KiB")
	require.Empty(t, NewCard(g.data, Options{}).Cautions)
}
