package live

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAnOutcomeIsJudgedWhoeverPlayed(t *testing.T) {
	s := Arrivals([]time.Duration{0, ms, 2 * ms, 3 * ms}, []time.Duration{10 * ms, 11 * ms, 12 * ms, 13 * ms})
	out := OutcomeOf(s, []Firing{{Timer: 0, At: 9 * ms}, {Timer: 1, At: 12 * ms}, {Timer: 1, At: 13 * ms}, {Timer: 2, At: 12 * ms}})
	require.Equal(t, 3, out.Fired)
	require.Equal(t, 1, out.Early)
	require.Equal(t, 1, out.Doubled)
	require.Equal(t, 1, out.Lost)
	require.Equal(t, []Firing{{0, 9 * ms, 10 * ms}, {1, 12 * ms, 11 * ms}, {2, 12 * ms, 12 * ms}}, out.Firings)

	out = OutcomeOf(Pending([]time.Duration{ms}), []Firing{{Timer: 0, At: ms}})
	require.NoError(t, out.Check())
}
