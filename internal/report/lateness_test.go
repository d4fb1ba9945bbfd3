package report

import (
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/harness/rundata"
)

func TestASubtitleSaysWhatTheMachineHeldUp(t *testing.T) {
	g := newSynthetic(6)
	g.jitters(catalog.Hier)
	all := g.data.Select(rundata.Jitter)
	require.Equal(t, "nothing trimmed", trimmed(all))
	for _, s := range all {
		s.Values[rundata.HeldUp] = make([]float64, len(s.Values[rundata.Fired]))
	}
	require.Equal(t, "nothing trimmed", trimmed(all))
	fired := 0.0
	for _, s := range all {
		fired += total(s, rundata.Fired)
	}
	all[0].Values[rundata.HeldUp][0] = fired / 50
	require.Equal(t, "without the 2 % that fired while the machine stalled", trimmed(all))
}
