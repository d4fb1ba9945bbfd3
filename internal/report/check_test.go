package report

import (
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/harness/rundata"
)

// Timers that are early by design are not wrong ones.
func TestWhatIsEarlyByDesignIsSaid(t *testing.T) {
	g := newSynthetic(6)
	g.jitters(catalog.Hier)
	sound := Verdict(g.data, Options{}).Lines
	said(t, sound, "Every one of ", " timers fired once and not early.")
	silent(t, sound, "By its make")

	s := g.jitter("jdk-timer", rundata.OwnWaking, 0)
	s.Values[rundata.EarlyByDesign] = make([]float64, len(s.Values[rundata.Fired]))
	s.Values[rundata.EarlyByDesign][0] = s.Values[rundata.Fired][0]
	lines := Verdict(g.data, Options{}).Lines
	said(t, lines, "Every one of ", "once and not early, except those that are early by design (jdk-timer).")
	said(t, lines, "A contestant that counts in whole ticks or milliseconds fires timers early by design: 16.7 % of those of jdk-timer.")
	card := NewCard(g.data, Options{})
	require.Empty(t, card.Wrong)
	require.Contains(t, card.Checked(), "except those that are early by design (jdk-timer)")

	s.Values[rundata.Early][0] = 1
	lines = Verdict(g.data, Options{}).Lines
	said(t, lines, "The answers are WRONG: ", "It was jdk-timer")
	require.Len(t, NewCard(g.data, Options{}).Wrong, 1)
}
