package catalog

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/internal/must"
)

// The rows that several presets have in common.

func TestTasksOfOneInstantRunInOrder(t *testing.T) {
	each(t, []named{nettySchedule, jdkOneThread, jdkTimer}, opened, func(t *testing.T, l *bench) {
		var order []int
		for i := range 1000 {
			l.after(sec, func() { order = append(order, i) })
		}
		pass(sec)
		require.Len(t, order, 1000)
		require.IsIncreasing(t, order)
	})
}

func TestLockedTakesTimersAtOnce(t *testing.T) {
	each(t, locked, begun, func(t *testing.T, l *bench) {
		l.after(time.Hour, nothing)
		synctest.Wait() // the worker sleeps from here on
		timer := l.after(2*time.Hour, nothing)
		require.Equal(t, 2, l.inside())
		require.True(t, timer.Stop())
		require.Equal(t, 1, l.inside())
	})
}

func TestQueuedTakesTimersAtTheNextWakeUp(t *testing.T) {
	each(t, queued, begun, func(t *testing.T, l *bench) {
		l.after(time.Hour, nothing)
		synctest.Wait()
		l.after(2*time.Hour, nothing)
		require.Equal(t, 1, l.inside(), "it is in the queue")
		require.Equal(t, 2, l.Len(), "and counts")
		l.after(ms, nothing)
		pass(100 * ms)
		require.Equal(t, 2, l.inside())
	})
}

func TestCancelledLeaveAtTheNextWakeUp(t *testing.T) {
	each(t, queued, begun, func(t *testing.T, l *bench) {
		timer := l.after(2*time.Hour, nothing)
		synctest.Wait()
		l.after(time.Hour, nothing)
		pass(100 * ms)
		require.True(t, timer.Stop())
		require.Equal(t, 1, l.Len())
		require.Equal(t, 2, l.inside(), "it is still in the structure")
		l.after(ms, nothing)
		pass(100 * ms)
		require.Equal(t, 1, l.inside())
	})
}

func TestWhatTheCancelledReferToIsForgotten(t *testing.T) {
	each(t, append(queued[:len(queued):len(queued)], jdkExecutor, jdkTimer), begun, func(t *testing.T, l *bench) {
		l.after(time.Hour, nothing)
		pass(100 * ms)
		require.False(t, kept(l.stopOneThatRefers(2*time.Hour)))
		require.Equal(t, 1, l.Len())
	})
}

func TestCancelledLeaveTheHeapAtOnce(t *testing.T) {
	each(t, []named{jdkRemove, nats}, begun, func(t *testing.T, l *bench) {
		timer := l.after(time.Minute, nothing)
		synctest.Wait()
		require.True(t, timer.Stop())
		require.Zero(t, l.work().Held)
		require.Empty(t, l.s.(*sequenceHeap[driver.Task]).heap)
		l.looked()
	})
}

func TestCancelledLeaveTheWheel(t *testing.T) {
	each(t, []named{kafka, tokio, linux}, begun, func(t *testing.T, l *bench) {
		var timers []driver.Timer
		for range 10 {
			timers = append(timers, l.after(time.Hour, nothing))
		}
		synctest.Wait()
		for _, timer := range timers {
			require.True(t, timer.Stop())
		}
		require.Zero(t, l.Len())
		pass(2 * time.Hour)
		require.Zero(t, l.work().Slots, "nothing is left to open")
		require.Zero(t, l.work().Cascades)
	})
}

// An hour takes a wheel of few slots some cascades.
func TestSleepsUntilTheNextDeadline(t *testing.T) {
	each(t, sleeping, opened, func(t *testing.T, l *bench) {
		at := l.instants()
		l.after(time.Hour, at.note)
		synctest.Wait()
		before := l.Stats().Wakeups
		pass(59 * time.Minute)
		require.LessOrEqual(t, l.Stats().Wakeups-before, uint64(5))
		pass(10 * time.Minute)
		require.Len(t, at.all(), 1)
	})
}

func TestSlowTaskDelaysThoseBehindIt(t *testing.T) {
	each(t, inline, opened, func(t *testing.T, l *bench) {
		at := l.instants()
		l.after(3*sec, func() { at.note(); time.Sleep(10 * sec) })
		l.after(3300*ms, at.note)
		pass(time.Minute)
		require.Len(t, at.all(), 2)
		require.Equal(t, at.all()[0]+10*sec, at.all()[1])
	})
}

func TestPanicIsLoggedAndTheRestRuns(t *testing.T) {
	for _, p := range everyPreset {
		if p.name == jdkTimer.name {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			in(t, func(t *testing.T) {
				var log journal
				l := open(t, p, driver.WithLogger(log.logger()))
				at := l.instants()
				l.after(sec, explode)
				l.after(sec, at.note)
				l.after(2*sec, at.note)
				pass(3 * sec)
				require.Len(t, at.all(), 2)
				require.Contains(t, log.String(), "value=broken")
			})
		})
	}
}

// repetition is AtFixedRate or WithFixedDelay of a preset.
type repetition func(d *driver.Driver, initial, period time.Duration, f func()) (*Periodic, error)

// repeating is what the presets have that repeat tasks as the JDK does.
type repeating interface {
	AtFixedRate(d *driver.Driver, initial, period time.Duration, f func()) (*Periodic, error)
	WithFixedDelay(d *driver.Driver, initial, period time.Duration, f func()) (*Periodic, error)
}

var repeaters = []named{jdkExecutor, jdkRemove, jdkTimer, nettySchedule}

