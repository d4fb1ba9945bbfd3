package experiments

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/internal/must"
	"schedbench/live"
)

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

// Who is made to be early is counted so, and anybody else who is has given wrong answers.
func TestEarlyByDesignIsCountedApart(t *testing.T) {
	for _, byMake := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			p := tiny(harness.Contestant{Name: "hasty", AddOnly: true, EarlyByDesign: byMake, Open: func(harness.Geometry) (live.Timers, error) {
				return live.Own[*time.Timer]{Start: func(_ time.Duration, f func()) (*time.Timer, error) { return time.AfterFunc(0, f), nil }}, nil
			}})
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

// fakeProcess fires every timer late by the same time, and uses what it says.
type fakeProcess struct {
	late   time.Duration
	wrong  int
	cpu    time.Duration
	filled int
	warm   int
	closed *int
}

func (p *fakeProcess) Warm(_ context.Context, ops int) error { p.warm += ops; return nil }

func (p *fakeProcess) Play(_ context.Context, s *live.Slice, o live.Options) (*live.Outcome, error) {
	var fired []live.Firing
	for i, d := range s.Pending {
		fired = append(fired, live.Firing{Timer: int32(i), At: d + p.late})
	}
	for _, op := range s.Ops {
		fired = append(fired, live.Firing{Timer: op.Timer, At: op.Deadline + p.late})
	}
	out := live.OutcomeOf(s, fired)
	out.Took, out.CPU, out.Metered = time.Second, time.Millisecond, true
	return out, nil
}

func (p *fakeProcess) Fill(_ context.Context, n int, _ time.Duration, _ uint64) error {
	p.filled = n
	return nil
}

func (p *fakeProcess) Replace(_ context.Context, ops int, _ uint64) (time.Duration, int, error) {
	p.cpu += 2 * time.Duration(ops)
	return time.Duration(ops), p.wrong, nil
}

func (p *fakeProcess) Flood(_ context.Context, ops int, _, _ time.Duration) (late, took time.Duration, err error) {
	return p.late, time.Duration(ops), nil
}

func (p *fakeProcess) Bytes(context.Context) (float64, time.Duration, error) {
	return 1000 + 50*float64(p.filled), time.Millisecond, nil
}

func (p *fakeProcess) Usage() (live.Usage, bool) {
	p.cpu += 10
	return live.Usage{CPU: p.cpu}, true
}

func (p *fakeProcess) Close() error { *p.closed++; return nil }

func distant(p fakeProcess) (c harness.Contestant, launched, closed *int) {
	launched, closed = new(int), new(int)
	p.closed = closed
	return harness.Contestant{
		Name:  "distant",
		Notes: func() []rundata.Param { return []rundata.Param{{Key: "language", Value: "another"}} },
		Launch: func(context.Context) (harness.Process, error) {
			*launched++
			q := p
			return &q, nil
		},
	}, launched, closed
}

// only returns what a plan measures of a contestant: in virtual time, or on the real clock if that takes no time.
func only(t *testing.T, p *harness.Plan, name string) (found []*rundata.Series, env map[string]string) {
	t.Helper()
	timed, virtual := *p, *p
	virtual.Experiments = []string{rundata.Jitter, rundata.Live, rundata.Slow, rundata.Burst, rundata.Idle}
	timed.Experiments = slices.DeleteFunc(slices.Clone(p.Experiments), func(e string) bool {
		return e == rundata.Control || slices.Contains(virtual.Experiments, e)
	})
	d := must.Get(harness.Run(t.Context(), &timed, t.TempDir(), nil, nil))(t)
	played, _, err := inVirtualTime(t, &virtual, t.TempDir(), &interrupter{}, 0)
	require.NoError(t, err)
	return append(d.Select("", "impl="+name), played.Select("", "impl="+name)...), d.Env
}

func TestAProcessTakesPartInAllThatCanBeMeasuredFromOutside(t *testing.T) {
	const late = 3 * time.Millisecond
	c, launched, closed := distant(fakeProcess{late: late})
	p := tiny(c)
	p.Pending, p.Blocks = []int{100}, 1
	series, env := only(t, p, c.Name)
	require.Positive(t, *launched)
	require.Equal(t, *launched, *closed, "each was ended")
	require.Equal(t, "another", env["language"])

	took := map[string]bool{}
	for _, s := range series {
		took[s.Experiment] = true
		require.Empty(t, s.Note)
		switch s.Experiment {
		case rundata.Jitter, rundata.Burst:
			require.InEpsilon(t, float64(late), s.Values[rundata.P50Late][0], 0.002)
			require.NotContains(t, s.Values, rundata.WakeupsPerSecond, "not counted")
		case rundata.Cost:
			require.Equal(t, rundata.OpLivePair, s.Get("op"))
			require.Equal(t, "1", s.Get("goroutines"))
			require.InDelta(t, 1, s.Values[rundata.NsPerOp][0], 1e-9)
			require.InDelta(t, 2, s.Values[rundata.CPUPerOp][0], 0.5)
		case rundata.Flood:
			require.Equal(t, float64(late), s.Values[rundata.LateAfter][0])
		case rundata.Memory:
			require.InDelta(t, 50, s.Values[rundata.BytesPerTimer][0], 1e-9)
		case rundata.Idle:
			require.Contains(t, s.Values, rundata.EmptyCPUPerSecond)
		default:
			t.Errorf("%s is not for a process", s.Name())
		}
	}
	require.Len(t, took, 6)
}

func TestAProcessThatFailsIsEnded(t *testing.T) {
	c, _, closed := distant(fakeProcess{wrong: 1})
	p := tiny(c)
	_, err := runOnly(t, p, rundata.Cost, rundata.OpLivePair)
	require.ErrorContains(t, err, "wrong answer")
	require.Equal(t, 1, *closed)

	p.Contestants[0].Launch = func(context.Context) (harness.Process, error) { return nil, errFake }
	_, err = runOnly(t, p, rundata.Idle, rundata.OpPair)
	require.ErrorIs(t, err, errFake)
}

// ownTimers are those of the Go runtime as a library's, which may be closed once.
type ownTimers struct{ addOnly, closed bool }

func (o *ownTimers) AfterFunc(d time.Duration, f func()) (live.Timer, error) {
	timer := time.AfterFunc(d, f)
	if o.addOnly {
		return nil, nil
	}
	return timer, nil
}

func (o *ownTimers) Close() error {
	if o.closed {
		panic("closed twice")
	}
	o.closed = true
	return nil
}

func TestTimersWithAClockOfTheirOwnTakePart(t *testing.T) {
	for _, addOnly := range []bool{false, true} {
		var opened []*ownTimers
		c := harness.Contestant{Name: "own", AddOnly: addOnly, Open: func(harness.Geometry) (live.Timers, error) {
			own := &ownTimers{addOnly: addOnly}
			opened = append(opened, own)
			return own, nil
		}}
		p := tiny(c, sound("a"))
		p.Pending, p.Blocks = []int{100}, 1
		series, _ := only(t, p, c.Name)
		found := &rundata.Data{Series: series}
		want := map[string]int{rundata.Jitter: 2, rundata.Burst: 1, rundata.Idle: 1, rundata.Slow: 1}
		if !addOnly {
			want[rundata.Cost], want[rundata.Memory], want[rundata.Flood], want[rundata.Live] = len(oneAndAll()), 1, 1, 1
		}
		for _, e := range rundata.ExperimentNames() {
			require.Len(t, found.Select(e), want[e], "%s, cannot stop: %v", e, addOnly)
		}
		for _, s := range series {
			switch s.Experiment {
			case rundata.Jitter, rundata.Burst:
				require.Equal(t, rundata.PresetWaking, s.Get("waking"))
				allFired(t, s)
			case rundata.Slow:
				require.Equal(t, rundata.RunPreset, s.Get("running"))
			case rundata.Memory:
				require.Equal(t, rundata.HoldingFunctions, s.Get("holding"))
			}
			require.NotEqual(t, rundata.OpLiveReset, s.Get("op"), "they cannot be moved")
			require.NotContains(t, s.Values, rundata.WakeupsPerSecond, "not counted")
		}
		require.NotEmpty(t, opened)
		require.False(t, slices.ContainsFunc(opened, func(own *ownTimers) bool { return !own.closed }))
	}
}
