package harness

import (
	"math/rand/v2"
	"runtime"
	"runtime/debug"
)

// entrant is a contestant in a cell: the series it fills, and its turn.
type entrant struct {
	series *Series
	// turn runs one epoch and returns the iterations and the values measured.
	turn func() (iterations int, values map[string]float64, err error)
	// done frees what the entrant holds. It may be nil.
	done func()
}

// interleave gives each entrant one turn a round, for some rounds. The order is
// a cyclic Latin square over a fresh permutation: in as many rounds as there
// are entrants, each has every position once, so that none is favoured by when
// its turn comes.
func interleave(s *session, rounds int, entrants []*entrant) ([]*Series, error) {
	defer free(entrants)
	r := rand.New(rand.NewPCG(s.plan.Seed, uint64(len(entrants))))
	var order []int
	for round := range rounds {
		if round%len(entrants) == 0 {
			order = r.Perm(len(entrants))
		}
		for i := range entrants {
			if err := s.ctx.Err(); err != nil {
				return nil, err
			}
			e := entrants[order[(i+round)%len(entrants)]]
			iterations, values, err := e.turn()
			if err != nil {
				return nil, err
			}
			e.series.add(iterations, values)
		}
	}
	series := make([]*Series, len(entrants))
	for i, e := range entrants {
		series[i] = e.series
	}
	return series, nil
}

// free frees what entrants hold.
func free(entrants []*entrant) {
	for _, e := range entrants {
		if e.done != nil {
			e.done()
		}
	}
}

// collectGarbage makes the garbage of earlier turns free before one is timed.
// Contestants that allocate would get fresh memory from the system otherwise,
// whose page faults double what time.AfterFunc takes at 100,000 pending.
func collectGarbage() { runtime.GC() }

// withoutGC runs f without garbage collections of its own. What a collection
// costs is measured by Memory.
func withoutGC(f func()) {
	runtime.GC()
	percent := debug.SetGCPercent(-1)
	defer debug.SetGCPercent(percent)
	f()
}