// eachRepetition runs a test for both ways of repeating of some presets.
func eachRepetition(t *testing.T, presets []named, test func(t *testing.T, l *bench, repeat repetition)) {
	t.Helper()
	for name, way := range map[string]func(repeating) repetition{
		"rate":  func(r repeating) repetition { return r.AtFixedRate },
		"delay": func(r repeating) repetition { return r.WithFixedDelay },
	} {
		t.Run(name, func(t *testing.T) {
			each(t, presets, opened, func(t *testing.T, l *bench) { test(t, l, way(l.preset.(repeating))) })
		})
	}
}

func TestAtFixedRateMakesUpForMissedRuns(t *testing.T) {
	each(t, repeaters, opened, func(t *testing.T, l *bench) {
		at := l.instants()
		must.Get(l.preset.(repeating).AtFixedRate(l.Driver, 500*ms, sec, func() {
			if at.note(); len(at.all()) == 2 {
				time.Sleep(3250 * ms)
			}
		}))(t)
		pass(7 * sec)
		require.Equal(t, []time.Duration{
			500 * ms, 1500 * ms, // takes until
			4750 * ms, 4750 * ms, 4750 * ms, // for 2.5, 3.5 and 4.5 s
			5500 * ms, 6500 * ms}, at.all())
	})
}

func TestWithFixedDelayCountsFromTheEnd(t *testing.T) {
	each(t, []named{jdkExecutor, jdkRemove, nettySchedule}, opened, func(t *testing.T, l *bench) {
		at := l.instants()
		must.Get(l.preset.(repeating).WithFixedDelay(l.Driver, 500*ms, sec, func() { at.note(); time.Sleep(250 * ms) }))(t)
		pass(4 * sec)
		require.Equal(t, []time.Duration{500 * ms, 1750 * ms, 3 * sec}, at.all())
	})
}

func TestJDKTimerWithFixedDelayCountsFromTheBegin(t *testing.T) {
	opened(t, JDKTimer{}, func(t *testing.T, l *bench) {
		at := l.instants()
		must.Get(JDKTimer{}.WithFixedDelay(l.Driver, 500*ms, sec, func() {
			if at.note(); len(at.all()) == 2 {
				time.Sleep(2250 * ms)
			} else {
				time.Sleep(250 * ms)
			}
		}))(t)
		pass(6 * sec)
		require.Equal(t, []time.Duration{500 * ms, 1500 * ms, 3750 * ms, 4750 * ms, 5750 * ms}, at.all())
	})
}

func TestPanicEndsARepetition(t *testing.T) {
	eachRepetition(t, []named{jdkExecutor, jdkRemove, nettySchedule}, func(t *testing.T, l *bench, repeat repetition) {
		at := l.instants()
		r := must.Get(repeat(l.Driver, sec, sec, func() {
			if at.note(); len(at.all()) == 3 {
				panic("broken")
			}
		}))(t)
		pass(time.Minute)
		require.Equal(t, []time.Duration{1 * sec, 2 * sec, 3 * sec}, at.all())
		require.Zero(t, l.Len())
		require.False(t, r.Stop())
	})
}

func TestStopEndsARepetition(t *testing.T) {
	eachRepetition(t, repeaters, func(t *testing.T, l *bench, repeat repetition) {
		at := l.instants()
		r := must.Get(repeat(l.Driver, 0, sec, at.note))(t)
		pass(2500 * ms)
		require.True(t, r.Stop())
		require.False(t, r.Stop())
		require.Zero(t, l.Len())

		var own atomic.Pointer[Periodic]
		r = must.Get(repeat(l.Driver, sec, sec, func() { at.note(); require.True(t, own.Load().Stop()) }))(t)
		own.Store(r)
		pass(time.Minute)
		require.Equal(t, []time.Duration{0, sec, 2 * sec, 3500 * ms}, at.all())
		require.Zero(t, l.Len())
	})
}

func TestStopEndsARepetitionThatWaitsForAThread(t *testing.T) {
	opened(t, JDKExecutor{Threads: 1}, func(t *testing.T, l *bench) {
		at := l.instants()
		l.after(sec, func() { time.Sleep(time.Minute) })
		r := must.Get(JDKExecutor{}.AtFixedRate(l.Driver, 2*sec, sec, at.note))(t)
		pass(10 * sec) // the run is in hand of the worker
		require.True(t, r.Stop())
		pass(2 * time.Minute)
		require.Empty(t, at.all())
	})
}

func TestRepetitionEndsWithItsDriver(t *testing.T) {
	eachRepetition(t, repeaters, func(t *testing.T, l *bench, repeat repetition) {
		r := must.Get(repeat(l.Driver, sec, sec, func() { time.Sleep(sec) }))(t)
		pass(1500 * ms)
		must.Get(l.Close(context.Background()))(t)
		require.False(t, r.Stop())
		_, err := repeat(l.Driver, sec, sec, nothing)
		require.ErrorIs(t, err, driver.ErrClosed)
	})
}

func TestBadRepetitionsAreRefused(t *testing.T) {
	eachRepetition(t, repeaters, func(t *testing.T, l *bench, repeat repetition) {
		_, err := repeat(l.Driver, 0, 0, nothing)
		require.ErrorIs(t, err, driver.ErrPeriod)
		_, err = repeat(l.Driver, 0, -sec, nothing)
		require.ErrorIs(t, err, driver.ErrPeriod)
		_, err = repeat(l.Driver, 0, sec, nil)
		require.ErrorIs(t, err, driver.ErrNilFunc)
		require.Zero(t, l.Len())
	})
}
