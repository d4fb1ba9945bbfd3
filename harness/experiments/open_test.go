package experiments

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/internal/must"
	"schedbench/live"
)

// outside returns a contestant with timers of another make, which are those of the standard
// library in disguise, and how often they were ended.
func outside() (c harness.Contestant, ended *atomic.Int32) {
	ended = new(atomic.Int32)
	return harness.Contestant{Name: "outside", Open: func(harness.Geometry) (live.Timers, error) {
		over := false
		return live.Own[*time.Timer]{Start: afterFunc, End: func() error {
			if over {
				panic("ended twice")
			}
			over = true
			ended.Add(1)
			return nil
		}}, nil
	}}, ended
}

func afterFunc(d time.Duration, f func()) (*time.Timer, error) { return time.AfterFunc(d, f), nil }

func TestTimersOfAnotherMakeAreMeasuredOnTheRealClock(t *testing.T) {
	c, ended := outside()
	p := tiny(c, runtimeTimers())
	p.Experiments, p.Full = []string{rundata.Cost, rundata.Memory, rundata.Burst}, true
	p.Pending, p.Blocks = []int{100}, 1
	d := must.Get(harness.Run(t.Context(), p, t.TempDir(), nil, nil))(t)
	for _, params := range [][]string{
		{rundata.Cost, "op=" + rundata.OpLivePair, "goroutines=1"}, {rundata.Cost, "op=" + rundata.OpLivePair, "goroutines=2"},
		{rundata.Memory, "holding=" + rundata.HoldingFunctions}, {rundata.Burst, "waking=" + rundata.PresetWaking},
	} {
		require.NotEmpty(t, d.Select(params[0], append(params[1:], "impl=outside")...), params)
	}
	require.Empty(t, d.Select(rundata.Cost, "op="+rundata.OpLiveReset, "impl=outside"), "they have no Reset")
	require.Positive(t, ended.Load())
}

func TestTimersOfAnotherMakeArePunctualInVirtualTime(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		c, _ := outside()
		p := tiny(c)
		p.Experiments, p.Slice = []string{rundata.Jitter, rundata.Slow, rundata.Idle}, 500*time.Millisecond
		d := must.Get(harness.Run(t.Context(), p, dir, nil, nil))(t)
		late := d.Select(rundata.Jitter, "impl=outside", "waking="+rundata.PresetWaking)
		require.Len(t, late, 2, "with delays of all lengths, and short ones")
		for _, s := range late {
			require.Zero(t, s.Values[rundata.Early][0])
			require.Zero(t, s.Values[rundata.Lost][0])
			require.NotContains(t, s.Values, rundata.WakeupsPerSecond, "which nobody counts")
		}
		require.Len(t, d.Select(rundata.Slow, "impl=outside", "running="+rundata.RunPreset), 1)
		require.NotContains(t, d.Select(rundata.Idle, "impl=outside")[0].Values, rundata.WakeupsPerSecond)
	})
}

func TestTimersOfAnotherMakeThatCannotBeOpenedAreAnError(t *testing.T) {
	for name, c := range map[string]struct {
		open func(harness.Geometry) (live.Timers, error)
		want string
	}{
		"an error":      {func(harness.Geometry) (live.Timers, error) { return nil, errFake }, errFake.Error()},
		"nothing":       {func(harness.Geometry) (live.Timers, error) { return nil, nil }, "Open returned no timers"},
		"without Start": {func(harness.Geometry) (live.Timers, error) { return live.Own[*time.Timer]{}, nil }, "without Start"},
	} {
		t.Run(name, func(t *testing.T) {
			p := tiny(harness.Contestant{Name: "outside", Open: c.open})
			p.Experiments = []string{rundata.Burst}
			_, err := harness.Run(t.Context(), p, t.TempDir(), nil, nil)
			require.ErrorContains(t, err, c.want)
		})
	}
}

// hasty runs what it is given at once.
type hasty struct{}

func (hasty) AfterFunc(_ time.Duration, task func()) (live.Timer, error) {
	return time.AfterFunc(0, task), nil
}
func (hasty) Close() error { return nil }

// Who is made to be early is counted so, and anybody else who is has given wrong answers.
func TestWhoIsEarlyByItsMakeIsCountedApart(t *testing.T) {
	for _, byMake := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			p := tiny(harness.Contestant{Name: "hasty", AddOnly: true, EarlyByDesign: byMake, Open: func(harness.Geometry) (live.Timers, error) { return hasty{}, nil }})
			series := must.Get(runOnly(t, p, rundata.Jitter, rundata.OpPair))(t)
			for _, s := range (&rundata.Data{Series: series}).Select(rundata.Jitter, "impl=hasty") {
				early, apart := sumOf(s.Values[rundata.Early]), sumOf(s.Values[rundata.EarlyByDesign])
				require.Positive(t, early+apart, s.Name())
				require.Equal(t, byMake, early == 0, s.Name())
				require.Equal(t, byMake, apart > 0, s.Name())
				require.EqualValues(t, early+apart, s.Early.TotalCount())
			}
		})
	}
}
