package live

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/heapsched"
	"schedbench/internal/must"
	"schedbench/workload"
)

// replacedArming is a target of runtime timers that are armed in another way.
type replacedArming struct {
	Target
	arm func(t Target, timer int32, delay time.Duration, task func()) error
}

func (f *replacedArming) Arm(i int32, delay time.Duration, task func()) error {
	return f.arm(f.Target, i, delay, task)
}

// lateBy arms timers that are late by a known time, or early.
func lateBy(late time.Duration) func(Target, int32, time.Duration, func()) error {
	return func(t Target, i int32, delay time.Duration, task func()) error { return t.Arm(i, delay+late, task) }
}

// playWith plays a slice on timers of the runtime that are armed in some way.
func playWith(t *testing.T, s *Slice, o Options, arm func(Target, int32, time.Duration, func()) error) (out *Outcome, err error) {
	t.Helper()
	return playOn(t, s, o, func(time.Duration) (Target, error) { return &replacedArming{On(nil, s.Timers), arm}, nil })
}

func playOn(t *testing.T, s *Slice, o Options, start func(time.Duration) (Target, error)) (out *Outcome, err error) {
	t.Helper()
	err = OnThread(func(c *Clock) error {
		out, err = Play(t.Context(), c, s, start, o)
		return err
	})
	return out, err
}

// some returns arrivals, one each millisecond, that are due 10 ms later.
func some(n int) *Slice {
	var at, deadline []time.Duration
	for i := range n {
		at, deadline = append(at, time.Duration(i)*ms), append(deadline, time.Duration(i+10)*ms)
	}
	return Arrivals(at, deadline)
}

// TestAKnownLatenessIsReadBack runs in virtual time, so that the reading is exact.
func TestAKnownLatenessIsReadBack(t *testing.T) {
	for _, late := range []time.Duration{0, 3 * ms, 100 * ms} {
		synctest.Test(t, func(t *testing.T) {
			out := must.Get(playWith(t, some(50), Options{}, lateBy(late)))(t)
			require.NoError(t, out.Check())
			require.Equal(t, 50, out.Fired)
			require.Equal(t, 59*ms, out.Took)
			require.Len(t, out.Firings, 50)
			for i, f := range out.Firings {
				require.Equal(t, Firing{int32(i), time.Duration(i+10)*ms + late, time.Duration(i+10) * ms}, f)
				require.Equal(t, late, f.Late())
			}
		})
	}
}

func TestTheClockStartsLaterIfAskedTo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := Pending([]time.Duration{10 * ms})
		due := func(before time.Duration) (after time.Duration) {
			out, err := playWith(t, s, Options{Before: before}, func(target Target, i int32, delay time.Duration, task func()) error {
				after = delay
				return target.Arm(i, delay, task)
			})
			require.NoError(t, err)
			require.Len(t, out.Firings, 1)
			require.Equal(t, 10*ms, out.Took, "which is not part of what is measured")
			return after
		}
		require.Equal(t, 70*ms, due(70*ms)-due(0))
	})
}

func TestATimerIsWaitedForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for late, lost := range map[time.Duration]int{900 * ms: 0, 1100 * ms: 3, 2900 * ms: 3} {
			out := must.Get(playWith(t, some(3), Options{}, lateBy(late)))(t)
			require.Equal(t, lost, out.Lost)
			out = must.Get(playWith(t, some(3), Options{Patience: 2 * time.Second, ToTheLast: true}, lateBy(late)))(t)
			require.Zero(t, out.Lost)
			require.InDelta(t, float64(late+12*ms), float64(out.Took), float64(quiet))
		}
	})
}

// What is due after the end is neither waited for nor late.
func TestWhatIsDueLaterDoesNotCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := some(20)
		s.Length = 15 * ms
		out := must.Get(playWith(t, s, Options{}, lateBy(0)))(t)
		require.NoError(t, out.Check())
		require.Len(t, out.Firings, 6)
		require.GreaterOrEqual(t, out.Fired, 6)
	})
}

