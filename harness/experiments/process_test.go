package experiments

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/internal/must"
	"schedbench/live"
)

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

// distant returns a contestant in processes of its own, and counts those that were
// launched and those that were closed.
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

// only returns what a plan measures of a contestant: what plays by the clock in virtual time,
// and what takes none of it on the real clock.
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
			require.NotContains(t, s.Values, rundata.WakeupsPerSecond, "nobody counts them")
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

// ownTimers are those of the Go runtime as a library's.
type ownTimers struct{ addOnly bool }

func (o ownTimers) AfterFunc(d time.Duration, f func()) (live.Timer, error) {
	timer := time.AfterFunc(d, f)
	if o.addOnly {
		return nil, nil
	}
	return timer, nil
}

func (ownTimers) Close() error { return nil }

func TestTimersWithAClockOfTheirOwnTakePart(t *testing.T) {
	for _, addOnly := range []bool{false, true} {
		c := harness.Contestant{Name: "own", AddOnly: addOnly, Open: func(harness.Geometry) (live.Timers, error) { return ownTimers{addOnly}, nil }}
		p := tiny(c, sound("a"))
		p.Pending, p.Blocks = []int{100}, 1
		series, _ := only(t, p, c.Name)
		took := map[string]bool{}
		for _, s := range series {
			took[s.Experiment] = true
			if s.Experiment == rundata.Jitter {
				require.Equal(t, rundata.PresetWaking, s.Get("waking"))
			}
			require.NotEqual(t, rundata.OpLiveReset, s.Get("op"), "they cannot be moved")
		}
		want := map[string]bool{rundata.Jitter: true, rundata.Burst: true, rundata.Idle: true, rundata.Slow: true}
		if !addOnly {
			want[rundata.Cost], want[rundata.Memory], want[rundata.Flood], want[rundata.Live] = true, true, true, true
		}
		require.Equal(t, want, took, "cannot stop: %v", addOnly)
	}
}
