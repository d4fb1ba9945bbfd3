package driver_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"schedbench/driver"
	"schedbench/hierwheel"
	"schedbench/schedulers"
	"schedbench/singlewheel"
)

// empty is a scheduler that keeps nothing, which shows what the driver itself costs, and the clock.
type empty struct{}

func (empty) Schedule(time.Duration, driver.Task) (schedulers.ID, error) { return 1, nil }
func (empty) Cancel(schedulers.ID) bool                                  { return true }
func (empty) Reset(schedulers.ID, time.Duration) (bool, error)           { return true, nil }
func (empty) Expire(time.Duration, []driver.Task) int                    { return 0 }
func (empty) Next() (time.Duration, bool)                                { return 0, false }
func (empty) Len() int                                                   { return 0 }

// eachSize runs a benchmark with so many pending, of every variant that takes the
// delays, but for those whose insertion is linear.
func eachSize(b *testing.B, of func(b *testing.B, pending int, s variant), runtime func(b *testing.B, pending int)) {
	far := variant{name: "singlewheel", make: wheel(singlewheel.New[driver.Task], 10*time.Millisecond, 1<<20)}
	none := variant{name: "empty", make: func() schedulers.Scheduler[driver.Task] { return empty{} }}
	for _, pending := range []int{1e3, 1e5} {
		for _, s := range append(allVariants(), far, none) {
			if s.name == "plain" || s.name == "listsched" || s.horizon > 0 && s.horizon < 3*time.Hour {
				continue
			}
			b.Run(fmt.Sprintf("impl=%s/pending=%d", s.name, pending), func(b *testing.B) { of(b, pending, s) })
		}
		b.Run(fmt.Sprintf("impl=time.AfterFunc/pending=%d", pending), func(b *testing.B) { runtime(b, pending) })
	}
}

// BenchmarkPair is the life of most timers: one is stopped and another made, among many. One operation is the pair.
func BenchmarkPair(b *testing.B) {
	eachSize(b,
		func(b *testing.B, pending int, s variant) { pairs(b, pending, 1, scheduling(b, s)) },
		func(b *testing.B, pending int) { pairs(b, pending, 1, runtimeTimer) })
}

// BenchmarkReset gives one of many another deadline.
func BenchmarkReset(b *testing.B) {
	eachSize(b,
		func(b *testing.B, pending int, s variant) {
			changes(b, pending, 1, scheduling(b, s), func(t *driver.Timer, delay time.Duration) {
				if ok, err := t.ResetPending(delay); !ok || err != nil {
					b.Error(ok, err)
				}
			})
		},
		func(b *testing.B, pending int) {
			changes(b, pending, 1, runtimeTimer, func(t **time.Timer, delay time.Duration) { (*t).Reset(delay) })
		})
}

// BenchmarkPairParallel has several goroutines do so at once, each with timers
// of its own. One operation is a pair of one of them.
func BenchmarkPairParallel(b *testing.B) {
	hier := wheel(hierwheel.New[driver.Task], time.Millisecond, 256)
	inboxes := map[string]driver.Inbox{
		"locked": driver.Locked{},
		"queued": driver.Queued{},
		"sharded": driver.Sharded{Shards: 8, New: func() (schedulers.Scheduler[driver.Task], error) {
			return hier(), nil
		}},
	}
	for _, pending := range []int{1e3, 1e5} {
		for _, goroutines := range []int{1, 2, 4, 16} {
			for _, name := range []string{"locked", "sharded", "queued"} {
				b.Run(fmt.Sprintf("impl=hierwheel/pending=%d/inbox=%s/goroutines=%d", pending, name, goroutines), func(b *testing.B) {
					pairs(b, pending, goroutines, scheduling(b, variant{make: hier}, driver.WithInbox(inboxes[name])))
				})
			}
			b.Run(fmt.Sprintf("impl=time.AfterFunc/pending=%d/goroutines=%d", pending, goroutines), func(b *testing.B) {
				pairs(b, pending, goroutines, runtimeTimer)
			})
		}
	}
}

// scheduling returns AfterFunc of a driver that ends with the benchmark.
func scheduling(b *testing.B, s variant, opts ...driver.Option) func(time.Duration) driver.Timer {
	d, err := driver.Start(s.make(), opts...)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { d.Close(context.Background()) })
	return func(delay time.Duration) driver.Timer {
		timer, err := d.AfterFunc(delay, nothing)
		if err != nil {
			b.Error(err)
		}
		return timer
	}
}

func runtimeTimer(delay time.Duration) *time.Timer { return time.AfterFunc(delay, nothing) }

func pairs[T interface{ Stop() bool }](b *testing.B, pending, goroutines int, schedule func(time.Duration) T) {
	changes(b, pending, goroutines, schedule, func(t *T, delay time.Duration) {
		(*t).Stop()
		*t = schedule(delay)
	})
}

// changes has each goroutine make timers and change some of them.
func changes[T any](
	b *testing.B, pending, goroutines int, schedule func(time.Duration) T, change func(*T, time.Duration),
) {
	plays := make([]func(times int), goroutines)
	for g := range plays {
		plays[g] = player(pending/goroutines, schedule, change)
	}
	b.ReportAllocs()
	var group sync.WaitGroup
	b.ResetTimer()
	for _, play := range plays {
		group.Go(func() { play(b.N / goroutines) })
	}
	group.Wait()
}

// player makes timers and returns a function that changes some of them, in random order over the whole range: a short cycle
// of indexes would stay in cache and flatter. Delays are uniform over an hour and do not come due while a benchmark runs.
func player[T any](pending int, schedule func(time.Duration) T, change func(*T, time.Duration)) func(times int) {
	r := rand.New(rand.NewPCG(1, 2))
	order, delays := r.Perm(pending), make([]time.Duration, 1<<16)
	for i := range delays {
		delays[i] = time.Hour + time.Second + time.Duration(r.Int64N(int64(time.Hour-time.Second)))
	}
	timers := make([]T, pending)
	for i := range timers {
		timers[i] = schedule(delays[i%len(delays)])
	}
	n := 0
	play := func(times int) {
		for range times {
			change(&timers[order[n%pending]], delays[n%len(delays)])
			n++
		}
	}
	play(2 * pending) // as many as lazy cancellation needs to begin a sweep and to complete it
	return play
}
