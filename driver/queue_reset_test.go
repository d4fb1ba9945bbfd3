package driver

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/heapsched"
	"schedbench/listsched"
	"schedbench/schedulers"
)

// queueByHand is a queue whose worker is the test, with one timer.
type queueByHand struct {
	*testing.T
	*queue
	timer Timer
	r     *queueRecord
}

func newQueueByHand(t *testing.T, deadline time.Duration) *queueByHand {
	return newQueueByHandOf(t, heapsched.New[Task](), deadline)
}

func newQueueByHandOf(t *testing.T, s schedulers.Scheduler[Task], deadline time.Duration) *queueByHand {
	c := &core{config: config{waking: SkipToNext{}}, wait: newTimerWaiter()}
	c.started.Store(true)
	k, err := newClocked(c, s)
	require.NoError(t, err)
	q := &queueByHand{T: t, queue: newQueue(k, Queued{PerWakeup: 10})}
	q.timer, err = q.add(deadline, newRun(func() {}, deadline))
	require.NoError(t, err)
	q.r = q.records.at(q.timer.id.Cell())
	return q
}

// resets gives the timer a deadline, which must be possible.
func (q *queueByHand) resets(deadline time.Duration) {
	q.Helper()
	ok, err := q.reset(q.timer.id, deadline)
	require.NoError(q, err)
	require.True(q, ok)
}

// fires demands that the timer begins at an instant, and not before.
func (q *queueByHand) fires(at time.Duration) {
	q.Helper()
	q.takeUp(q.perWakeup)
	_, ok := q.claim(at - 1)
	require.False(q, ok)
	_, ok = q.claim(at)
	require.True(q, ok)
	require.Equal(q, Fired, q.state(q.timer.id))
	require.Zero(q, q.s.Len())
	require.Zero(q, q.len())
}

// step is one of somebody who was stopped halfway.
func (q *queueByHand) step(from, to queuePhase) {
	q.Helper()
	require.True(q, q.r.become(q.timer.id.Generation(), from, to))
	require.Equal(q, IsPending, q.state(q.timer.id))
}

func (q *queueByHand) inPhase(p queuePhase) {
	q.Helper()
	require.Equal(q, p, q.r.phase(q.timer.id.Generation()))
}

func TestQueueResetOfWhatWaits(t *testing.T) {
	q := newQueueByHand(t, 100)
	q.resets(300)
	q.inPhase(phaseWaiting)
	q.resets(200)
	q.fires(200)
}

func TestQueueResetOfWhatWasMoved(t *testing.T) {
	for _, s := range []schedulers.Scheduler[Task]{heapsched.New[Task](), bare{heapsched.New[Task]()}} {
		q := newQueueByHandOf(t, s, 100)
		q.takeUp(q.perWakeup)
		q.inPhase(phaseMoved)
		q.resets(300)
		q.inPhase(phaseWaiting)
		q.resets(200)
		q.takeUp(q.perWakeup)
		require.Equal(t, 1, q.s.Len(), "%T", s)
		q.fires(200)
	}
}

// What the scheduler hands out for the old deadline does not begin, neither before
// the worker knows of the new one nor after.
func TestQueueResetOfWhatIsHandedOut(t *testing.T) {
	for name, when := range map[string]func(q *queueByHand){
		"already due":          func(q *queueByHand) { q.resets(200) },
		"reset again":          func(q *queueByHand) { q.resets(300); q.resets(200) },
		"while it is being so": func(q *queueByHand) { q.step(phaseMoved, phaseOutside) },
	} {
		t.Run(name, func(t *testing.T) {
			q := newQueueByHand(t, 100)
			q.takeUp(q.perWakeup)
			when(q)
			_, ok := q.claim(150)
			require.False(t, ok)
			require.Zero(t, q.s.Len())
			if q.r.phase(q.timer.id.Generation()) == phaseOutside {
				q.r.postpone(200)
				q.putBack(q.takePlace(), q.timer.id, q.r)
				q.again.Add(1)
			}
			q.fires(200)
		})
	}
}

// The worker comes upon a record that is being reset, and leaves it to whoever does
// that to put it back.
func TestQueueMovesNothingThatIsBeingReset(t *testing.T) {
	q := newQueueByHand(t, 100)
	q.step(phaseWaiting, phaseResetting)
	q.takeUp(q.perWakeup)
	q.inPhase(phaseOutside)
	require.Zero(t, q.s.Len())
	require.False(t, q.r.become(q.timer.id.Generation(), phaseResetting, phaseWaiting))
	q.r.postpone(200)
	q.putBack(q.takePlace(), q.timer.id, q.r)
	q.inPhase(phaseWaiting)
	q.again.Add(1)
	q.fires(200)
}

