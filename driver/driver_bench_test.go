package driver_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"schedbench/driver"
)

// shuffled yields numbers below n in random order over the whole range: a short
// cycle of indexes would stay in cache and flatter.
func shuffled(n int) func() int {
	order := rand.New(rand.NewPCG(1, 2)).Perm(n)
	i := 0
	return func() int {
		if i++; i == n {
			i = 0
		}
		return order[i]
	}
}

// delays yields delays that are uniform over an hour and do not come due while
// a benchmark runs.
func delays() func() time.Duration {
	const n = 1 << 16
	r := rand.New(rand.NewPCG(3, 4))
	drawn := make([]time.Duration, n)
	for i := range drawn {
		drawn[i] = time.Hour + time.Second + time.Duration(r.Int64N(int64(time.Hour-time.Second)))
	}
	i := 0
	return func() time.Duration {
		i++
		return drawn[i%n]
	}
}

// BenchmarkPair is the life of most timers: one is stopped and another made,
// among many. One operation is the pair.
func BenchmarkPair(b *testing.B) {
	for _, pending := range []int{1e3, 1e5} {
		for _, s := range subjects() {
			if s.name == "plain" || s.name == "listsched" || s.horizon > 0 && s.horizon < 3*time.Hour {
				continue
			}
			b.Run(fmt.Sprintf("impl=%s/pending=%d", s.name, pending), func(b *testing.B) {
				d, err := driver.Start(s.make())
				if err != nil {
					b.Fatal(err)
				}
				defer d.Close(context.Background())
				pairs(b, pending, func(delay time.Duration) driver.Timer {
					timer, err := d.AfterFunc(delay, nothing)
					if err != nil {
						b.Fatal(err)
					}
					return timer
				})
			})
		}
		b.Run(fmt.Sprintf("impl=time.AfterFunc/pending=%d", pending), func(b *testing.B) {
			pairs(b, pending, func(delay time.Duration) *time.Timer {
				return time.AfterFunc(delay, nothing)
			})
		})
	}
}

func pairs[T interface{ Stop() bool }](b *testing.B, pending int, schedule func(time.Duration) T) {
	next, delay := shuffled(pending), delays()
	timers := make([]T, pending)
	for i := range timers {
		timers[i] = schedule(delay())
	}
	b.ReportAllocs()
	for b.Loop() {
		i := next()
		timers[i].Stop()
		timers[i] = schedule(delay())
	}
	b.StopTimer()
	for _, timer := range timers {
		timer.Stop()
	}
}
