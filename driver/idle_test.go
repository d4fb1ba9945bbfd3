package driver

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/hierwheel"
	"schedbench/internal/must"
	"schedbench/schedulers"
)

// Stop, and AfterFunc where a place is in time, go on while another call holds the mutex.
func TestNoMutexWherePlacesStay(t *testing.T) {
	d, s := startCounted(t)
	sh := d.inboxes[0].(*shard)
	timer := armed(t, d, time.Hour, func() {})
	armed(t, d, time.Hour, func() {})
	sh.mu.Lock()
	calls, done := s.calls, make(chan struct{})
	go func() {
		defer close(done)
		for range 100 {
			require.True(t, timer.Stop())
			timer = armed(t, d, 2*time.Hour, func() {})
		}
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Error("a call waits for the mutex")
	}
	require.Equal(t, calls, s.calls)
	sh.mu.Unlock()
	<-done
	require.Equal(t, Stats{Pending: 2, Scheduled: 102, Stopped: 100}, quiet(d.Stats()))
}

// quiet leaves out what depends on when the worker woke.
func quiet(st Stats) Stats {
	st.Wakeups, st.Kicks = 0, 0
	return st
}

// A later place, and none at all, take the mutex and get a place in time.
func TestAnEarlierTimerMovesThePlace(t *testing.T) {
	d, s := startCounted(t)
	timer := armed(t, d, time.Hour, func() {})
	calls := s.soFar(d)
	require.True(t, timer.Stop())
	timer = armed(t, d, time.Minute, func() {})
	require.Equal(t, calls+1, s.soFar(d))
	require.True(t, timer.Stop())
	require.Equal(t, Stats{Scheduled: 2, Stopped: 2}, quiet(d.Stats()))
}

// Goroutines start timers of a moment and stop half of them, their own and each other's, while the worker takes out the
// places: none is lost, none ends twice, and what is counted is what is there.
func TestPlacesComeWhileTheirRecordsAreTaken(t *testing.T) {
	rounds := 20_000
	if testing.Short() {
		rounds /= 10
	}
	another := func() (schedulers.Scheduler[Task], error) { return hierwheel.New[Task](20*time.Microsecond, 64) }
	for name, opts := range map[string][]Option{
		"sleeping": nil,
		"ticking":  {WithWaking(FixedTick(50 * time.Microsecond))},
		"least":    {WithWaking(SkipAtLeast(100 * time.Microsecond))},
		"sharded":  {WithInbox(Sharded{Shards: 3, New: another})},
		"limited":  {WithMaxPending(1 << 20), WithStates()},
	} {
		t.Run(name, func(t *testing.T) {
			d := must.Get(Start(must.Get(another())(t), opts...))(t)
			defer d.Close(context.Background())
			var fired, stopped, made atomic.Int64
			var slots [16]struct {
				sync.Mutex
				Timer
			}
			var wg sync.WaitGroup
			for g := range 4 {
				wg.Go(func() {
					random := rand.New(rand.NewPCG(uint64(g), 1))
					for range rounds {
						slot := &slots[random.IntN(len(slots))]
						slot.Lock()
						if slot.Stop() {
							stopped.Add(1)
						}
						slot.Timer, _ = d.AfterFunc(time.Duration(random.IntN(300))*time.Microsecond, func() { fired.Add(1) })
						made.Add(1)
						slot.Unlock()
						if random.IntN(200) == 0 {
							time.Sleep(time.Duration(random.IntN(400)) * time.Microsecond)
						}
					}
				})
			}
			wg.Wait()
			require.Eventually(t, func() bool { return d.Len() == 0 }, time.Minute, time.Millisecond, "a timer is lost")
			require.Equal(t, made.Load(), fired.Load()+stopped.Load())
			require.NotZero(t, fired.Load())
			require.NotZero(t, stopped.Load())
			require.Equal(t, Stats{Scheduled: uint64(made.Load()), Stopped: uint64(stopped.Load()), Fired: uint64(fired.Load())},
				late(quiet(d.Stats())))
			for _, in := range d.inboxes {
				in.(*shard).checkIdle(t)
			}
		})
	}
}

func late(st Stats) Stats {
	st.LatenessSum, st.LatenessWorst = 0, 0
	return st
}

// checkIdle compares the lists of idle records with their counts, and with the records in use. Nothing is pending.
func (sh *shard) checkIdle(t *testing.T) {
	t.Helper()
	sh.mu.Lock()
	defer sh.mu.Unlock()
	seen := map[uint32]bool{}
	walk := func(top uint64) (n int) {
		for ; top > 0; n++ {
			i := uint32(top) - 1
			require.False(t, seen[i])
			seen[i] = true
			state := sh.at(i).state.Load()
			require.Less(t, state&phaseMask, recordPending)
			top = noteOf(state)
		}
		return n
	}
	for i := range sh.idle {
		require.Equal(t, sh.idle[i].len(), walk(sh.idle[i].top.Load()&(1<<32-1)))
	}
	require.Equal(t, sh.spent, walk(sh.ended))
	used := 0
	for _, use := range sh.uses {
		used += use.used
	}
	require.Len(t, seen, used, "a record is lost")
	require.LessOrEqual(t, used, mostIdle+mostIdle)
}
