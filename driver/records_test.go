package driver

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/heapsched"
	"schedbench/internal/lists"
	"schedbench/internal/must"
	"schedbench/schedulers"
)

// counted counts what a driver asks of its scheduler.
type counted struct {
	*heapsched.Heap[Task]
	calls int
}

func (c *counted) Schedule(deadline time.Duration, task Task) (schedulers.ID, error) {
	c.calls++
	return c.Heap.Schedule(deadline, task)
}

func (c *counted) Cancel(id schedulers.ID) bool { c.calls++; return c.Heap.Cancel(id) }

func (c *counted) Reset(id schedulers.ID, deadline time.Duration) (bool, error) {
	c.calls++
	return c.Heap.Reset(id, deadline)
}

// soFar returns how many calls there were, while the worker may call.
func (c *counted) soFar(d *Driver) int {
	sh := d.inboxes[0].(*shard)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	return c.calls
}

func startCounted(t *testing.T, opts ...Option) (*Driver, *counted) {
	t.Helper()
	s := &counted{Heap: heapsched.New[Task]()}
	d := must.Get(Start(s, opts...))(t)
	t.Cleanup(func() { d.Close(context.Background()) })
	return d, s
}

func armed(t *testing.T, d *Driver, delay time.Duration, f func()) Timer {
	t.Helper()
	return must.Get(d.AfterFunc(delay, f))(t)
}

// Records returns how many records a Queued driver has.
func Records(d *Driver) int { return d.inboxes[0].(*queue).made() * recordPageLen }

// PendingByInbox returns how many timers are pending in each inbox.
func PendingByInbox(d *Driver) []int { return lists.Each(d.inboxes, inbox.len) }

// RecordOf identifies the record of a timer.
func RecordOf(t Timer) any { return [...]any{t.in, t.id.Cell()} }

// made returns how many pages there are.
func (rs *records) made() (n int) {
	pages := *rs.pages.Load()
	for i := range pages {
		if pages[i].Load() != nil {
			n++
		}
	}
	return n
}

// Reset to later, and Stop with the next AfterFunc, leave the scheduler alone. An earlier deadline costs one call.
func TestPlacesAreLeftBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, s := startCounted(t)
		timer := armed(t, d, time.Second, func() {})
		require.Equal(t, 1, s.calls)
		for i := range time.Duration(10) {
			require.True(t, second(timer.ResetPending(time.Second+i)))
		}
		for range 10 {
			require.True(t, timer.Stop())
			timer = armed(t, d, 2*time.Second, func() {})
		}
		require.Equal(t, 1, s.calls)
		require.True(t, second(timer.ResetPending(time.Millisecond)))
		require.Equal(t, 2, s.calls)
		require.Equal(t, uint64(11), d.Stats().Reset)
		require.True(t, timer.Stop())
		armed(t, d, time.Microsecond, func() {})
		require.Equal(t, 3, s.calls)
	})
}

func second(ok bool, err error) bool { return ok && err == nil }

// WithAtOnce the scheduler hears of everything.
func TestAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, s := startCounted(t, WithAtOnce())
		timer := armed(t, d, time.Second, func() {})
		require.True(t, second(timer.ResetPending(2*time.Second)))
		require.True(t, timer.Stop())
		require.Equal(t, 3, s.calls)
		require.Zero(t, s.Len())
	})
}

// A timer that is moved later again and again costs a wake-up for each of its periods, and one that is stopped none
// while nothing is pending.
func TestWakeupsOfPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _ := startCounted(t)
		began := d.Now()
		var ran time.Duration
		timer := armed(t, d, time.Minute, func() { ran = d.Now() - began })
		synctest.Wait()
		before := d.Stats().Wakeups
		for range 600 {
			time.Sleep(time.Second)
			require.True(t, second(timer.ResetPending(time.Minute)))
		}
		synctest.Wait()
		require.InDelta(t, 10, d.Stats().Wakeups-before, 1)
		pass(time.Hour)
		require.Equal(t, 11*time.Minute, ran)
		timer = armed(t, d, time.Minute, func() {})
		synctest.Wait()
		require.True(t, timer.Stop())
		before = d.Stats().Wakeups
		time.Sleep(24 * time.Hour)
		require.LessOrEqual(t, d.Stats().Wakeups-before, uint64(1))
	})
}

// Places that were left behind wake the worker about as rarely as places that are moved at once, and cost the scheduler no
// more calls. Many timers are put off or stopped before they are due, as those of retransmissions are.
func TestPlacesLeftBehindDoNotWake(t *testing.T) {
	play := func(t *testing.T, opts ...Option) (wakeups uint64, calls int) {
		synctest.Test(t, func(t *testing.T) {
			d, s := startCounted(t, opts...)
			rng := rand.New(rand.NewPCG(1, 2))
			timers := make([]Timer, 1000)
			for range 100_000 {
				time.Sleep(50 * time.Microsecond)
				timer := &timers[rng.IntN(len(timers))]
				if ok := second(timer.ResetPending(200 * time.Millisecond)); ok && rng.IntN(3) == 0 {
					timer.Stop()
				} else if !ok {
					*timer = armed(t, d, 200*time.Millisecond, func() {})
				}
			}
			synctest.Wait()
			wakeups, calls = d.Stats().Wakeups, s.calls
		})
		return wakeups, calls
	}
	wakeups, calls := play(t)
	wakeupsAtOnce, callsAtOnce := play(t, WithAtOnce())
	require.InEpsilon(t, wakeupsAtOnce, wakeups, 0.1)
	require.Less(t, calls, callsAtOnce/2)
}