// The worker comes to a place that is not filled, or whose timer is not back yet: it leaves
// what comes after it to nobody, and comes again.
func TestQueueComesTooEarly(t *testing.T) {
	t.Run("not filled", func(t *testing.T) {
		q := newQueueByHand(t, 100)
		id, r, err := q.records.take()
		require.NoError(t, err)
		later, err := q.add(300, newRun(func() {}, 300))
		require.NoError(t, err)
		q.takeUp(q.perWakeup)
		require.Equal(t, 2, q.s.Len())
		require.Equal(t, IsPending, q.state(later.id))
		require.False(t, q.isWaiting())
		r.fill(id.Generation(), newRun(func() {}, 50), phaseWaiting)
		require.True(t, q.isWaiting())
		q.takeUp(q.perWakeup)
		require.Equal(t, 3, q.s.Len())
		require.Empty(t, q.early)
		require.True(t, q.places.late, "its ID may be read later still")
	})
	t.Run("filled meanwhile, and another taken", func(t *testing.T) {
		s := &interrupted{Scheduler: listsched.New[Task]()} // which keeps the order of what is due at once
		q := newQueueByHandOf(t, s, 100)
		q.takeUp(q.perWakeup)
		var order []string
		named := func(name string) taskRun { return newRun(func() { order = append(order, name) }, 100) }
		id, r, err := q.records.take()
		require.NoError(t, err)
		_, err = q.add(100, named("of another"))
		require.NoError(t, err)
		s.now = func() {
			s.now = func() {}
			r.fill(id.Generation(), named("first"), phaseWaiting)
			_, err := q.add(100, named("second"))
			require.NoError(t, err)
		}
		q.takeUp(q.perWakeup)
		for range 4 {
			task, ok := q.claim(100)
			require.True(t, ok)
			task.f()
		}
		require.Equal(t, []string{"of another", "first", "second"}, order)
	})
	t.Run("not back", func(t *testing.T) {
		q := newQueueByHand(t, 100)
		q.takeUp(q.perWakeup)
		q.step(phaseMoved, phaseOutside)
		q.r.postpone(200)
		place := q.takePlace()
		q.records.at(place.Cell()).fill(place.Generation(), taskRun{n: int64(q.timer.id)}, phaseAgain)
		q.takeUp(q.perWakeup)
		require.False(t, q.isWaiting())
		q.inPhase(phaseOutside)
		q.step(phaseOutside, phaseWaiting)
		require.True(t, q.isWaiting())
		q.again.Add(1)
		q.fires(200)
	})
}

// interrupted is a scheduler during whose calls something happens.
type interrupted struct {
	schedulers.Scheduler[Task]
	now func()
}

func (s *interrupted) Schedule(deadline time.Duration, task Task) (schedulers.ID, error) {
	if s.now != nil {
		s.now()
	}
	return s.Scheduler.Schedule(deadline, task)
}

// A stretch of which an ID may be read later still is not used again.
func TestQueueUsesNoStretchAgainThatIsLate(t *testing.T) {
	for _, late := range []bool{false, true} {
		q := newQueueByHand(t, 100)
		q.takeUp(q.perWakeup)
		first := q.places.in
		if late {
			_, _, err := q.records.take()
			require.NoError(t, err)
		}
		for range 2 * stretchLen {
			timer, err := q.add(forever, newRun(func() {}, forever))
			require.NoError(t, err)
			require.True(t, q.stop(timer.id))
		}
		q.takeUp(q.perWakeup)
		require.NotSame(t, first, q.places.in)
		again := false
		for s := q.records.spare.empty; s != nil; s = s.below {
			again = again || s == first
		}
		for s := q.records.spare.full; s != nil; s = s.below {
			again = again || s == first
		}
		require.Equal(t, !late, again || q.records.spare.filling == first)
	}
}

// A place that was taken for a reset that came to nothing is passed.
func TestQueuePassesWhatWasWasted(t *testing.T) {
	q := newQueueByHand(t, 100)
	q.waste(q.takePlace())
	require.Equal(t, 1, q.len())
	q.fires(100)
}

// What was moved, reset and stopped before the worker came again leaves the
// scheduler, and its record is free.
func TestQueueStopAfterReset(t *testing.T) {
	for name, stop := range map[string]func(q *queueByHand) bool{
		"in the queue": func(q *queueByHand) bool { q.resets(200); return q.stop(q.timer.id) },
	} {
		t.Run(name, func(t *testing.T) {
			q := newQueueByHand(t, 100)
			q.takeUp(q.perWakeup)
			require.Equal(t, 1, q.s.Len())
			require.True(t, stop(q))
			require.Equal(t, Cancelled, q.state(q.timer.id))
			q.takeUp(q.perWakeup)
			require.Zero(t, q.s.Len())
			require.Zero(t, q.len())
			require.Equal(t, q.timer.id.Generation()+1, q.records.spare.filling.ids[q.records.spare.filling.first+1].Generation(), "it is free")
		})
	}
}

// Whoever resets a timer wakes the worker for its own deadline, if that is earlier than the end of its
// sleep.
func TestQueueResetWakesForItsDeadline(t *testing.T) {
	q := newQueueByHand(t, 100)
	for _, moved := range []bool{false, true} {
		if moved {
			q.takeUp(q.perWakeup)
		}
		q.until.Store(500)
		q.resets(600)
		require.Equal(t, int64(500), q.until.Load())
		q.resets(200)
		require.Equal(t, int64(awake), q.until.Load())
	}
	q.fires(200)
}

// A reset of another timer's ID, or of a stale one, changes nothing.
func TestQueueResetOfForeignIDs(t *testing.T) {
	q := newQueueByHand(t, 100)
	id := q.timer.id
	for _, other := range []schedulers.ID{
		0, schedulers.MakeID(id.Cell(), id.Generation()+1), schedulers.MakeID(id.Cell()+1, id.Generation()),
		schedulers.MakeID(1<<30, 1),
	} {
		ok, err := q.reset(other, 200)
		require.NoError(t, err)
		require.False(t, ok)
	}
	require.Equal(t, q.moving.Load(), q.queue.resets(), "none is under way")
	q.fires(100)
	ok, _ := q.reset(id, 200)
	require.False(t, ok)
}

// bare hides what a scheduler can do beyond the interface.
type bare struct{ schedulers.Scheduler[Task] }
