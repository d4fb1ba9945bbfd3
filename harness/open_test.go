package harness

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/live"
)

// outside returns a contestant with timers of another make, which are those of the standard
// library in disguise, and how often they were ended.
func outside() (c Contestant, ended *atomic.Int32) {
	ended = new(atomic.Int32)
	return Contestant{Name: "outside", Open: func(Geometry) (live.Timers, error) {
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
	p.Experiments, p.Every = []string{Cost, Memory, Burst}, true
	d, err := Run(t.Context(), p, t.TempDir(), nil, nil)
	require.NoError(t, err)
	for _, params := range [][]string{
		{Cost, "op=" + OpLivePair, "goroutines=1"}, {Cost, "op=" + OpLivePair, "goroutines=2"},
		{Memory, "holding=" + HoldingFunctions}, {Burst, "waking=" + OwnWaking},
	} {
		require.NotEmpty(t, d.Select(params[0], append(params[1:], "impl=outside")...), params)
	}
	require.Empty(t, d.Select(Cost, "op="+OpLiveReset, "impl=outside"), "they have no Reset")
	require.Positive(t, ended.Load())
}

func TestTimersOfAnotherMakeArePunctualInVirtualTime(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		c, _ := outside()
		p := tiny(c)
		p.Experiments, p.Slice = []string{Jitter, Slow, Idle}, 500*time.Millisecond
		d, err := Run(t.Context(), p, dir, nil, nil)
		require.NoError(t, err)
		late := d.Select(Jitter, "impl=outside", "waking="+OwnWaking)
		require.Len(t, late, 2, "with delays of all lengths, and short ones")
		for _, s := range late {
			require.Zero(t, s.Values[Early][0])
			require.Zero(t, s.Values[Lost][0])
			require.NotContains(t, s.Values, WakeupsPerSecond, "which nobody counts")
		}
		require.Len(t, d.Select(Slow, "impl=outside", "running="+RunOwn), 1)
		require.NotContains(t, d.Select(Idle, "impl=outside")[0].Values, WakeupsPerSecond)
	})
}

func TestTimersOfAnotherMakeThatCannotBeOpenedAreAnError(t *testing.T) {
	for name, c := range map[string]struct {
		open func(Geometry) (live.Timers, error)
		want string
	}{
		"an error":      {func(Geometry) (live.Timers, error) { return nil, errFake }, errFake.Error()},
		"nothing":       {func(Geometry) (live.Timers, error) { return nil, nil }, "Open returned no timers"},
		"without Start": {func(Geometry) (live.Timers, error) { return live.Own[*time.Timer]{}, nil }, "without Start"},
	} {
		t.Run(name, func(t *testing.T) {
			p := tiny(Contestant{Name: "outside", Open: c.open})
			p.Experiments = []string{Burst}
			_, err := Run(t.Context(), p, t.TempDir(), nil, nil)
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
		p := tiny(Contestant{Name: "hasty", AddOnly: true, EarlyByMake: byMake, Open: func(Geometry) (live.Timers, error) { return hasty{}, nil }})
		series, err := runOnly(t, p, Jitter, OpPair)
		require.NoError(t, err)
		for _, s := range (&Data{Series: series}).Select(Jitter, "impl=hasty") {
			early, apart := sumOf(s.Values[Early]), sumOf(s.Values[EarlyByMake])
			require.Positive(t, early+apart, s.Name())
			require.Equal(t, byMake, early == 0, s.Name())
			require.Equal(t, byMake, apart > 0, s.Name())
			require.EqualValues(t, early+apart, s.Early.TotalCount())
		}
	}
}
