package driver_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/hierwheel"
	"schedbench/internal/must"
	"schedbench/schedulers"
)

func TestLongestDelay(t *testing.T) {
	live(t, func(t *testing.T, s variant) {
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
	live(t, func(t *testing.T, s variant) {
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

func TestStartRefuses(t *testing.T) {
	for _, opts := range [][]driver.Option{nil, {driver.WithInbox(driver.Queued{})}} {
		_, err := driver.Start(nil, opts...)
		require.ErrorIs(t, err, driver.ErrScheduler)
	}
	used := newPlain()
	must.Get(used.Schedule(1, driver.Task{}))(t)
	_, err := driver.Start(used)
	require.ErrorIs(t, err, driver.ErrScheduler)
	require.ErrorContains(t, err, "1 values")

	broken := errors.New("broken")
	shards := func(n int, s schedulers.Scheduler[driver.Task], err error) driver.Option {
		return driver.WithInbox(driver.Sharded{Shards: n, New: func() (schedulers.Scheduler[driver.Task], error) { return s, err }})
	}
	for want, opts := range map[error][]driver.Option{
		broken:              {shards(2, nil, broken)},
		driver.ErrScheduler: {shards(2, used, nil), shards(2, nil, nil)},
		schedulers.ErrTick:  {driver.WithWaking(driver.FixedTick(0)), driver.WithWaking(driver.FixedTick(-time.Second))},
		driver.ErrOption: {
			driver.WithWaking(nil), driver.WithRunning(nil), driver.WithWaiting(nil), driver.WithInbox(nil),
			driver.WithSlack(-1), driver.WithMaxPending(-1),
			driver.WithRunning(driver.Pool{}), driver.WithRunning(driver.Pool{Workers: 1, Queue: -1}),
			driver.WithRunning(driver.Pool{Workers: 1, Full: 99}),
			driver.WithInbox(driver.Sharded{}), driver.WithInbox(driver.Sharded{Shards: 2}),
			shards(-1, nil, nil), shards(0, nil, nil), shards(1<<10+1, nil, nil),
			driver.WithInbox(driver.Queued{PerWakeup: -1}), driver.WithWaking(driver.SkipAtLeast(0)),
		},
	} {
		for _, opt := range opts {
			d, err := driver.Start(newPlain(), opt)
			require.ErrorIs(t, err, want)
			require.Nil(t, d)
		}
	}
	start(t, newPlain(), shards(1, nil, nil)) // needs no New
}

// A scheduler has one driver, for good.
func TestStartRefusesASecondDriver(t *testing.T) {
	live(t, func(t *testing.T, s variant) {
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
		_, err := driver.Start(one, driver.WithInbox(driver.Sharded{Shards: 2, New: func() (schedulers.Scheduler[driver.Task], error) { return one, nil }}))
		require.ErrorIs(t, err, driver.ErrScheduler, "one scheduler for two shards")
	})
}

// A wheel that is later the farther a deadline is from its clock gets the time
// before it is given one, however long the worker has slept.
func TestLatenessCountsFromThePresent(t *testing.T) {
	noCascade := variant{name: "nocascade", make: func() schedulers.Scheduler[driver.Task] {
		return must.Get(hierwheel.NewNoCascade[driver.Task](time.Millisecond, 64, 8))(t)
	}}
	for _, s := range []variant{noCascade, sharded(noCascade), queued(noCascade, 0)} {
		t.Run(s.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := s.start(t)
				after(t, d, 100*time.Hour, nothing)
				pass(time.Hour + 1234567)
				for _, delay := range []time.Duration{10 * time.Millisecond, 60 * time.Millisecond} {
					began := time.Now()
					var late time.Duration
					timer := after(t, d, time.Minute, func() { late = time.Since(began) - delay })
					require.True(t, reset(t, timer, delay))
					pass(time.Minute)
					require.Less(t, late, time.Millisecond, "%v", delay)
					require.GreaterOrEqual(t, late, time.Duration(0), "%v", delay)
				}
			})
		})
	}
}

// In steady state nothing allocates: not scheduling, stopping or resetting, nor
// the way of a task through the worker, nor a repetition.
func TestNoAllocations(t *testing.T) {
	live(t, func(t *testing.T, s variant) {
		d := s.start(t)
		many(t, d, 1000, time.Minute)
		ran := 0
		task := func() { ran++ }
		work := func() {
			for i := range 600 {
				timer, _ := d.AfterFunc(time.Duration(i%4)*ms, task)
				if i%3 > 0 {
					timer.ResetPending(2 * ms)
				}
				if i%3 > 1 {
					timer.Stop()
				}
				if i%100 == 0 {
					synctest.Wait()
				}
			}
			pass(10*ms + s.tick)
		}
		for range 5 { // until there are as many records as it takes
			work()
		}
		require.Zero(t, testing.AllocsPerRun(20, work), "AfterFunc, ResetPending, Stop and inline runs")
		require.GreaterOrEqual(t, ran, 26*400)
		ran = 0
		r := every(t, d, false, s.tick, task)
		require.Zero(t, testing.AllocsPerRun(200, func() { pass(s.tick) }), "a repetition")
		require.GreaterOrEqual(t, ran, 90)
		require.True(t, r.Stop())
	})
}

// After a burst, in whatever order it was stopped, a single timer allocates nothing.
func TestNoAllocationsAfterABurst(t *testing.T) {
	orders := map[string]func([]driver.Timer){
		"reverse": slices.Reverse[[]driver.Timer],
		"random":  func(all []driver.Timer) { rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] }) },
	}
	for _, s := range chosen("heapsched", "heapsched-sharded", "hierwheel-queued") {
		for order, arrange := range orders {
			for name, opts := range map[string][]driver.Option{"": nil, "/at-once": {driver.WithAtOnce()}} {
				t.Run(s.name+"/"+order+name, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						d := s.start(t, opts...)
						timers := many(t, d, 20_000, time.Hour)
						arrange(timers)
						for _, timer := range timers {
							require.True(t, timer.Stop())
						}
						require.Zero(t, testing.AllocsPerRun(1000, func() {
							timer, _ := d.AfterFunc(time.Hour, nothing)
							timer.Stop()
						}), "AfterFunc, Stop")
						require.Zero(t, testing.AllocsPerRun(1000, func() {
							d.AfterFunc(time.Millisecond, nothing)
							pass(time.Millisecond)
						}), "AfterFunc and an inline run")
					})
				})
			}
		}
	}
}

func TestEachRowOfTheTableHasATest(t *testing.T) {
	doc := must.Get(os.ReadFile("doc.go"))(t)
	files := must.Get(filepath.Glob("*_test.go"))(t)
	var tests strings.Builder
	for _, file := range files {
		tests.Write(must.Get(os.ReadFile(file))(t))
	}
	rows := regexp.MustCompile(`(?m)^//\t[^|\n]+\|[^|\n]+\| (Test\w+)$`).FindAllStringSubmatch(string(doc), -1)
	require.Len(t, rows, 19)
	for _, row := range rows {
		require.Contains(t, tests.String(), "\nfunc "+row[1]+"(", row[0])
	}
}
