package driver_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/internal/must"
	"schedbench/schedulers"
)

func TestFiresOnTheInstant(t *testing.T) {
	live(t, func(t *testing.T, s subject) {
		d := s.start(t)
		began := time.Now()
		var last time.Duration
		fired := 0
		for range 2000 {
			pass(rand.N(3 * time.Millisecond))
			deadline := time.Since(began) + rand.N(5*time.Second)
			after(t, d, deadline-time.Since(began), func() {
				now := time.Since(began)
				require.Equal(t, s.rounded(deadline), now, "deadline %v", deadline)
				require.GreaterOrEqual(t, now, last)
				last = now
				fired++
			})
		}
		pass(6 * time.Second)
		require.Equal(t, 2000, fired)
		require.Zero(t, d.Len())
	})
}

func TestDueAtOnce(t *testing.T) {
	live(t, func(t *testing.T, s subject) {
		d := s.start(t)
		pass(s.tick * 10)
		for _, delay := range []time.Duration{0, -1, math.MinInt64} {
			began, fired := time.Now(), false
			after(t, d, delay, func() {
				fired = true
				require.Less(t, time.Since(began), max(s.tick, 1))
			})
			pass(s.tick)
			require.True(t, fired, "delay %d", delay)
		}
	})
}

func TestLongestDelay(t *testing.T) {
	live(t, func(t *testing.T, s subject) {
		d := s.start(t)
		pass(time.Second)
		timer, err := d.AfterFunc(math.MaxInt64, nothing)
		if s.horizon > 0 {
			require.ErrorIs(t, err, schedulers.ErrBeyondHorizon)
			require.Zero(t, d.Len())
			return
		}
		require.NoError(t, err)
		pass(24 * time.Hour)
		require.Equal(t, 1, d.Len())
		require.Zero(t, d.Stats().Fired)
		require.True(t, timer.Stop())
	})
}

// Tasks of one instant begin in one go, more than a batch of them included.
func TestManyOfOneInstant(t *testing.T) {
	live(t, func(t *testing.T, s subject) {
		d := s.start(t)
		fired := 0
		for range 1000 {
			after(t, d, time.Second, func() { fired++ })
		}
		synctest.Wait() // the worker has seen the first of them
		before := d.Stats()
		pass(time.Second)
		require.Equal(t, 1000, fired)
		if !s.cascades && !s.few {
			require.Equal(t, before.Wakeups+1, d.Stats().Wakeups)
		}
	})
}

func second(_ []driver.Unfired, err error) error { return err }

func TestNilFunc(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := start(t, newPlain())
		timer, err := d.AfterFunc(0, nil)
		require.ErrorIs(t, err, driver.ErrNilFunc)
		require.Zero(t, timer)
		require.Zero(t, d.Len())
	})
}

func TestStartRefuses(t *testing.T) {
	_, err := driver.Start(nil)
	require.ErrorIs(t, err, driver.ErrScheduler)

	_, err = driver.Start(nil, driver.WithInbox(driver.Queued{}))
	require.ErrorIs(t, err, driver.ErrScheduler)

	used := newPlain()
	must.Get(used.Schedule(1, driver.Task{}))(t)
	_, err = driver.Start(used)
	require.ErrorIs(t, err, driver.ErrScheduler)
	require.ErrorContains(t, err, "1 values")

	for want, opts := range map[error][]driver.Option{
		schedulers.ErrTick: {
			driver.WithWaking(driver.FixedTick(0)),
			driver.WithWaking(driver.FixedTick(-time.Second)),
		},
		driver.ErrOption: {
			driver.WithWaking(nil), driver.WithRunning(nil), driver.WithWaiting(nil), driver.WithInbox(nil),
			driver.WithSlack(-1), driver.WithMaxPending(-1), driver.WithPauseHandler(0, func(driver.Pause) {}),
			driver.WithRunning(driver.Pool{}), driver.WithRunning(driver.Pool{Workers: 1, Queue: -1}),
			driver.WithRunning(driver.Pool{Workers: 1, Full: 99}),
			driver.WithInbox(driver.Sharded{}), driver.WithInbox(driver.Sharded{Shards: 2}),
			driver.WithInbox(driver.Queued{PerWakeup: -1}), driver.WithWaking(driver.SkipAtLeast(0)),
		},
	} {
		for _, opt := range opts {
			_, err := driver.Start(newPlain(), opt)
			require.ErrorIs(t, err, want)
		}
	}
}

// A scheduler has one driver, for good.
func TestStartRefusesASecondDriver(t *testing.T) {
	live(t, func(t *testing.T, s subject) {
		one := s.make()
		if _, ok := one.(schedulers.Claimer); !ok {
			require.IsType(t, newPlain(), one, "all but the plain one notice")
			t.Skip("notices nothing")
		}
		first := must.Get(driver.Start(one, s.options()...))(t)
		for range 2 {
			second, err := driver.Start(one, s.options()...)
			require.ErrorIs(t, err, driver.ErrScheduler)
			require.ErrorContains(t, err, "given to Start before")
			require.Nil(t, second)
			first.CloseNow()
		}
		one = s.make()
		_, err := driver.Start(one, driver.WithInbox(driver.Sharded{
			Shards: 2, New: func() (schedulers.Scheduler[driver.Task], error) { return one, nil },
		}))
		require.ErrorIs(t, err, driver.ErrScheduler, "one scheduler for two shards")
	})
}
