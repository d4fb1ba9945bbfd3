package schedulers_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"schedbench/catalog"
	"schedbench/harness"
	"schedbench/schedulers"
)

const (
	benchHorizon = time.Hour // of the single wheel, and the longest delay

	// draws is how many pairs of a pick and a delay are drawn beforehand: enough
	// that those of a million are spread over all of them.
	draws = 1 << 20

	// linearLimit is the largest population for a structure whose insertion is linear.
	linearLimit = 10_000
)

// benchmarked returns all schedulers, the baseline that is one, and the empty
// one, which shows what the loop itself costs.
func benchmarked() []structure {
	all := []structure{{name: "empty", new: func(harness.Geometry) (schedulers.Scheduler[uint64], error) {
		return &nothing{}, nil
	}}}
	for _, c := range catalog.All() {
		if c.New != nil {
			all = append(all, structure{c.Name, c.LinearInsert, c.New})
		}
	}
	return all
}

// nothing keeps nothing.
type nothing struct{ n int }

func (s *nothing) Schedule(time.Duration, uint64) (schedulers.ID, error) { s.n++; return 1, nil }
func (s *nothing) Cancel(schedulers.ID) bool                             { s.n--; return true }
func (s *nothing) Expire(time.Duration, []uint64) int                    { return 0 }
func (s *nothing) Next() (time.Duration, bool)                           { return 0, false }
func (s *nothing) Len() int                                              { return s.n }

// eachScheduler runs a benchmark of everything that is a scheduler, at each number pending up to the largest. Names have the
// form that benchstat splits.
func eachScheduler(b *testing.B, delay string, largest int, run func(b *testing.B, s schedulers.Scheduler[uint64], n int)) {
	for _, st := range benchmarked() {
		for n := 1_000; n <= largest && !(st.linear && n > linearLimit); n *= 10 {
			b.Run(fmt.Sprintf("impl=%s/pending=%d/delay=%s", st.name, n, delay), func(b *testing.B) {
				s, err := st.new(harness.Geometry{Tick: time.Millisecond, Horizon: benchHorizon})
				if err != nil {
					b.Fatal(err)
				}
				run(b, s, n)
			})
		}
	}
}

// draw is one of the pending, and how long its successor is to wait. It is small
// so that reading one after the other leaves the cache to what is measured.
type draw struct {
	pick   uint32
	micros uint32
}

func (d *draw) delay() time.Duration { return time.Duration(d.micros) * time.Microsecond }

// drawn returns draws from the whole of a population, since those from a part of it would be found in the cache; delays
// are uniform from one second to benchHorizon.
func drawn(n int) []draw {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	ds := make([]draw, draws)
	for i := range ds {
		delay := time.Second + time.Duration(rng.Int64N(int64(benchHorizon-time.Second)))
		ds[i] = draw{uint32(rng.IntN(n)), uint32(delay / time.Microsecond)}
	}
	return ds
}

// BenchmarkPair cancels a random one of the pending and schedules another. A bare scheduler has no
// clock, lock or goroutine: time.AfterFunc, which has, is beside the drivers in package driver.
func BenchmarkPair(b *testing.B) {
	eachScheduler(b, "uniform", 1_000_000, func(b *testing.B, s schedulers.Scheduler[uint64], n int) {
		ds := drawn(n)
		ids := make([]schedulers.ID, n)
		for i := range ids {
			ids[i], _ = s.Schedule(ds[i%draws].delay(), uint64(i))
		}
		pair := func(i int) {
			d := &ds[i&(draws-1)]
			s.Cancel(ids[d.pick])
			ids[d.pick], _ = s.Schedule(d.delay(), uint64(i))
		}
		for i := range n { // fresh timers lie in memory in the order of insertion
			pair(i)
		}
		for i := 0; b.Loop(); i++ {
			pair(i)
		}
	})
}

// BenchmarkInsert fills an emptied scheduler, again and again. Cancelling is not
// timed, but the memory that went back meanwhile has to be had anew.
func BenchmarkInsert(b *testing.B) {
	eachScheduler(b, "uniform", 1_000_000, func(b *testing.B, s schedulers.Scheduler[uint64], n int) {
		ds := drawn(n)
		ids := make([]schedulers.ID, n)
		for b.Loop() {
			for i := range ids {
				ids[i], _ = s.Schedule(ds[i&(draws-1)].delay(), uint64(i))
			}
			b.StopTimer()
			for _, id := range ids {
				s.Cancel(id)
			}
			b.StartTimer()
		}
		reportPerTimer(b, n)
	})
}

// BenchmarkExpire schedules a population that is due within a minute, and runs it out with one Expire for each
// millisecond. With few pending the cost is mostly that of the ticks that nothing is due at.
func BenchmarkExpire(b *testing.B) {
	eachScheduler(b, "minute", 100_000, func(b *testing.B, s schedulers.Scheduler[uint64], n int) {
		ds := drawn(n)
		var due [256]uint64
		for start := time.Duration(0); b.Loop(); start += time.Minute {
			for i := range n {
				s.Schedule(start+ds[i&(draws-1)].delay()%time.Minute, uint64(i))
			}
			for tick := range time.Minute / time.Millisecond {
				for s.Expire(start+(tick+1)*time.Millisecond, due[:]) == len(due) {
				}
			}
		}
		reportPerTimer(b, n)
	})
}

// reportPerTimer reports the time for each timer instead of that for each run over all of them.
func reportPerTimer(b *testing.B, n int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/timer")
	b.ReportMetric(0, "ns/op")
}
