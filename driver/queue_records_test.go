package driver

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/schedulers"
)

// Records returns how many records a Queued driver has.
func Records(d *Driver) int { return len(*d.inboxes[0].(*queue).records.chunks.Load()) * chunkLen }

func newRecords() *queueRecords {
	rs := new(queueRecords)
	rs.init()
	return rs
}

// Whatever is taken and put back in whatever order, one at a time or bundled:
// nothing is taken twice, every generation is a new one, and no more records are
// made than were ever taken at one time, but for a chunk.
func TestRecords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rs := newRecords()
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		taken := make(map[uint32]*queueRecord)
		last := make(map[uint32]uint32) // generation by number
		var order []uint32
		most := 0
		for _, step := range rapid.SliceOfN(rapid.IntRange(-3, 3), 1, 20).Draw(t, "hundreds") {
			for range 100 * step {
				n, record, err := rs.take()
				require.NoError(t, err)
				require.NotContains(t, taken, n)
				require.Same(t, record, rs.at(n))
				generation := record.fill(Task{})
				require.Equal(t, last[n]+1, generation)
				taken[n], last[n], order = record, generation, append(order, n)
			}
			most = max(most, len(taken))
			var b queueFreed
			for range min(-100*step, len(taken)) {
				i := r.IntN(len(order))
				n := order[i]
				order[i] = order[len(order)-1]
				order = order[:len(order)-1]
				if i%2 == 0 {
					rs.put(n, taken[n])
				} else {
					b.add(n, taken[n])
				}
				delete(taken, n)
			}
			rs.putAll(b)
		}
		require.Less(t, len(*rs.chunks.Load())*chunkLen, most+chunkLen)
	})
}

// Several goroutines take and put: a record has one owner at a time.
func TestRecordsAreTakenByOne(t *testing.T) {
	const goroutines, most = 8, 100
	rs := newRecords()
	var owned [chunkLen]atomic.Bool
	var group sync.WaitGroup
	for range goroutines {
		group.Go(func() {
			var mine []uint32
			var b queueFreed
			for range 20_000 {
				if len(mine) < most && rand.N(2) == 0 {
					n, r, err := rs.take()
					if err != nil || owned[n].Swap(true) {
						t.Error("taken twice", n, err)
						return
					}
					r.fill(Task{})
					mine = append(mine, n)
				} else if len(mine) > 0 {
					n := mine[0]
					mine = mine[1:]
					owned[n].Store(false)
					if rand.N(2) == 0 {
						rs.put(n, rs.at(n))
						continue
					}
					if b.add(n, rs.at(n)); b.count == 10 {
						rs.putAll(b)
						b = queueFreed{}
					}
				}
			}
		})
	}
	group.Wait()
	require.Len(t, *rs.chunks.Load(), 1, "no more than ever held at one time")
}

func TestRecordsAreFull(t *testing.T) {
	rs := newRecords()
	rs.most = 2 * chunkLen
	for range rs.most {
		require.NoError(t, third(rs.take()))
	}
	require.ErrorIs(t, third(rs.take()), schedulers.ErrFull)
	rs.put(5, rs.at(5))
	n, _, err := rs.take()
	require.NoError(t, err)
	require.Equal(t, uint32(5), n)
}

func third(_ uint32, _ *queueRecord, err error) error { return err }

// A record whose generations are used up is not taken again, so that no ID comes
// back to life.
func TestGenerationsDoNotWrap(t *testing.T) {
	rs := newRecords()
	for _, put := range []func(uint32, *queueRecord){
		rs.put,
		func(n uint32, r *queueRecord) {
			var b queueFreed
			b.add(n, r)
			rs.putAll(b)
		},
	} {
		n, r, err := rs.take()
		require.NoError(t, err)
		r.state.Store(stateOf(lastGeneration-2, phaseFired))
		require.Equal(t, uint32(lastGeneration-1), r.fill(Task{}))
		put(n, r)
		again, _, err := rs.take()
		require.NoError(t, err)
		require.Equal(t, n, again)
		require.Equal(t, uint32(lastGeneration), r.fill(Task{}))
		put(n, r)
		for range 3 * chunkLen {
			again, _, err := rs.take()
			require.NoError(t, err)
			require.NotEqual(t, n, again)
		}
	}
}

