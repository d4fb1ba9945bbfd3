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
	require.Regexp(t, `^every one of \S+ timers fired once and not early$`, NewCard(g.data, Options{}).Checked())

	s := g.jitter("jdk-timer", rundata.OwnWaking, 0)
	s.Values[rundata.EarlyByDesign] = make([]float64, len(s.Values[rundata.Fired]))
	s.Values[rundata.EarlyByDesign][0] = s.Values[rundata.Fired][0]
	card := NewCard(g.data, Options{})
	require.Empty(t, card.Wrong)
	require.Contains(t, card.Checked(), "once and not early, except those that are early by design (jdk-timer)")

	s.Values[rundata.Early][0] = 1
	require.Len(t, NewCard(g.data, Options{}).Wrong, 1)
}