// Places far ahead stay, however often the worker wakes: they have many Resets in which to be put off again.
func TestPlacesFarAheadStay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, s := startCounted(t)
		const n = 1000
		timers := make([]Timer, n)
		for i := range timers {
			timers[i] = armed(t, d, time.Minute, func() {})
		}
		calls := s.soFar(d)
		for range 100 {
			time.Sleep(10 * time.Millisecond)
			for _, timer := range timers {
				require.True(t, second(timer.ResetPending(time.Minute)))
			}
			fired := make(chan bool)
			armed(t, d, time.Millisecond, func() { close(fired) })
			<-fired
			synctest.Wait()
		}
		require.Equal(t, calls+100, s.soFar(d))
		pass(59 * time.Second)
		require.InDelta(t, n, s.soFar(d)-calls-100, 10, "each moves once, when its place comes")
		require.Equal(t, n, d.Len())
	})
}

// A run of places that were left behind is cut short: other shards are served, and Close is.
func TestManyPlacesLeftBehindAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, s := startCounted(t)
		const n = 10 * mostMoved
		timers := make([]Timer, n)
		for i := range timers {
			timers[i] = armed(t, d, lookAhead/2, func() {})
		}
		armed(t, d, time.Hour, func() {})
		for _, timer := range timers {
			require.True(t, second(timer.ResetPending(time.Minute)))
		}
		sh, calls := d.inboxes[0].(*shard), s.soFar(d)
		_, ran := sh.next(d.now())
		require.False(t, ran)
		require.InDelta(t, mostMoved, s.soFar(d)-calls, 2)
		pass(time.Minute - time.Second)
		require.Equal(t, n+1, d.Len())
		pass(2 * time.Second)
		require.Equal(t, 1, d.Len())
	})
}

// What is stopped and keeps its place is bounded by what is pending, and records go when timers have.
func TestPlacesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 50_000
		d, s := startCounted(t)
		sh := d.inboxes[0].(*shard)
		places := func() int {
			sh.mu.Lock()
			defer sh.mu.Unlock()
			return s.Len()
		}
		timers := make([]Timer, n)
		for i := range timers {
			timers[i] = armed(t, d, time.Hour, func() {})
		}
		synctest.Wait()
		rand.Shuffle(n, func(i, j int) { timers[i], timers[j] = timers[j], timers[i] })
		for i, timer := range timers {
			require.True(t, timer.Stop())
			require.LessOrEqual(t, places(), (n-i-1)*3/2+mostIdle)
		}
		require.LessOrEqual(t, places(), mostIdle)
		for range mostIdle { // each takes over a place, and fires
			armed(t, d, time.Hour, func() {})
		}
		pass(2 * time.Hour)
		require.Zero(t, places())
		require.Equal(t, mostIdle, sh.spent+sh.idle.len(), "those that fired wait for the next timers")
		sh.mu.Lock()
		for sh.spent+sh.idle.len() > 0 {
			i, r := sh.takeIdle()
			state := r.state.Load()
			sh.release(i, r, uint32(state>>32), state&phaseMask)
		}
		sh.mu.Unlock()
		require.Equal(t, sparePages, sh.made())
		for _, timer := range timers {
			require.False(t, timer.Stop(), "stale, also where a page was dropped and made again")
		}
	})
}

// The next timers take the records of those that fired, and no other record is touched.
func TestRecordsOfFiredTimersAreTakenNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _ := startCounted(t)
		for range 3 * mostIdle {
			armed(t, d, time.Second, func() {})
		}
		pass(time.Minute)
		sh := d.inboxes[0].(*shard)
		sh.mu.Lock()
		require.Equal(t, mostIdle, sh.spent+sh.idle.len(), "the others were filed")
		room := sh.room.From(0)
		free := sh.uses[0].free
		sh.mu.Unlock()
		for range mostIdle {
			timer := armed(t, d, time.Second, func() {})
			require.Greater(t, timer.id.Generation(), uint32(1))
		}
		sh.mu.Lock()
		require.Zero(t, sh.spent+sh.idle.len())
		require.Equal(t, []any{room, free}, []any{sh.room.From(0), sh.uses[0].free})
		sh.mu.Unlock()
		pass(time.Minute)
		require.Zero(t, d.Len())
	})
}

// A record has each generation once.
func TestLastGenerationOfARecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _ := startCounted(t)
		first := armed(t, d, time.Second, func() {})
		require.True(t, first.Stop())
		sh := d.inboxes[0].(*shard)
		r := sh.at(first.id.Cell())
		r.state.Store(stateWith(math.MaxUint32-1, noteOf(r.state.Load()), recordCancelled))
		last := armed(t, d, time.Second, func() {})
		require.Equal(t, schedulers.MakeID(first.id.Cell(), math.MaxUint32), last.id)
		require.True(t, last.Stop())
		next := armed(t, d, time.Second, func() {})
		require.NotEqual(t, last.id.Cell(), next.id.Cell())
		require.False(t, last.Stop())
	})
}

// Deadlines that are far off or at the ends of the units are noted as what they are, or later.
func TestNotesOfPlaces(t *testing.T) {
	const unit = 1 << placeShift
	for _, at := range []time.Duration{0, 1, unit - 1, unit, unit + 1, 1e15, noteMask*unit - 1, noteMask * unit, forever} {
		state := stateWith(7, noteOfPlace(at), recordPending)
		got := bound(state, forever)
		require.GreaterOrEqual(t, got, at)
		if got != forever {
			require.Less(t, got-at, time.Duration(unit))
		}
		require.Equal(t, at, bound(state, at))
	}
}
