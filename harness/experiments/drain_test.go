package experiments

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/harness/rundata"
	"schedbench/internal/must"
)

// TestTimersRunOut runs in virtual time, so that no timer is late.
func TestTimersRunOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		preset := sound("netty")
		preset.Preset = true
		p := tiny(sound("a"), runtimeTimers(), preset)
		p.Drain = 200
		series := must.Get(runOnly(t, p, rundata.Drain, rundata.OpPair))(t)
		require.Equal(t, []string{"a", "runtime"}, firstTime(series), "a preset would be measured by its tick")
		for _, s := range series {
			require.LessOrEqual(t, s.Late.Max(), int64(1), s.Name())
			for i, n := range s.Iterations {
				require.Equal(t, p.Drain, n)
				require.Equal(t, float64(n), s.Values[rundata.Fired][i])
				require.Zero(t, s.Values[rundata.Early][i]+s.Values[rundata.Lost][i]+s.Values[rundata.Doubled][i], s.Name())
			}
		}
		p.Drain = 0
		require.Empty(t, drainCells(p))
	})
}

func TestADrainThatCannotBeScheduledIsAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := tiny(brokenLive(faulty[driver.Task]{schedule: afterwards[driver.Task](3)}))
		p.Drain = 10
		_, err := runOnly(t, p, rundata.Drain, rundata.OpPair)
		require.ErrorIs(t, err, errFake)
		require.ErrorContains(t, err, "impl=broken")
	})
}
