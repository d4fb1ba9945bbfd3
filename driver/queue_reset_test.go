package driver

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/heapsched"
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
	q.timer, err = q.add(deadline, newTask(func() {}, deadline))
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
	q.takeUp()
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
		q.takeUp()
		q.inPhase(phaseMoved)
		q.resets(300)
		q.inPhase(phaseWaiting)
		q.resets(200)
		q.takeUp()
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
			q.takeUp()
			when(q)
			_, ok := q.claim(150)
			require.False(t, ok)
			require.Zero(t, q.s.Len())
			if q.r.phase(q.timer.id.Generation()) == phaseOutside {
				q.r.n.Store(200)
				q.step(phaseOutside, phaseWaiting)
				q.putIn(q.timer.id, q.r)
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
	q.takeUp()
	q.inPhase(phaseOutside)
	require.Zero(t, q.s.Len())
	require.False(t, q.r.become(q.timer.id.Generation(), phaseResetting, phaseWaiting))
	q.r.n.Store(200)
	q.step(phaseOutside, phaseWaiting)
	q.putIn(q.timer.id, q.r)
	q.fires(200)
}

// A sweep, which is for what was stopped, leaves what is being reset in the queue.
func TestQueueSweepsNothingThatIsBeingReset(t *testing.T) {
	q := newQueueByHand(t, 100)
	q.step(phaseWaiting, phaseResetting)
	q.fetch()
	q.sweep()
	q.inPhase(phaseResetting)
	q.step(phaseResetting, phaseWaiting)
	q.fires(100)
}

// What was moved, reset and stopped before the worker came again leaves the
// scheduler, and its record is free.
func TestQueueStopAfterReset(t *testing.T) {
	for name, stop := range map[string]func(q *queueByHand) bool{
		"in the queue":       func(q *queueByHand) bool { q.resets(200); return q.stop(q.timer.id) },
		"before it is there": func(q *queueByHand) bool { q.step(phaseMoved, phaseWaiting); return q.stop(q.timer.id) },
	} {
		t.Run(name, func(t *testing.T) {
			q := newQueueByHand(t, 100)
			q.takeUp()
			require.Equal(t, 1, q.s.Len())
			require.True(t, stop(q))
			require.Equal(t, Cancelled, q.state(q.timer.id))
			if q.incoming.empty() {
				q.putIn(q.timer.id, q.r)
			}
			q.takeUp()
			require.Zero(t, q.s.Len())
			require.Zero(t, q.len())
			n, _, err := q.records.take()
			require.NoError(t, err)
			require.Equal(t, q.timer.id.Cell(), n, "it is free")
		})
	}
}

// A timer is reset to an earlier deadline while another reset of it has not put it
// into the queue yet: whoever does that wakes the worker for the earlier one.
func TestQueueResetWakesForTheLastDeadline(t *testing.T) {
	q := newQueueByHand(t, 100)
	q.takeUp()
	q.step(phaseMoved, phaseOutside)
	q.r.n.Store(1000)
	q.step(phaseOutside, phaseWaiting)
	q.until.Store(500)
	q.resets(200)
	require.Equal(t, int64(awake), q.until.Load(), "it has woken the worker, which finds nothing")
	require.True(t, q.incoming.empty())
	q.until.Store(500)
	q.putIn(q.timer.id, q.r)
	require.Equal(t, int64(awake), q.until.Load())
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
	require.Equal(t, q.moving.Load(), q.moved.Load(), "none is under way")
	q.fires(100)
	ok, _ := q.reset(id, 200)
	require.False(t, ok)
}
