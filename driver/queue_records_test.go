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

// taken takes a record and fills it.
func taken(t require.TestingT, rs *queueRecords) (schedulers.ID, *queueRecord) {
	id, r, err := rs.take()
	require.NoError(t, err)
	r.fill(id.Generation(), taskRun{}, phaseWaiting)
	return id, r
}

// put frees the record of id.
func put(rs *queueRecords, id schedulers.ID) {
	rs.free([]schedulers.ID{schedulers.MakeID(id.Cell(), id.Generation()+1)}, nil)
}

// Whatever is taken and freed in whatever order, and however many at once:
// nothing is taken twice, every generation is a new one, no more records are
// made than were ever taken at one time, but for a chunk, and the worker finds each place once, in
// the order in which they were taken.
func TestRecords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rs := new(queueRecords)
		reader := queueReader{in: rs.init(), at: stretchLen}
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		last := make(map[uint32]uint32) // generation by number
		var held, queued []schedulers.ID
		most, used := 0, 0
		for _, step := range rapid.SliceOfN(rapid.IntRange(-3, 3), 1, 20).Draw(t, "hundreds") {
			for range 100 * step {
				id, record := taken(t, rs)
				require.Same(t, record, rs.at(id.Cell()))
				require.Equal(t, last[id.Cell()]+1, id.Generation())
				last[id.Cell()] = id.Generation()
				held, queued = append(held, id), append(queued, id)
				used++
			}
			most = max(most, len(held))
			var freed []schedulers.ID
			for range min(-100*step, len(held)) {
				i := r.IntN(len(held))
				freed = append(freed, schedulers.MakeID(held[i].Cell(), held[i].Generation()+1))
				held[i] = held[len(held)-1]
				held = held[:len(held)-1]
			}
			var read []*queueStretch
			for range r.IntN(200) {
				require.Equal(t, len(queued) > 0, reader.ready())
				id, ok := reader.read(&read)
				require.Equal(t, len(queued) > 0, ok)
				if ok {
					require.Equal(t, queued[0], id)
					queued = queued[1:]
				}
			}
			rs.free(freed, read)
			require.EqualValues(t, used, rs.used())
		}
		require.Less(t, len(*rs.chunks.Load())*chunkLen, most+chunkLen)
	})
}

// Several goroutines take records, and another reads what they have filled and frees it: a record has
// one owner at a time, and each is found once.
func TestRecordsAreTakenByOne(t *testing.T) {
	const goroutines, each = 8, 20_000
	rs := new(queueRecords)
	reader := queueReader{in: rs.init(), at: stretchLen}
	var owned [64 * chunkLen]atomic.Bool
	var going atomic.Int64
	var group sync.WaitGroup
	for range goroutines {
		group.Go(func() {
			for range each {
				for going.Add(1) > 10*chunkLen {
					going.Add(-1)
					runtime.Gosched()
				}
				id, r, err := rs.take()
				if err != nil || owned[id.Cell()].Swap(true) {
					t.Error("taken twice", id.Cell(), err)
					return
				}
				r.fill(id.Generation(), taskRun{n: int64(id)}, phaseWaiting)
			}
		})
	}
	var freed, early []schedulers.ID
	var read []*queueStretch
	for found := 0; found < goroutines*each && !t.Failed(); {
		place, ok := schedulers.ID(0), false
		if len(early) > 0 {
			place, early, ok = early[0], early[1:], true
		} else if place, ok = reader.read(&read); !ok {
			runtime.Gosched()
			continue
		}
		r := rs.at(place.Cell())
		if r.generation() < place.Generation() {
			reader.late = true
			early = append(early, place)
			continue
		}
		require.True(t, r.become(place.Generation(), phaseWaiting, phaseFired))
		require.EqualValues(t, place, r.n)
		owned[place.Cell()].Store(false)
		found++
		if freed = append(freed, schedulers.MakeID(place.Cell(), place.Generation()+1)); len(freed) == 10 {
			rs.free(freed, read)
			freed, read = freed[:0], read[:0]
		}
		going.Add(-1)
	}
	group.Wait()
	require.EqualValues(t, goroutines*each, rs.used())
}

