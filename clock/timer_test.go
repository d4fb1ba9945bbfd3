package clock_test

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/driver"
	"schedbench/internal/must"
)

// step is one of what a program does with its timers.
type step struct {
	Do    string
	Timer int
	Delay time.Duration
}

// steps draws what to do. Instants are even nanoseconds and deadlines odd ones, for two things of
// one instant have no order.
func steps(do ...string) *rapid.Generator[[]step] {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
		return step{
			Do:    rapid.SampledFrom(do).Draw(t, "do"),
			Timer: rapid.IntRange(0, 2).Draw(t, "timer"),
			Delay: rapid.Custom(func(t *rapid.T) time.Duration {
				return time.Duration(rapid.IntRange(0, 9).Draw(t, "ms")) * ms
			}).Draw(t, "delay"),
		}
	}), 1, 40)
}

// timer is what time.Timer and Timer have in common.
type timer interface {
	Stop() bool
	Reset(time.Duration) bool
}

// follow does the steps, and returns what a program sees: what a call returned, the value that it read, and a state.
func follow(todo []step, c <-chan time.Time, stop, reset func(step) any, state func() any) (seen []string) {
	began := time.Now()
	for _, s := range todo {
		var result any
		switch s.Do {
		case "wait":
			time.Sleep(s.Delay)
		case "stop":
			result = stop(s)
		case "reset":
			result = reset(s)
		case "read":
			select {
			case v := <-c:
				result = v.Sub(began)
			default:
			}
		}
		time.Sleep(2 * time.Nanosecond)
		synctest.Wait()
		seen = append(seen, fmt.Sprint(s, result, state()))
	}
	return seen
}

// play does the steps in a bubble of their own, and returns what a program sees of them.
func play(t *testing.T, todo []step, of func(t *testing.T) (after func(time.Duration, func()) timer, channel func(time.Duration) (timer, <-chan time.Time))) (seen []string) {
	synctest.Test(t, func(t *testing.T) {
		after, channel := of(t)
		began := time.Now()
		var mu sync.Mutex // timers of package time have goroutines of their own
		var ran [2][]time.Duration
		timers := make([]timer, 3)
		for i := range ran {
			timers[i] = after(5*ms+1, func() {
				mu.Lock()
				defer mu.Unlock()
				ran[i] = append(ran[i], time.Since(began))
			})
		}
		var c <-chan time.Time
		timers[2], c = channel(5*ms + 1)
		seen = follow(todo, c,
			func(s step) any { return timers[s.Timer].Stop() },
			func(s step) any { return timers[s.Timer].Reset(s.Delay - ms + 1) },
			func() any {
				mu.Lock()
				defer mu.Unlock()
				return fmt.Sprint(ran)
			})
		for _, t := range timers {
			t.Stop()
		}
	})
	return seen
}

// Package time is the model: the same steps, seen alike.
func TestAsTime(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		todo := steps("wait", "stop", "reset", "read").Draw(r, "steps")
		want := play(t, todo, func(*testing.T) (func(time.Duration, func()) timer, func(time.Duration) (timer, <-chan time.Time)) {
			return func(d time.Duration, f func()) timer { return time.AfterFunc(d, f) },
				func(d time.Duration) (timer, <-chan time.Time) { t := time.NewTimer(d); return t, t.C }
		})
		got := play(t, todo, func(t *testing.T) (func(time.Duration, func()) timer, func(time.Duration) (timer, <-chan time.Time)) {
			c := over(t)
			return func(d time.Duration, f func()) timer { return c.AfterFunc(d, f) },
				func(d time.Duration) (timer, <-chan time.Time) { t := c.NewTimer(d); return t, t.C }
		})
		require.Equal(r, want, got)
	})
}

func playTicker(t *testing.T, todo []step, of func(t *testing.T) (reset func(time.Duration), stop func(), c <-chan time.Time)) (seen []string) {
	synctest.Test(t, func(t *testing.T) {
		reset, stop, c := of(t)
		defer stop()
		seen = follow(todo, c,
			func(step) any { stop(); return nil },
			func(s step) any { reset(s.Delay + 1); return nil },
			func() any { return nil })
	})
	return seen
}

func TestTickerAsTime(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		todo := steps("wait", "wait", "stop", "reset", "read", "read").Draw(r, "steps")
		for i := range todo {
			todo[i].Delay = max(todo[i].Delay, ms)
		}
		want := playTicker(t, todo, func(*testing.T) (func(time.Duration), func(), <-chan time.Time) {
			k := time.NewTicker(4*ms + 1)
			return k.Reset, k.Stop, k.C
		})
		got := playTicker(t, todo, func(t *testing.T) (func(time.Duration), func(), <-chan time.Time) {
			k := over(t).NewTicker(4*ms + 1)
			return k.Reset, k.Stop, k.C
		})
		require.Equal(r, want, got)
	})
}

func TestTickerRefusesNoPeriod(t *testing.T) {
	c := over(t)
	require.PanicsWithValue(t, "clock: period of a Ticker is 0s, want more than 0", func() { c.NewTicker(0) })
}

func TestASlowTaskDelaysNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := over(t)
		slow := make(chan struct{})
		c.AfterFunc(ms, func() { <-slow })
		began := time.Now()
		<-c.After(2 * ms)
		require.Equal(t, 2*ms, time.Since(began))
		close(slow)
	})
}

func TestChannelDeparts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, c := held(t, driver.WithSlack(ms))
		require.Equal(t, 1, cap(c.NewTimer(2*ms).C))
		require.Equal(t, 1, d.Len(), "though nothing refers to it")
		began := time.Now()
		late := c.NewTimer(ms)
		time.Sleep(5 * ms)
		require.Equal(t, 2*ms, (<-late.C).Sub(began), "late by the slack, and says so")
		require.Zero(t, d.Len())
	})
}

func TestRefusedGoesToTheRuntime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c := held(t, driver.WithMaxPending(1))
		first, second := c.NewTimer(3*ms), c.NewTimer(2*ms)
		require.EqualValues(t, 1, c.Refused())
		require.True(t, second.Reset(ms), "still the runtime's")
		began := time.Now()
		<-second.C
		require.Equal(t, ms, time.Since(began))
		require.True(t, c.NewTimer(time.Hour).Stop())
		require.True(t, first.Stop())
		second.Reset(ms)
		<-second.C
		require.EqualValues(t, 3, c.Refused(), "none since the first was stopped")
	})
}

func TestCloseLosesThePending(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, c := held(t)
		lost := c.NewTimer(ms)
		require.Len(t, must.Get(d.Close(t.Context()))(t), 1)
		time.Sleep(time.Second)
		require.Empty(t, lost.C)
		lost.Reset(ms) // and from then on the runtime has it
		<-lost.C
		require.EqualValues(t, 1, c.Refused())
	})
}

// Goroutines stop and reset one timer while it fires: after a Stop nothing is received.
func TestNoStaleValueUnderRace(t *testing.T) {
	c := over(t)
	k := c.NewTimer(0)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 1000 {
			k.Reset(time.Microsecond)
		}
	}()
	for range 1000 {
		k.Reset(0)
		k.Stop()
	}
	<-done
	k.Stop()
	<-c.After(5 * ms)
	require.Empty(t, k.C)
}
