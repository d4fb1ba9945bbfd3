package schedulers_test

import (
	"math/bits"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/fifosched"
	"schedbench/harness"
	"schedbench/heapsched"
	"schedbench/internal/buckets"
	"schedbench/internal/lists"
	"schedbench/internal/must"
	"schedbench/internal/store"
	"schedbench/schedulers"
	"schedbench/singlewheel"
)

// maxUpkeep is how many steps a call does for others at most, as the packages state.
var maxUpkeep = map[string]uint64{
	"heapsched":   heapsched.MaxUpkeep,
	"listsched":   store.MaxUpkeep,
	"singlewheel": singlewheel.MaxUpkeep,
	"roundswheel": buckets.MaxUpkeep,
	"hierwheel":   buckets.MaxUpkeep,
	"fifosched":   fifosched.MaxUpkeep,
}

// maxOwn returns how many steps Schedule, Cancel and Reset take for their own timer: only a heap with n timers has to
// move others, and queues of which one begins anew. A list that is scheduled at the end of is not searched.
func maxOwn(name string, n int) (w schedulers.Work) {
	depth := uint64(bits.Len(uint(n)))
	switch name {
	case "heapsched":
		w = schedulers.Work{Levels: depth, Moves: depth + 1, Visits: 16 * depth, Held: 1}
	case "fifosched":
		w = schedulers.Work{Levels: 2 * depth, Moves: 2*depth + 2, Visits: depth}
	}
	return w
}

// larger returns the larger of each count.
func larger(a, b schedulers.Work) schedulers.Work {
	return schedulers.Work{
		Visits: max(a.Visits, b.Visits), Moves: max(a.Moves, b.Moves), Levels: max(a.Levels, b.Levels),
		Slots: max(a.Slots, b.Slots), Cascades: max(a.Cascades, b.Cascades), Swept: max(a.Swept, b.Swept),
		Upkeep: max(a.Upkeep, b.Upkeep), Held: max(a.Held, b.Held),
	}
}

// grow schedules until n are pending, and resets one of two meanwhile.
func (b *burst) grow(t *testing.T, n int) {
	re := b.sched.(schedulers.Resetter)
	for i := len(b.ids); i < n; i++ {
		b.ids = append(b.ids, 0)
		if b.schedule(t, i); i%2 == 0 {
			deadline := b.deadline()
			b.counted(func() { re.Reset(b.ids[b.rng.IntN(i+1)], deadline) })
		}
	}
}

// TestNoCallPaysForOthers grows, shrinks to a tenth, replaces what is left, grows again, and runs out. No Schedule,
// Cancel or Reset does more steps for others than its package states; an Expire does as many for each value at most.
func TestNoCallPaysForOthers(t *testing.T) {
	n := 100_000
	if testing.Short() {
		n = 30_000
	}
	for _, s := range structures() {
		for name, leaves := range leftovers {
			t.Run(s.name+"/"+name, func(t *testing.T) {
				b := newBurst(t, s, 0)
				b.meter = b.sched.(schedulers.Meter)
				for range 2 {
					b.grow(t, n)
					b.shrink(t, n/10, leaves)
					b.replaceAll(t, 2)
				}
				t.Logf("%+v", b.most)
				own := maxOwn(s.name, n)
				own.Upkeep = maxUpkeep[s.name]
				require.Equal(t, own, larger(own, b.most), "no more than stated")
				require.Greater(t, b.most.Upkeep, uint64(store.PageLen/16), "growth is counted")
				b.runOut(t, own.Upkeep)
			})
		}
	}
}

// runOut expires all that is pending, a few at a time.
func (b *burst) runOut(t *testing.T, most uint64) {
	due := make([]uint64, 16)
	for now := time.Duration(0); b.sched.Len() > 0; now += 100 * time.Millisecond {
		for got := len(due); got == len(due); {
			before := b.meter.Work()
			got = b.sched.Expire(now, due)
			w := b.meter.Work().Sub(before)
			if w.Upkeep > most*uint64(got)+w.Cascades {
				require.Fail(t, "paid for others", "%d values came out: %+v", got, w)
			}
		}
	}
}

func TestWorkSinceIsTheDifferenceButForWhatIsHeld(t *testing.T) {
	earlier := schedulers.Work{Visits: 1, Moves: 2, Levels: 3, Slots: 4, Cascades: 5, Swept: 6, Upkeep: 7, Held: 80}
	later := schedulers.Work{Visits: 11, Moves: 22, Levels: 33, Slots: 44, Cascades: 55, Swept: 66, Upkeep: 77, Held: 8}
	require.Equal(t,
		schedulers.Work{Visits: 10, Moves: 20, Levels: 30, Slots: 40, Cascades: 50, Swept: 60, Upkeep: 70, Held: 8},
		later.Sub(earlier))
}

// smallHorizon makes the single wheel one of 1<<18 slots.
const smallHorizon = (1<<18 - 1) * time.Millisecond

// structure is one of the schedulers.
type structure struct {
	name   string
	linear bool // insertion is O(n)
	new    func(harness.Geometry) (schedulers.Scheduler[uint64], error)
}

// structures returns the schedulers in the geometries in which they are measured,
// with a tick of 1 ms and a single wheel that reaches smallHorizon.
func structures() []structure {
	return lists.Each(catalog.Contestants(), func(c harness.Contestant) structure { return structure{c.Name, c.LinearInsert, c.New} })
}

func (s structure) make(t *testing.T) schedulers.Scheduler[uint64] {
	return must.Get(s.new(harness.Geometry{Tick: time.Millisecond, Horizon: smallHorizon}))(t)
}

// All but the wheel with rounds, whose slots have values of several rounds, show what comes next. A driver counts on it.
func TestStructuresShowWhatComesNext(t *testing.T) {
	for _, s := range structures() {
		_, ok := s.make(t).(schedulers.Peeker[uint64])
		require.Equal(t, s.name != catalog.Rounds, ok, s.name)
	}
}
