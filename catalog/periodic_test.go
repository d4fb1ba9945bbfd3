package catalog

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/internal/must"
)

// repetition is AtFixedRate or WithFixedDelay of a preset.
type repetition func(d *driver.Driver, initial, period time.Duration, f func()) (*Periodic, error)

// repeating is what the presets have that repeat tasks as the JDK does.
type repeating interface {
	AtFixedRate(d *driver.Driver, initial, period time.Duration, f func()) (*Periodic, error)
	WithFixedDelay(d *driver.Driver, initial, period time.Duration, f func()) (*Periodic, error)
}

var repeaters = []named{jdkExecutor, jdkRemove, jdkTimer, nettySchedule}

// eachRepetition runs a test for both ways of repeating of some presets.
func eachRepetition(t *testing.T, presets []named, test func(t *testing.T, p preset, repeat repetition)) {
	for _, p := range presets {
		r := p.preset.(repeating)
		for name, repeat := range map[string]repetition{"rate": r.AtFixedRate, "delay": r.WithFixedDelay} {
			t.Run(p.name+"/"+name, func(t *testing.T) {
				in(t, func(t *testing.T) { test(t, p, repeat) })
			})
		}
	}
}

func TestAtFixedRateMakesUpForMissedRuns(t *testing.T) {
	each(t, repeaters, func(t *testing.T, p preset) {
		l := open(t, p)
		at := l.instants()
		_, err := p.(repeating).AtFixedRate(l.Driver, 500*ms, sec, func() {
			if at.note(); len(at.all()) == 2 {
				time.Sleep(3250 * ms)
			}
		})
		require.NoError(t, err)
		pass(7 * sec)
		require.Equal(t, []time.Duration{
			500 * ms, 1500 * ms, // takes until
			4750 * ms, 4750 * ms, 4750 * ms, // for 2.5, 3.5 and 4.5 s
			5500 * ms, 6500 * ms}, at.all())
	})
}

func TestWithFixedDelayCountsFromTheEnd(t *testing.T) {
	each(t, []named{jdkExecutor, jdkRemove, nettySchedule}, func(t *testing.T, p preset) {
		l := open(t, p)
		at := l.instants()
		must.Get(p.(repeating).WithFixedDelay(l.Driver, 500*ms, sec, func() { at.note(); time.Sleep(250 * ms) }))(t)
		pass(4 * sec)
		require.Equal(t, []time.Duration{500 * ms, 1750 * ms, 3 * sec}, at.all())
	})
}

func TestJDKTimerWithFixedDelayCountsFromTheBegin(t *testing.T) {
	in(t, func(t *testing.T) {
		l := open(t, JDKTimer{})
		at := l.instants()
		_, err := JDKTimer{}.WithFixedDelay(l.Driver, 500*ms, sec, func() {
			if at.note(); len(at.all()) == 2 {
				time.Sleep(2250 * ms)
			} else {
				time.Sleep(250 * ms)
			}
		})
		require.NoError(t, err)
		pass(6 * sec)
		require.Equal(t, []time.Duration{500 * ms, 1500 * ms, 3750 * ms, 4750 * ms, 5750 * ms}, at.all())
	})
}

func TestPanicEndsARepetition(t *testing.T) {
	eachRepetition(t, []named{jdkExecutor, jdkRemove, nettySchedule}, func(t *testing.T, p preset, repeat repetition) {
		l := open(t, p, driver.WithPanicHandler(func(any, []byte) {}))
		at := l.instants()
		r, err := repeat(l.Driver, sec, sec, func() {
			if at.note(); len(at.all()) == 3 {
				panic("broken")
			}
		})
		require.NoError(t, err)
		pass(time.Minute)
		require.Equal(t, []time.Duration{1 * sec, 2 * sec, 3 * sec}, at.all())
		require.Zero(t, l.Len())
		require.False(t, r.Stop())
	})
}

func TestStopEndsARepetition(t *testing.T) {
	eachRepetition(t, repeaters, func(t *testing.T, p preset, repeat repetition) {
		l := open(t, p)
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
	in(t, func(t *testing.T) {
		l := open(t, JDKExecutor{Threads: 1})
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
	eachRepetition(t, repeaters, func(t *testing.T, p preset, repeat repetition) {
		l := open(t, p)
		r := must.Get(repeat(l.Driver, sec, sec, func() { time.Sleep(sec) }))(t)
		pass(1500 * ms)
		must.Get(l.Close(context.Background()))(t)
		require.False(t, r.Stop())
		_, err := repeat(l.Driver, sec, sec, nothing)
		require.ErrorIs(t, err, driver.ErrClosed)
	})
}

func TestBadRepetitionsAreRefused(t *testing.T) {
	eachRepetition(t, repeaters, func(t *testing.T, p preset, repeat repetition) {
		l := open(t, p)
		_, err := repeat(l.Driver, 0, 0, nothing)
		require.ErrorIs(t, err, driver.ErrPeriod)
		_, err = repeat(l.Driver, 0, -sec, nothing)
		require.ErrorIs(t, err, driver.ErrPeriod)
		_, err = repeat(l.Driver, 0, sec, nil)
		require.ErrorIs(t, err, driver.ErrNilFunc)
		require.Zero(t, l.Len())
	})
}
