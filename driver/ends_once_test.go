package driver

import (
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"schedbench/heapsched"
	"schedbench/hierwheel"
	"schedbench/internal/must"
	"schedbench/schedulers"
)

// endings is a driver, and what goroutines do to it. Crowded, they keep to a few timers of a moment, so the worker takes out
// places while their records are taken.
type endings struct {
	new     func() (schedulers.Scheduler[Task], error)
	opts    []Option
	crowded bool
}

// With very many calls and no mutex around them, goroutines make, stop and reset timers, their own and each other's, and Close
// comes at the end. Of each timer exactly one thing has become, and what is counted is what is there. With
// SCHEDBENCH_LONG=1 this takes ten million operations.
func TestTimersOfOthersEndOnce(t *testing.T) {
	operations := 200_000
	if testing.Short() {
		operations = 60_000
	}
	if os.Getenv("SCHEDBENCH_LONG") != "" {
		operations = 10_000_000
	}
	heap := func() (schedulers.Scheduler[Task], error) { return heapsched.New[Task](), nil }
	wheel := func() (schedulers.Scheduler[Task], error) { return hierwheel.New[Task](time.Millisecond, 64) }
	fine := func() (schedulers.Scheduler[Task], error) { return hierwheel.New[Task](20*time.Microsecond, 64) }
	for name, e := range map[string]endings{
		"heap":            {new: heap},
		"wheel":           {new: wheel},
		"heap, sharded":   {new: heap, opts: []Option{WithInbox(Sharded{Shards: 4, New: heap})}},
		"heap, queued":    {new: heap, opts: []Option{WithInbox(Queued{PerWakeup: 3})}},
		"wheel, queued":   {new: wheel, opts: []Option{WithInbox(Queued{})}},
		"crowded":         {new: fine, crowded: true},
		"crowded, tick":   {new: fine, crowded: true, opts: []Option{WithWaking(FixedTick(50 * time.Microsecond))}},
		"crowded, least":  {new: fine, crowded: true, opts: []Option{WithWaking(SkipAtLeast(100 * time.Microsecond))}},
		"crowded, shards": {new: fine, crowded: true, opts: []Option{WithInbox(Sharded{Shards: 3, New: fine})}},
		"crowded, limit":  {new: fine, crowded: true, opts: []Option{WithMaxPending(1 << 20), WithStates()}},
	} {
		t.Run(name, func(t *testing.T) {
			d := must.Get(Start(must.Get(e.new())(t), e.opts...))(t)
			e.play(t, d, operations)
		})
	}
}

// timerEnds says what became of each of very many timers, in one word each: how often it fired,
// was stopped, and was returned by Close, at the places below.
type timerEnds []atomic.Uint32

const (
	onceFired   = 1
	onceStopped = 1 << 8
	onceClosed  = 1 << 16
)

func (e endings) play(t *testing.T, d *Driver, operations int) {
	const goroutines = 8
	type held struct {
		Timer
		number int
	}
	slots, longest := make([]atomic.Pointer[held], 1<<10), 5*time.Millisecond
	if e.crowded {
		slots, longest = slots[:16], 300*time.Microsecond
	}
	var made atomic.Int64
	var closed atomic.Bool
	ends := make(timerEnds, operations+1)
	start := func(delay time.Duration) *held {
		i := int(made.Add(1)) - 1
		return &held{armed(t, d, delay, func() {
			if closed.Load() {
				ends[i].Add(onceClosed)
			} else {
				ends[i].Add(onceFired)
			}
		}), i}
	}
	stop := func(timer *held) {
		if timer.Stop() {
			ends[timer.number].Add(onceStopped)
		}
	}
	counted := make(chan struct{})
	go func() {
		defer close(counted)
		for e.crowded && made.Load() < int64(operations/2) {
			st := d.Stats()
			assert.LessOrEqual(t, st.Stopped+st.Fired, st.Scheduled)
		}
	}()
	var group sync.WaitGroup
	for g := range goroutines {
		group.Go(func() {
			random := rand.New(rand.NewPCG(uint64(g), uint64(operations)))
			for range operations / goroutines {
				slot, kind := &slots[random.IntN(len(slots))], random.IntN(8)
				timer, delay := slot.Load(), time.Duration(random.IntN(int(longest)))
				switch {
				case kind == 0 && !e.crowded:
					slot.Store(start(time.Hour))
				case timer == nil || kind < 4:
					slot.Store(start(delay))
				case e.crowded && kind < 6: // the next timer takes the record over, and its place
					stop(timer)
					slot.Store(start(delay))
				case kind < 7:
					stop(timer)
				default:
					timer.ResetPending(delay)
				}
				if e.crowded && random.IntN(200) == 0 {
					time.Sleep(time.Duration(random.IntN(400)) * time.Microsecond)
				}
			}
		})
	}
	group.Wait()
	<-counted
	last := start(0).number // at least this one fires, however busy the machine is
	require.Eventually(t, func() bool { return ends[last].Load() == onceFired }, time.Minute, time.Millisecond)
	if e.crowded {
		require.Eventually(t, func() bool { return d.Len() == 0 }, time.Minute, time.Millisecond, "a timer is lost")
		for _, in := range d.inboxes {
			in.(*shard).checkIdle(t)
		}
	}
	unfired := must.Get(d.Close(t.Context()))(t)
	require.Equal(t, e.crowded, len(unfired) == 0)
	closed.Store(true)
	for _, u := range unfired {
		u.Func()
	}
	ends[:made.Load()].check(t, d.Stats(), len(unfired))
}

// check compares the ends with what the driver says, of which some were returned by Close.
func (ends timerEnds) check(t *testing.T, st Stats, unfired int) {
	count := map[uint32]int{}
	for i := range ends {
		end := ends[i].Load()
		if end != onceFired && end != onceStopped && end != onceClosed {
			require.Fail(t, "not exactly once", "timer %d: %#x", i, end)
		}
		count[end]++
	}
	t.Logf("%d timers: %d fired, %d stopped, %d returned", len(ends), count[onceFired], count[onceStopped], count[onceClosed])
	require.Equal(t, []uint64{uint64(len(ends)), uint64(count[onceFired]), uint64(count[onceStopped])},
		[]uint64{st.Scheduled, st.Fired, st.Stopped})
	require.Equal(t, unfired, count[onceClosed])
	require.NotZero(t, count[onceStopped])
}
