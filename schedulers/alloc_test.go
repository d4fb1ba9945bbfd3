package schedulers_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/schedulers"
)

// allocLoad is a scheduler whose population is steady.
type allocLoad struct {
	sched   schedulers.Scheduler[uint64]
	rng     *rand.Rand
	longest time.Duration // delay
	ids     []schedulers.ID
	due     [64]uint64
	now     time.Duration
}

func newAllocLoad(t *testing.T, s structure) *allocLoad {
	pending := 10_000
	if s.linear {
		pending = 500
	}
	l := &allocLoad{
		sched:   s.make(t),
		rng:     rand.New(rand.NewPCG(1, 2)),
		longest: time.Duration(2*pending) * time.Millisecond,
		ids:     make([]schedulers.ID, pending),
	}
	for i := range l.ids {
		l.schedule(i)
	}
	return l
}

func (l *allocLoad) schedule(i int) {
	l.ids[i], _ = l.sched.Schedule(l.now+time.Duration(l.rng.Int64N(int64(l.longest))), uint64(i))
}

func (l *allocLoad) expire() {
	l.now += time.Millisecond
	for l.sched.Expire(l.now, l.due[:]) == len(l.due) {
	}
}

// pair cancels a random one of the pending and schedules another.
func (l *allocLoad) pair() {
	i := l.rng.IntN(len(l.ids))
	l.sched.Cancel(l.ids[i])
	l.schedule(i)
}

// cycle schedules one value and moves on by a tick, which takes out one on
// average: with delays of as many ticks on average, as many are pending.
func (l *allocLoad) cycle() {
	l.schedule(l.rng.IntN(len(l.ids)))
	l.expire()
}

// mixed does all of it at once.
func (l *allocLoad) mixed() {
	l.pair()
	l.cycle()
}

// TestSteadyStateAllocatesNothing counts the allocations of many operations at
// a time, not of one, since the count for a run is rounded down.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	const warmUp, batch, runs = 100_000, 10_000, 5
	for _, s := range structures() {
		for name, operate := range map[string]func(*allocLoad){
			"pair": (*allocLoad).pair, "cycle": (*allocLoad).cycle, "mixed": (*allocLoad).mixed,
		} {
			t.Run(s.name+"/"+name, func(t *testing.T) {
				l := newAllocLoad(t, s)
				for range warmUp {
					operate(l)
				}
				require.Zero(t, testing.AllocsPerRun(runs, func() {
					for range batch {
						operate(l)
					}
				}))
			})
		}
	}
}
