package driver

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/heapsched"
	"schedbench/hierwheel"
	"schedbench/listsched"
	"schedbench/roundswheel"
	"schedbench/schedulers"
	"schedbench/singlewheel"
)

// bare hides what a scheduler can do beyond the interface.
type bare struct{ schedulers.Scheduler[Task] }

// The five move timers themselves, and so does NoCascade; others are helped.
func TestWhoIsMovable(t *testing.T) {
	single, _ := singlewheel.New[Task](1, 8)
	rounds, _ := roundswheel.New[Task](1, 8)
	hier, _ := hierwheel.New[Task](1, 8)
	noCascade, err := hierwheel.NewNoCascade[Task](1, 64, 8)
	require.NoError(t, err)
	for _, s := range []schedulers.Scheduler[Task]{
		heapsched.New[Task](), listsched.New[Task](), single, rounds, hier, noCascade,
	} {
		require.Same(t, s, movableOf(s))
		require.IsType(t, (*indirect)(nil), movableOf(bare{s}))
	}
}

// An ID leads to its task through any number of resets, and nowhere after it.
func TestIndirectKeepsIDs(t *testing.T) {
	heap := heapsched.New[Task]()
	in := movableOf(bare{heap}).(*indirect)
	task := newTask(func() {}, 5)
	id, err := in.Schedule(5, task)
	require.NoError(t, err)
	for i := range time.Duration(10) {
		ok, err := in.Reset(id, 10+i)
		require.NoError(t, err)
		require.True(t, ok)
		require.Equal(t, 1, heap.Len())
		require.Equal(t, task.n, in.Value(id).n)
	}
	var due [2]Task
	require.Zero(t, in.Expire(18, due[:]))
	require.Equal(t, 1, in.Expire(19, due[:]))
	require.Equal(t, task.n, due[0].n)
	requireGone(t, in, id)
}

func TestIndirectCancels(t *testing.T) {
	heap := heapsched.New[Task]()
	in := movableOf(bare{heap}).(*indirect)
	id, _ := in.Schedule(5, newTask(func() {}, 5))
	require.True(t, in.Cancel(id))
	require.Zero(t, heap.Len())
	requireGone(t, in, id)
}

func requireGone(t *testing.T, in *indirect, id schedulers.ID) {
	t.Helper()
	require.Nil(t, in.Value(id))
	require.False(t, in.Cancel(id))
	ok, err := in.Reset(id, 100)
	require.NoError(t, err)
	require.False(t, ok)
	require.Zero(t, in.Len())
	require.Zero(t, in.cells.Used(), "nothing is kept")
	for range in.All() {
		require.Fail(t, "listed")
	}
}

// deaf is a scheduler that cancels nothing and says that it did.
type deaf struct{ schedulers.Scheduler[Task] }

func (deaf) Cancel(schedulers.ID) bool { return true }

// What comes out though it was cancelled, and what comes out twice, runs.
func TestIndirectHidesNoFault(t *testing.T) {
	in := movableOf(deaf{heapsched.New[Task]()})
	ran := 0
	cancelled, _ := in.Schedule(5, newTask(func() { ran++ }, 5))
	require.True(t, in.Cancel(cancelled))
	twice, _ := in.Schedule(5, newTask(func() { ran += 10 }, 5))
	ok, _ := in.Reset(twice, 6)
	require.True(t, ok)
	var due [5]Task
	n := in.Expire(10, due[:])
	for _, task := range due[:n] {
		require.False(t, task.repeats())
		task.f()
	}
	require.Equal(t, 21, ran)
}