// changes is a slice with every kind of operation.
func changes(t *testing.T) *Slice {
	return must.Get(partOf(0, 50*ms,
		workload.Op{Kind: workload.Schedule, Timer: 0, Delay: 30 * ms},
		workload.Op{Kind: workload.Schedule, Timer: 1, Delay: 20 * ms},
		workload.Op{At: 5 * ms, Kind: workload.Cancel, Timer: 0},
		workload.Op{At: 6 * ms, Kind: workload.Schedule, Timer: 2, Delay: 20 * ms},
		workload.Op{At: 7 * ms, Kind: workload.Reset, Timer: 1, Delay: 20 * ms},
		workload.Op{At: 8 * ms, Kind: workload.Schedule, Timer: 3, Delay: never},
	).Slice(t.Context()))(t)
}

func startDriver(n int) func(time.Duration) (Target, error) {
	return func(time.Duration) (Target, error) {
		d, err := driver.Start(heapsched.New[driver.Task]())
		return On(d, n), err
	}
}

func TestEveryKindOfOperationIsDone(t *testing.T) {
	s := changes(t)
	require.Equal(t, []time.Duration{30 * ms, 20 * ms}, s.Pending, "what the stream begins with")
	synctest.Test(t, func(t *testing.T) {
		for name, start := range map[string]func(time.Duration) (Target, error){
			"a driver":    startDriver(s.Timers),
			"the runtime": func(time.Duration) (Target, error) { return On(nil, s.Timers), nil },
		} {
			out := must.Get(playOn(t, s, Options{Sorted: true}, start))(t)
			require.NoError(t, out.Check(), name)
			require.Equal(t, []Firing{{2, 26 * ms, 26 * ms}, {1, 27 * ms, 27 * ms}}, out.Firings)
			require.Equal(t, name == "a driver", out.Wakeups > 0)
		}
	})
}

func TestWhatFallsBehindIsPlayedAgain(t *testing.T) {
	s := Pending(slices.Repeat([]time.Duration{50 * ms}, 50))
	for takes, tries := range map[time.Duration]int{0: 1, 150 * time.Microsecond: 2, ms: 3, 40 * ms: 3} {
		synctest.Test(t, func(t *testing.T) {
			begun, armed := 0, 0
			out, err := playWith(t, s, Options{Armed: func() error { armed++; return nil }}, func(t Target, i int32, delay time.Duration, task func()) error {
				if i == 0 {
					begun++
				}
				time.Sleep(takes)
				return t.Arm(i, delay, task)
			})
			if takes > ms {
				require.ErrorIs(t, err, ErrBehind)
				require.Zero(t, armed, "nobody was told")
				return
			}
			require.Equal(t, 1, armed, "what is played again is not told")
			require.NoError(t, err)
			require.Equal(t, 50, out.Fired)
			require.Equal(t, tries, begun)
		})
	}
	synctest.Test(t, func(t *testing.T) {
		_, err := playWith(t, some(100), Options{}, func(Target, int32, time.Duration, func()) error {
			time.Sleep(10 * ms)
			return nil
		})
		require.ErrorIs(t, err, ErrBehind)
		require.ErrorContains(t, err, "by 5")
	})
}

func TestFailuresEndAPlay(t *testing.T) {
	mine := errors.New("mine")
	fails := func(Target, int32, time.Duration, func()) error { return mine }
	synctest.Test(t, func(t *testing.T) {
		for _, s := range []*Slice{some(3), Pending([]time.Duration{ms})} {
			_, err := playWith(t, s, Options{}, fails)
			require.ErrorIs(t, err, mine)
		}
		_, err := playWith(t, some(3), Options{Armed: func() error { return mine }}, lateBy(0))
		require.ErrorIs(t, err, mine)
		_, err = playOn(t, some(1), Options{}, func(time.Duration) (Target, error) { return nil, mine })
		require.ErrorIs(t, err, mine)
	})
}

// TestNothingIsWaitedForAfterAnInterruption runs in virtual time.
func TestNothingIsWaitedForAfterAnInterruption(t *testing.T) {
	for after, s := range map[time.Duration]*Slice{
		0:           Pending([]time.Duration{time.Hour}),
		time.Second: Pending([]time.Duration{time.Hour}),
		ms:          some(10_000),
		2 * ms:      Pending([]time.Duration{time.Nanosecond}), // which is lost
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			time.AfterFunc(after, interrupt)
			if after == 0 {
				interrupt()
			}
			start := time.Now()
			require.ErrorIs(t, OnThread(func(c *Clock) error {
				_, err := Play(ctx, c, s, func(time.Duration) (Target, error) {
					return &replacedArming{On(nil, s.Timers), lateBy(time.Hour)}, nil
				}, Options{Patience: time.Hour})
				return err
			}), context.Canceled)
			require.LessOrEqual(t, time.Since(start), after+checkWithin)
			if after == 0 {
				require.Zero(t, time.Since(start))
			}
		})
	}
}

