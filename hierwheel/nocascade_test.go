package hierwheel_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/hierwheel"
	"schedbench/internal/must"
	"schedbench/schedulers"
	"schedbench/schedulers/schedtest"
)

const end = time.Duration(math.MaxInt64)

// levelled is a geometry of a wheel without cascades, with the number of slots as it is after rounding.
type levelled struct {
	tick           time.Duration
	slots, coarser uint64
}

// span returns the ticks of a slot of the level that reaches so many ticks
// ahead: each level reaches all its slots but one.
func (g levelled) span(ahead uint64) uint64 {
	span := uint64(1)
	for (ahead+g.slots-2)/(g.slots-1) > span {
		span *= g.coarser
	}
	return span
}

// due returns the instant at which a value comes out.
func (g levelled) due(clock, deadline time.Duration) time.Duration {
	tick := uint64((deadline-1)/g.tick) + 1
	span := g.span(tick - uint64(clock/g.tick))
	slot := (tick + span - 1) / span
	if slot > uint64(end)/span/uint64(g.tick) {
		return end
	}
	return time.Duration(slot*span) * g.tick
}

// levels returns how many levels reach to the end of time.
func (g levelled) levels() (n int) {
	for span := g.span(uint64((end-1)/g.tick) + 1); span > 0; span /= g.coarser {
		n++
	}
	return n
}

func (g levelled) described() schedtest.Scheduler {
	return schedtest.Scheduler{
		Name: fmt.Sprintf("tick=%v/slots=%d/coarser=%d", g.tick, g.slots, g.coarser),
		New: func() (schedulers.Scheduler[uint64], error) {
			return hierwheel.NewNoCascade[uint64](g.tick, int(g.slots), int(g.coarser))
		},
		Tick:  g.tick,
		Due:   g.due,
		Slots: int(g.slots) * g.levels(),
	}
}

func noCascadeTested() []schedtest.Scheduler {
	return []schedtest.Scheduler{
		levelled{time.Millisecond, 64, 8}.described(), // as Linux
		levelled{1, 4, 2}.described(),
		levelled{7, 256, 128}.described(),
		levelled{time.Hour, 32, 2}.described(),
		levelled{1 << 20, 1024, 16}.described(),
	}
}

func TestNoCascade(t *testing.T) { schedtest.RunAll(t, noCascadeTested()...) }

func FuzzNoCascade(f *testing.F) { schedtest.Fuzz(f, noCascadeTested()[0]) }

func FuzzNoCascadeOfFewSlots(f *testing.F) { schedtest.Fuzz(f, noCascadeTested()[1]) }

func TestNoCascadeRoundsSlotsUp(t *testing.T) {
	w := must.Get(hierwheel.NewNoCascade[uint64](tick, 50, 8))(t)
	require.Equal(t, 14*64, w.Slots(), "as many as 64 a level need at 1 ms")
	require.Equal(t, tick, w.Tick())
}

// geometries draws geometries, most of them small.
func geometries() *rapid.Generator[levelled] {
	return rapid.Custom(func(t *rapid.T) levelled {
		bits := rapid.IntRange(2, 10).Draw(t, "bits")
		return levelled{
			tick:    1 + time.Duration(rapid.Int64Range(0, math.MaxInt64-1).Draw(t, "tick")>>rapid.IntRange(1, 62).Draw(t, "shift")),
			slots:   1 << bits,
			coarser: 1 << rapid.IntRange(1, bits-1).Draw(t, "coarser"),
		}
	})
}

// instants draws instants of all magnitudes up to one.
func instants(most time.Duration) *rapid.Generator[time.Duration] {
	return rapid.Custom(func(t *rapid.T) time.Duration {
		at := rapid.Int64Range(0, math.MaxInt64).Draw(t, "ns") >> rapid.IntRange(0, 62).Draw(t, "shift")
		return min(time.Duration(at), most)
	})
}

// lateness returns how late a value comes out that is scheduled at clock for a
// deadline delay ahead, and the bound that the wheel gives.
func (g levelled) lateness(t require.TestingT, clock, delay time.Duration) (late, bound time.Duration) {
	w := must.Get(hierwheel.NewNoCascade[uint64](g.tick, int(g.slots), int(g.coarser)))(t)
	due := make([]uint64, 1)
	w.Expire(clock, nil)
	must.Get(w.Schedule(clock+delay, 1))(t)
	wake, _ := w.Next()
	require.Zero(t, w.Expire(wake-1, due))
	require.Equal(t, 1, w.Expire(wake, due))
	return wake - (clock + delay), w.Lateness(delay)
}

// TestLatenessIsBounded is the promise of Lateness: never early, and late by
// less than the bound, which is a tick or less than a share of the delay.
func TestLatenessIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := geometries().Draw(t, "geometry")
		clock := instants(end-1).Draw(t, "clock")
		delay := max(instants(end-clock).Draw(t, "delay"), 1)
		late, bound := g.lateness(t, clock, delay)
		require.GreaterOrEqual(t, late, time.Duration(0))
		require.Less(t, late, bound)

		if bound > g.tick && bound < end {
			below := uint64(bound/g.tick) / g.coarser // the ticks of a slot one level below
			rounded := uint64((delay-1)/g.tick) + 1
			require.LessOrEqual(t, below*(g.slots-1), rounded, "the bound is a share of the delay")
		}
	})
}