func TestRecordStates(t *testing.T) {
	rs := newRecords()
	n, r, err := rs.take()
	require.NoError(t, err)
	id := schedulers.MakeID(n, r.fill(Task{}))
	for p, want := range map[queuePhase]State{
		phaseWaiting: IsPending, phaseMoved: IsPending, phaseFired: Fired,
		phaseStopping: Cancelled, phaseUnlinked: Cancelled, phaseCancelled: Cancelled,
	} {
		r.state.Store(stateOf(id.Generation(), p))
		require.Equal(t, want, rs.state(id))
	}
	r.state.Store(stateOf(id.Generation(), phaseFired))
	rs.put(n, r)
	require.Equal(t, Fired, rs.state(id), "until it is filled again")
	_, _, err = rs.take()
	require.NoError(t, err)
	again := schedulers.MakeID(n, r.fill(Task{}))
	require.Equal(t, Unknown, rs.state(id))
	require.Equal(t, IsPending, rs.state(again))

	require.True(t, r.become(again.Generation(), phaseWaiting, phaseCancelled))
	rs.close()
	require.Equal(t, Cancelled, rs.state(again))
	require.Equal(t, Unknown, rs.state(id))
	for _, foreign := range []schedulers.ID{0, 1, 1 << 32, 1<<64 - 1, 5 << 20, schedulers.MakeID(n, 3)} {
		require.Equal(t, Unknown, rs.state(foreign), foreign)
	}
	require.ErrorIs(t, third(rs.take()), ErrClosed)
	require.Nil(t, rs.at(n))
}

// Several goroutines push and one takes all: each record comes out once, those
// of one goroutine newest first, and the count says how many there are.
func TestPile(t *testing.T) {
	const goroutines, each = 8, 2000
	rs := newRecords()
	var p queueStack
	var group sync.WaitGroup
	for g := range goroutines {
		group.Go(func() {
			for i := range each {
				n, r, err := rs.take()
				if err != nil {
					t.Error(err)
					return
				}
				r.fill(Task{n: int64(g*each + i)})
				if count := p.push(n, r); count == 0 || count > goroutines*each {
					t.Error("count", count)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { group.Wait(); close(done) }()
	seen := make(map[int64]bool)
	for over := false; !over; {
		select {
		case <-done:
			over = true
		default:
		}
		before := make(map[int64]int64) // by goroutine
		for link := p.takeAll(); link != 0; link = rs.at(link - 1).next.Load() {
			n := rs.at(link - 1).n.Load()
			require.False(t, seen[n])
			seen[n] = true
			if last, ok := before[n/each]; ok {
				require.Less(t, n, last)
			}
			before[n/each] = n
		}
	}
	require.Len(t, seen, goroutines*each)
	require.True(t, p.empty())
}

// idleQueue returns a queue without a worker, and without a scheduler.
func idleQueue() *queue {
	c := &core{config: config{waking: SkipToNext{}}, wait: newTimerWaiter()}
	c.started.Store(true)
	return newQueue(clocked{driver: c}, Queued{})
}

// Close waits for a Reset, and a Reset may have to look whether the worker is to
// be started.
func TestCloseDoesNotHoldUpReset(t *testing.T) {
	q := idleQueue()
	q.moving.Add(1)
	done := make(chan struct{})
	go func() { q.takeAll(0); close(done) }()
	for !q.closed.Load() {
		runtime.Gosched()
	}
	q.begin()
	q.moving.Add(-1)
	<-done
}

// IDs that no timer has do no harm to those there are.
func TestForeignIDsAreHarmless(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := idleQueue()
		mine := make(map[schedulers.ID]bool)
		for range rapid.IntRange(0, 10).Draw(t, "timers") {
			timer, err := q.add(forever, Task{f: func() {}})
			require.NoError(t, err)
			mine[timer.id] = true
		}
		ids := rapid.Custom(func(t *rapid.T) schedulers.ID {
			cells := rapid.OneOf(rapid.Uint32Range(0, 12), rapid.Uint32())
			return schedulers.MakeID(cells.Draw(t, "cell"), rapid.Uint32Range(0, 3).Draw(t, "generation"))
		})
		for _, id := range rapid.SliceOf(ids).Draw(t, "ids") {
			require.Equal(t, mine[id], q.state(id) == IsPending)
			require.Equal(t, mine[id], q.stop(id))
			require.False(t, q.stop(id))
			delete(mine, id)
			require.Equal(t, len(mine), q.len())
		}
	})
}
