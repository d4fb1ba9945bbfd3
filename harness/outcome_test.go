package harness

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/harness/rundata"
	"schedbench/internal/must"
	"schedbench/live"
)

func TestTimersThatTheMachineHeldUpAreCountedAndNotLate(t *testing.T) {
	const ms = time.Millisecond
	out := &live.Outcome{Began: int64(time.Hour), Fired: 3, Firings: []live.Firing{{At: 11 * ms, Deadline: 10 * ms}, {At: 40 * ms, Deadline: 20 * ms}, {At: 61 * ms, Deadline: 60 * ms}}}
	for name, c := range map[string]struct {
		stalls   string
		late, up int
		most     time.Duration
	}{
		"nobody watched": {"", 3, 0, 20 * ms},
		"none":           {"1 2\n", 3, 0, 20 * ms},
		"one":            {"3600021000000 3600039500000\n", 2, 1, ms},
		"most":           {"3600001000000 3600090000000\n", 3, 0, 20 * ms},
	} {
		s := &Session{stalls: filepath.Join(t.TempDir(), "stalls")}
		if c.stalls != "" {
			require.NoError(t, os.WriteFile(s.stalls, []byte(c.stalls), 0o600))
		}
		series := rundata.NewSeries(rundata.Jitter)
		values := must.Get(s.AddOutcome(series, out, nil))(t)
		require.EqualValues(t, 3, values[rundata.Fired], name)
		require.EqualValues(t, c.up, values[rundata.HeldUp], name)
		require.EqualValues(t, c.late, series.Late.TotalCount(), name)
		require.InEpsilon(t, float64(c.most), values[rundata.MaxLate], 0.001, name)
	}
	s := &Session{stalls: filepath.Join(t.TempDir(), "stalls")}
	require.NoError(t, os.WriteFile(s.stalls, []byte("3600021000000 late\n"), 0o600))
	_, err := s.AddOutcome(rundata.NewSeries(rundata.Jitter), out, nil)
	require.ErrorContains(t, err, "late")
}
