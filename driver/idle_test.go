package driver

import (
	"context"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/heapsched"
	"schedbench/internal/must"
	"schedbench/schedulers"
	"schedbench/singlewheel"
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

// A record leaves a list and comes back, between the reading and the writing of another goroutine: that one reads again.
func TestARecordThatCameBackIsNotMistaken(t *testing.T) {
	var rs records
	rs.open()
	var list idleList
	i, r := rs.take()
	list.add(i, r, 1)
	top := list.top.Load()
	taken, _ := list.take(&rs)
	require.Equal(t, i, taken)
	list.add(i, r, 2)
	require.False(t, list.put(top, i))
}

// atOnce has two functions begin at the same time, again and again, each a little earlier or later than the other: so one
// finds the other at each of its steps.
func atOnce(before, one, other, after func()) {
	rounds := int64(50_000)
	if testing.Short() {
		rounds = 5_000
	}
	var begun, ended atomic.Int64
	spin := func(until func() bool) {
		for n := 1; !until(); n++ {
			if n%1000 == 0 {
				runtime.Gosched()
			}
		}
	}
	pause := func(steps int64) { spin(func() bool { steps--; return steps < 0 }) }
	go func() {
		for i := int64(1); i <= rounds; i++ {
			spin(func() bool { return begun.Load() == i })
			pause(i % 67)
			other()
			ended.Store(i)
		}
	}()
	for i := int64(1); i <= rounds; i++ {
		before()
		begun.Store(i)
		pause(i % 71)
		one()
		spin(func() bool { return ended.Load() == i })
		after()
	}
}

// Stop adds a record to a list while another call finds the list empty: it is looked at the next time.
func TestAListThatFillsMeanwhileIsNotForgotten(t *testing.T) {
	d, _ := startCounted(t)
	sh := d.inboxes[0].(*shard)
	_, list := sh.idle.mine()
	var timer Timer
	atOnce(func() {
		sh.mu.Lock()
		for i, r := sh.takeIdle(); r != nil; i, r = sh.takeIdle() {
			sh.discard(i, r)
		}
		sh.mu.Unlock()
		timer = armed(t, d, time.Hour, func() {})
		sh.filled.Store(1 << list) // as if a record had just been taken from it
	}, func() { timer.Stop() }, func() {
		sh.mu.Lock()
		if i, r := sh.takeIdle(); r != nil {
			sh.discard(i, r)
		}
		sh.mu.Unlock()
	}, func() {
		for i := range sh.idle {
			require.True(t, uint32(sh.idle[i].top.Load()) == 0 || sh.filled.Load()>>i&1 == 1)
		}
	})
}

// AfterFunc takes a record with its place over while the worker takes that place out: the timer has a place all the same,
// or the worker has seen it.
func TestAPlaceIsTakenOverOrTakenOut(t *testing.T) {
	d, _ := startCounted(t, WithWaking(FixedTick(time.Hour)))
	sh := d.inboxes[0].(*shard)
	var timer Timer
	atOnce(func() {
		timer = armed(t, d, time.Minute, func() {})
		timer.Stop()
	}, func() {
		timer = armed(t, d, 2*time.Hour, func() {})
	}, func() {
		sh.mu.Lock()
		sh.fetch(time.Hour)
		sh.mu.Unlock()
	}, func() {
		sh.mu.Lock()
		seen := slices.Contains(sh.handed[sh.begun:sh.found], Task{int64(timer.id)})
		sh.begun, sh.found = 0, 0
		sh.mu.Unlock()
		require.True(t, seen || sh.at(timer.id.Cell()).place() != 0)
		timer.Stop()
	})
}

// The worker takes a place out first, and then waits for a goroutine that is about to take the record: that one sees that
// the place is gone, or its timer is among those that the worker looks at.
func TestFetchTakesThePlaceBeforeItLooks(t *testing.T) {
	d, _ := startCounted(t, WithWaking(FixedTick(time.Hour)))
	sh := d.inboxes[0].(*shard)
	timer := armed(t, d, time.Minute, func() {})
	r := sh.at(timer.id.Cell())
	sh.mu.Lock()
	defer sh.mu.Unlock()
	state, ok := r.own()
	require.True(t, ok)
	fetched := make(chan int)
	go func() { fetched <- sh.fetch(time.Hour) }()
	require.Eventually(t, func() bool { return r.place() == 0 }, time.Minute, time.Millisecond)
	select {
	case <-fetched:
		t.Error("it did not wait")
	default:
	}
	r.state.Store(state)
	require.Equal(t, 1, <-fetched)
	require.Equal(t, 1, sh.found)
}

// When most timers have fired, few records stay idle.
func TestIdleRecordsAreFiledWhenOthersFire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _ := startCounted(t)
		const n = 10 * mostIdle
		timers := make([]Timer, n)
		for i := range timers {
			armed(t, d, time.Minute, func() {})
			timers[i] = armed(t, d, time.Hour, func() {})
		}
		for _, timer := range timers {
			require.True(t, timer.Stop())
		}
		sh := d.inboxes[0].(*shard)
		require.Greater(t, sh.idle.len(), n/4)
		pass(2 * time.Minute)
		sh.checkIdle(t)
	})
}