// TestLatenessIsReached: the bound cannot be a nanosecond smaller, whatever the delay is.
func TestLatenessIsReached(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := geometries().Draw(t, "geometry")
		delay := max(instants(end/8).Draw(t, "delay"), 1)
		bound := must.Get(hierwheel.NewNoCascade[uint64](g.tick, int(g.slots), int(g.coarser)))(t).Lateness(delay)
		if bound > end/8 {
			t.Skip("the end of time comes first")
		}
		// The deadline is a nanosecond after the beginning of a slot.
		turns := (delay + bound - 1) / bound
		deadline := (turns+time.Duration(rapid.IntRange(0, 1).Draw(t, "more")))*bound + 1
		if deadline < delay {
			deadline += bound
		}
		late, _ := g.lateness(t, deadline-delay, delay)
		require.Equal(t, bound-1, late)
	})
}

// TestLatenessOfLinux has the granularities of the table in the kernel's source.
// The levels there begin a tick or two further ahead, since it counts whole ticks.
func TestLatenessOfLinux(t *testing.T) {
	w := must.Get(hierwheel.NewNoCascade[uint64](tick, 64, 8))(t)
	for _, test := range []struct{ delay, want time.Duration }{
		{-1, tick},
		{0, tick},
		{1, tick},
		{62*tick + 1, tick},
		{62*tick + 2, 8 * tick}, // if the clock is late in its tick, 64 ticks ahead
		{64 * tick, 8 * tick},
		{503*tick + 1, 8 * tick},
		{503*tick + 2, 64 * tick},
		{time.Second, 64 * tick},
		{time.Minute, 4096 * tick},
		{time.Hour, 262144 * tick},
		{24 * time.Hour, 1 << 21 * tick},
		{10 * 24 * time.Hour, 1 << 24 * tick},
		{end, 1 << 39 * tick},
	} {
		require.Equal(t, test.want, w.Lateness(test.delay), "delay %v", test.delay)
	}
	delay := 63<<9*tick + 1 // where a level begins
	require.InDelta(t, 8./63, float64(w.Lateness(delay))/float64(delay), 1e-6)
}

func newNoCascade(t *testing.T) *hierwheel.NoCascade[uint64] {
	return must.Get(hierwheel.NewNoCascade[uint64](tick, 64, 8))(t)
}

// fill schedules n values at random within a day and returns their deadlines.
func fill(t *testing.T, w *hierwheel.NoCascade[uint64], n int) []time.Duration {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	deadlines := make([]time.Duration, n)
	for i := range deadlines {
		deadlines[i] = time.Duration(rng.Int64N(int64(24*time.Hour))) >> rng.IntN(20)
		must.Get(w.Schedule(deadlines[i], uint64(i)))(t)
	}
	return deadlines
}

// TestNothingMoves, whether the clock follows Next or jumps: all the work there is are the slots, each opened once.
func TestNothingMoves(t *testing.T) {
	const n = 1_000 // some slots have one of them
	g := levelled{tick, 64, 8}
	for name, step := range map[string]time.Duration{"from Next to Next": 0, "by a minute": time.Minute, "in one jump": end} {
		t.Run(name, func(t *testing.T) {
			w := newNoCascade(t)
			type slot struct {
				span uint64
				at   time.Duration
			}
			slots := map[slot]bool{}
			for _, d := range fill(t, w, n) {
				slots[slot{g.span(uint64((d + tick - 1) / tick)), g.due(0, d)}] = true
			}
			due := make([]uint64, n)
			for now := time.Duration(0); w.Len() > 0; {
				wake, _ := w.Next()
				now = max(wake, now+min(step, end-now))
				require.NotZero(t, w.Expire(now, due), "no wake-up is in vain")
			}
			require.Equal(t, schedulers.Work{Slots: uint64(len(slots)), Upkeep: w.Work().Upkeep}, w.Work())
		})
	}
}

// TestEachIsSetAsideOnce has a caller that takes one value at a time, and
// schedules one after each, so that what is due is always in the way.
func TestEachIsSetAsideOnce(t *testing.T) {
	const n = 10_000
	w := newNoCascade(t)
	for i := range uint64(n) {
		must.Get(w.Schedule(time.Duration(i%1000)*tick, i))(t)
	}
	due := make([]uint64, 1)
	for i := range time.Duration(2 * n) {
		now := time.Second + i/4*tick
		require.Equal(t, 1, w.Expire(now, due))
		must.Get(w.Schedule(now+63*tick, 0))(t) // where the slot of the present tick is needed
	}
	work := w.Work()
	require.Zero(t, work.Cascades)
	require.LessOrEqual(t, work.Moves, uint64(2*3*n), "into the queue and forward in it")
	require.LessOrEqual(t, work.Visits, uint64(3*n))
}

// TestNextPassesCancelled: a driver is not woken for what has been cancelled.
func TestNextPassesCancelled(t *testing.T) {
	w := newNoCascade(t)
	for i := range uint64(100) {
		require.True(t, w.Cancel(must.Get(w.Schedule(time.Duration(i)*time.Second, i))(t)))
	}
	must.Get(w.Schedule(time.Hour, 100))(t)
	wake, ok := w.Next()
	require.True(t, ok)
	require.Equal(t, levelled{tick, 64, 8}.due(0, time.Hour), wake)
}