func TestWhatIsPendingIsArmedInOrderIfAskedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var order []int32
		_, err := playWith(t, Pending([]time.Duration{3 * ms, ms, 2 * ms}), Options{Sorted: true},
			func(t Target, i int32, delay time.Duration, task func()) error {
				order = append(order, i)
				return t.Arm(i, delay, task)
			})
		require.NoError(t, err)
		require.Equal(t, []int32{1, 2, 0}, order)
	})
}

func TestTimersAreArmedAtTheirPlacesAndPutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := Pending([]time.Duration{30 * ms, 10 * ms, 20 * ms})
		s.Places, s.takenOver = []time.Duration{5 * ms, 10 * ms, 15 * ms}, []bool{false, false, true} // which the runtime does not take over
		armed := map[int32]time.Duration{}
		var start time.Time
		out, err := playWith(t, s, Options{Armed: func() error { start = time.Now(); return nil }},
			func(t Target, i int32, delay time.Duration, task func()) error {
				armed[i] = delay - armed[0] // all at the same instant of virtual time
				return t.Arm(i, delay, task)
			})
		require.NoError(t, err)
		require.Equal(t, map[int32]time.Duration{0: armed[0], 1: 5 * ms, 2: 15 * ms}, armed)
		require.GreaterOrEqual(t, time.Since(start), armed[0]+25*ms, "until the last deadline, not the last place")
		require.Zero(t, out.Early+out.Lost)
		require.EqualValues(t, 3, out.Fired)
	})
}

func TestTheLongestDelayIsTold(t *testing.T) {
	s := some(3)
	require.Equal(t, 12*ms-handOver(2*ms), s.longest(time.Second))
	s.Pending = []time.Duration{5 * ms}
	require.Equal(t, time.Second+5*ms, s.longest(time.Second))
	s.Pending = []time.Duration{never}
	require.Equal(t, never, s.longest(time.Second))
}

// TestPunctualTimersArriveOneByOne has a worker sleep for the timer before each time.
func TestPunctualTimersArriveOneByOne(t *testing.T) {
	at := []time.Duration{0, ms, ms + 1, 5 * ms, 9 * ms}
	deadlines := []time.Duration{8 * ms, 7 * ms, 6 * ms, 5 * ms, 9*ms + ms/2}
	play := func(s *Slice) (out *Outcome, delays []time.Duration) {
		out, err := playOn(t, s, Options{}, func(time.Duration) (Target, error) {
			d, err := startDriver(s.Timers)(0)
			return &replacedArming{d, func(target Target, i int32, delay time.Duration, task func()) error {
				delays = append(delays, delay)
				err := target.Arm(i, delay, task)
				synctest.Wait() // for the worker to sleep
				return err
			}}, err
		})
		require.NoError(t, err)
		require.NoError(t, out.Check())
		return out, delays
	}
	synctest.Test(t, func(t *testing.T) {
		out, delays := play(PunctualArrivals(at, deadlines))
		require.Equal(t, []time.Duration{8 * ms, 6 * ms, 5*ms - 1, 0, ms / 2}, delays)
		require.Equal(t, make([]time.Duration, 5), out.HandedLate, "virtual time is exact")
		require.Equal(t, uint64(4), out.Kicks, "but the first timer, which starts the worker")
	})
	synctest.Test(t, func(t *testing.T) {
		out, delays := play(Arrivals(at, deadlines))
		require.Equal(t, []time.Duration{8 * ms, 7 * ms, 6 * ms, ms, 3 * ms / 2}, delays)
		require.Empty(t, out.HandedLate, "handed over ahead")
	})
}

func TestAPunctualOperationThatIsLateSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := PunctualArrivals([]time.Duration{0, ms, 2 * ms}, []time.Duration{5 * ms, 5 * ms, 5 * ms})
		out, err := playWith(t, s, Options{}, func(t Target, i int32, delay time.Duration, task func()) error {
			time.Sleep(3 * ms)
			return t.Arm(i, delay-3*ms, task)
		})
		require.NoError(t, err)
		require.Equal(t, []time.Duration{0, 2 * ms, 4 * ms}, out.HandedLate)
	})
}