// A record is found wherever it was stopped: by another goroutine, or before a scheduler with a horizon.
func TestIdleRecordsOfOthersAreTaken(t *testing.T) {
	wheel := must.Get(singlewheel.New[Task](time.Millisecond, 1<<22))(t)
	for name, s := range map[string]schedulers.Scheduler[Task]{"of one": &Limited{heapsched.New[Task](), 1}, "horizon": wheel} {
		t.Run(name, func(t *testing.T) {
			d := must.Get(Start(s))(t)
			defer d.Close(context.Background())
			for range 1000 {
				timer := armed(t, d, time.Hour, func() {})
				var wg sync.WaitGroup
				wg.Go(func() { timer.Stop() })
				wg.Wait()
			}
			require.Equal(t, 1, s.Len())
		})
	}
}

// Limited is a heap of at most some values.
type Limited struct {
	*heapsched.Heap[Task]
	Most int
}

func (l *Limited) Schedule(deadline time.Duration, task Task) (schedulers.ID, error) {
	if l.Len() >= l.Most {
		return 0, schedulers.ErrFull
	}
	return l.Heap.Schedule(deadline, task)
}

// Many goroutines stop a part, and one the rest: what they leave behind stays bounded.
func TestIdleRecordsOfManyAreBounded(t *testing.T) {
	const n, others = 100_000, 16
	d, s := startCounted(t)
	timers := make([]Timer, n)
	for i := range timers {
		timers[i] = armed(t, d, time.Hour, func() {})
	}
	sh := d.inboxes[0].(*shard)
	bounded := func() {
		sh.mu.Lock()
		defer sh.mu.Unlock()
		require.LessOrEqual(t, s.Len(), sh.left()*3/2+600)
	}
	const part = n / 3 / others
	var wg sync.WaitGroup
	for g := range others {
		wg.Go(func() {
			for _, timer := range timers[g*part : (g+1)*part] {
				timer.Stop()
			}
		})
	}
	wg.Wait()
	bounded()
	for i, timer := range timers[others*part:] {
		require.True(t, timer.Stop())
		if i%1000 == 0 {
			bounded()
		}
	}
	bounded()
	sh.checkIdle(t)
}

// The worker sleeps as if nothing were pending. A timer that never comes takes a place over, and is reset to a deadline
// that does come.
func TestATimerThatNeverComesIsPutToSooner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _ := startCounted(t)
		stopped := armed(t, d, time.Hour, func() {})
		armed(t, d, time.Millisecond, func() {})
		require.True(t, stopped.Stop())
		pass(time.Second)
		require.Zero(t, d.Len())
		ran := false
		timer := armed(t, d, math.MaxInt64, func() { ran = true })
		require.True(t, must.Get(timer.ResetPending(2*time.Hour))(t))
		pass(3 * time.Hour)
		require.True(t, ran)
	})
}

// A timer that the scheduler refused, for which the worker sleeps, is not silently put to a sooner deadline.
func TestARefusedTimerIsResetUnderTheMutex(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Limited{heapsched.New[Task](), 1}
		d := must.Get(Start(s))(t)
		defer d.Close(context.Background())
		ran := false
		timer := armed(t, d, time.Second, func() { ran = true })
		synctest.Wait()
		require.True(t, must.Get(timer.ResetPending(time.Hour))(t))
		sh := d.inboxes[0].(*shard)
		sh.mu.Lock()
		s.Most = 0
		sh.mu.Unlock()
		pass(2 * time.Second)
		require.Len(t, sh.refused, 1)
		_, err := timer.ResetPending(time.Minute)
		require.ErrorIs(t, err, schedulers.ErrFull)
		pass(time.Hour)
		require.True(t, ran)
	})
}

// quiet leaves out what depends on when the worker woke.
func quiet(st Stats) Stats {
	st.Wakeups, st.Kicks = 0, 0
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
		n := walk(sh.idle[i].top.Load() & (1<<32 - 1))
		require.Equal(t, sh.idle[i].len(), n)
		require.True(t, n == 0 || sh.filled.Load()>>i&1 == 1)
	}
	require.Equal(t, sh.spent, walk(sh.ended))
	used := 0
	for _, use := range sh.uses {
		used += use.used
	}
	require.Len(t, seen, used, "a record is lost")
	require.LessOrEqual(t, used, mostIdle+600)
}