func TestRecordsAreFull(t *testing.T) {
	rs := newRecords()
	rs.most = 2 * chunkLen
	for range rs.most {
		require.NoError(t, third(rs.take()))
	}
	require.ErrorIs(t, third(rs.take()), schedulers.ErrFull)
	put(rs, schedulers.MakeID(5, 1))
	id, _ := taken(t, rs)
	require.Equal(t, schedulers.MakeID(5, 2), id)
}

func third(_ schedulers.ID, _ *queueRecord, err error) error { return err }

// A record whose generations are used up is not taken again, so that no ID comes
// back to life.
func TestGenerationsDoNotWrap(t *testing.T) {
	q := idleQueue()
	id, r := taken(t, &q.records)
	for _, generation := range []uint32{lastGeneration - 1, lastGeneration} {
		r.state.Store(stateOf(generation, phaseFired))
		q.discard(id.Cell(), r)
	}
	require.Equal(t, []schedulers.ID{schedulers.MakeID(id.Cell(), lastGeneration)}, q.freed)
}

func TestRecordStates(t *testing.T) {
	rs := newRecords()
	id, r := taken(t, rs)
	for p, want := range map[queuePhase]State{
		phaseWaiting: IsPending, phaseMoved: IsPending, phaseResetting: IsPending, phaseOutside: IsPending,
		phaseFired: Fired, phaseCancelled: Cancelled, phaseAgain: Unknown, phaseUnused: Unknown,
	} {
		r.state.Store(stateOf(id.Generation(), p))
		require.Equal(t, want, rs.state(id))
	}
	r.state.Store(stateOf(id.Generation(), phaseFired))
	put(rs, id)
	require.Equal(t, Fired, rs.state(id), "until it is filled again")
	again := schedulers.MakeID(id.Cell(), id.Generation()+1)
	r.fill(again.Generation(), taskRun{}, phaseWaiting)
	require.Equal(t, Unknown, rs.state(id))
	require.Equal(t, IsPending, rs.state(again))

	require.True(t, r.become(again.Generation(), phaseWaiting, phaseCancelled))
	rs.close()
	require.Equal(t, Cancelled, rs.state(again))
	require.Equal(t, Unknown, rs.state(id))
	for _, foreign := range []schedulers.ID{0, 1, 1 << 32, 1<<64 - 1, 5 << 20, schedulers.MakeID(id.Cell(), 3)} {
		require.Equal(t, Unknown, rs.state(foreign), foreign)
	}
	require.ErrorIs(t, third(rs.take()), ErrClosed)
	require.Nil(t, rs.at(id.Cell()))
}

// Several goroutines push and one takes all: each record comes out once, those
// of one goroutine newest first, and the counts say how many there were and are.
func TestPile(t *testing.T) {
	const goroutines, each = 8, 2000
	rs := newRecords()
	var p queueStack
	var group sync.WaitGroup
	for g := range goroutines {
		group.Go(func() {
			for i := range each {
				id, r, err := rs.take()
				if err != nil {
					t.Error(err)
					return
				}
				r.fill(id.Generation(), taskRun{n: int64(g*each + i)}, phaseWaiting)
				if count := p.push(id.Cell(), r); count == 0 || count > goroutines*each {
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
		for link := p.takeAll(); link != 0; link = rs.at(link - 1).next {
			n := rs.at(link - 1).n
			require.False(t, seen[n])
			seen[n] = true
			if last, ok := before[n/each]; ok {
				require.Less(t, n, last)
			}
			before[n/each] = n
		}
	}
	require.Len(t, seen, goroutines*each)
	require.EqualValues(t, goroutines*each, p.pushed())
	require.Zero(t, p.held())
}

// The counts of a stack go on when those in its head begin anew.
func TestStackCountsOn(t *testing.T) {
	rs := newRecords()
	var p queueStack
	p.head.Store(uint64(1<<32-2) << 32)
	p.taken.Store(1<<32 - 2)
	for i := range 5 {
		id, r := taken(t, rs)
		require.EqualValues(t, i+1, p.push(id.Cell(), r))
		require.EqualValues(t, i+1, p.held())
		require.EqualValues(t, 1<<32-1+i, p.pushed())
	}
	require.NotZero(t, p.takeAll())
	require.Zero(t, p.takeAll())
	require.Zero(t, p.held())
	require.EqualValues(t, 1<<32+3, p.pushed())
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
	go func() { q.takeAll(func(Timer, taskRun) {}); close(done) }()
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
			timer, err := q.add(forever, taskRun{f: func() {}})
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
