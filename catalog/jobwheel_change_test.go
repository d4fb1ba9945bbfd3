package catalog

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/internal/must"
)

// keeperInMemory is a JobKeeper of one process. next returns the store as the next process finds it after a kill.
type keeperInMemory struct {
	mu     sync.Mutex
	kept   map[string]Job
	taken  map[string]bool
	fail   error         // of Keep and Drop
	takes  time.Duration // how long Keep and Drop take
	killed bool
}

func newKeeper(jobs ...Job) *keeperInMemory {
	m := &keeperInMemory{kept: map[string]Job{}, taken: map[string]bool{}}
	for _, j := range jobs {
		m.kept[j.ID] = j
	}
	return m
}

// only returns the keeper as a JobStore.
func (m *keeperInMemory) only() JobStore { return struct{ JobStore }{m} }

func (m *keeperInMemory) next() *keeperInMemory {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.killed = true
	return newKeeper(slices.Collect(maps.Values(m.kept))...)
}

func (m *keeperInMemory) change(f func()) error {
	time.Sleep(m.takes)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.killed {
		return errors.New("killed")
	}
	if m.fail == nil {
		f()
	}
	return m.fail
}

func (m *keeperInMemory) Keep(_ context.Context, job Job) error {
	return m.change(func() { m.kept[job.ID], m.taken[job.ID] = job, true })
}

func (m *keeperInMemory) Drop(_ context.Context, id string) error {
	return m.change(func() { delete(m.kept, id); delete(m.taken, id) })
}

func (m *keeperInMemory) Save(ctx context.Context, jobs []Job) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return m.change(func() {
		for _, j := range jobs {
			m.kept[j.ID] = j
			delete(m.taken, j.ID)
		}
	})
}

func (m *keeperInMemory) Take(context.Context) (jobs []Job, err error) {
	err = m.change(func() {
		for id, j := range m.kept {
			if !m.taken[id] {
				m.taken[id] = true
				jobs = append(jobs, j)
			}
		}
	})
	return jobs, err
}

func (m *keeperInMemory) ids() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Sorted(maps.Keys(m.kept))
}

func TestJobWheelLosesNothingWhenKilled(t *testing.T) {
	in(t, func(t *testing.T) {
		first := newKeeper()
		began := time.Now()
		s := openShop(t, BusinessWheel{Store: first, Run: func(j Job) {
			if j.ID == "running" {
				time.Sleep(time.Hour)
			}
		}})
		s.add("ran", sec)
		s.add("cancelled", sec)
		require.True(t, s.Cancel("cancelled"))
		s.add("running", 2*sec)
		s.add("due", 3*sec)
		s.add("later", 10*time.Minute)
		pass(5 * sec)
		require.Equal(t, []string{"ran", "running"}, s.runs())

		after := openShop(t, BusinessWheel{Store: first.next()})
		require.Equal(t, []string{"running", "due"}, after.runs(), "the one that had not ended runs again")
		require.Equal(t, []string{"later"}, ids(after.TriggerJobs()))
		require.Equal(t, began.Add(10*time.Minute), after.TriggerJobs()[0].Due)
		pass(20 * time.Minute)
		require.Equal(t, []string{"running", "due", "later"}, after.runs())
		require.Empty(t, after.Store.(*keeperInMemory).ids())
	})
}

func TestJobWheelRefusesWhatIsNotKept(t *testing.T) {
	in(t, func(t *testing.T) {
		var cancelled []string
		store := newKeeper()
		s := openShop(t, BusinessWheel{Store: store, Cancelled: func(j Job) { cancelled = append(cancelled, j.ID) }})
		s.add("kept", sec)
		store.fail = errors.New("disk is full")
		require.ErrorContains(t, s.Add(t.Context(), Job{ID: "refused"}), "disk is full")
		require.False(t, s.Cancel("kept"), "it would come back after a restart")
		require.Equal(t, []string{"kept"}, ids(s.TriggerJobs()))
		store.fail = nil
		s.add("refused", 2*sec)
		require.True(t, s.Cancel("refused"))
		pass(10 * sec)
		require.Equal(t, []string{"kept"}, s.runs())
		require.Equal(t, []string{"refused"}, cancelled)
		require.Empty(t, store.ids())
	})
}

// What cannot be dropped runs again after a restart rather than never.
func TestJobWheelRunsAgainWhatIsNotDropped(t *testing.T) {
	in(t, func(t *testing.T) {
		var log journal
		store := newKeeper()
		s := openShop(t, BusinessWheel{Store: store, Logger: log.logger(), Run: func(Job) { store.fail = errors.New("disk is full") }})
		s.add("a", sec)
		pass(2 * sec)
		require.Contains(t, log.String(), "job not dropped")
		require.Equal(t, []string{"a"}, store.ids())
		after := openShop(t, BusinessWheel{Store: store.next()})
		require.Equal(t, []string{"a"}, after.runs())
	})
}

// Who replaces a job that runs by one of the same ID has the record of the new one.
func TestJobWheelKeepsAJobThatAddsItself(t *testing.T) {
	in(t, func(t *testing.T) {
		store := newKeeper()
		var s *shop
		s = openShop(t, BusinessWheel{Store: store, Run: func(j Job) {
			require.NoError(t, s.Add(context.Background(), Job{ID: j.ID, Due: time.Now().Add(sec)}))
			time.Sleep(10 * ms)
		}})
		s.add("again", sec)
		pass(10 * sec)
		require.Equal(t, []string{"again"}, store.ids())
		require.GreaterOrEqual(t, len(s.runs()), 8)
	})
}

// A job that runs and could not be replaced is dropped: by itself, or by its replacement if that was on its way.
func TestJobWheelDropsWhatWasNotReplaced(t *testing.T) {
	in(t, func(t *testing.T) {
		store := newKeeper()
		var s *shop
		fail := func(err error) {
			store.mu.Lock()
			defer store.mu.Unlock()
			store.fail = err
		}
		again := func() error { return s.Add(context.Background(), Job{ID: "a", Due: time.Now().Add(time.Hour)}) }
		refused := make(chan error, 2)
		s = openShop(t, BusinessWheel{Store: store, Run: func(j Job) {
			if j.ID == "a" {
				fail(errors.New("disk is full"))
				refused <- again()
				fail(nil)
			} else {
				store.takes = sec
				go func() { refused <- s.Add(context.Background(), Job{ID: "b"}) }()
				time.Sleep(500 * ms)
			}
		}})
		s.add("a", sec)
		pass(2 * sec)
		require.ErrorContains(t, <-refused, "disk is full")
		require.Empty(t, store.ids())

		s.add("b", 0)
		pass(700 * ms) // it has ended, and the other is on its way
		fail(errors.New("disk is full"))
		pass(500 * ms)
		fail(nil)
		pass(2 * sec)
		require.ErrorContains(t, <-refused, "disk is full")
		require.Empty(t, store.ids())
		require.Empty(t, s.TriggerJobs())
	})
}

// While a job is being kept or dropped its ID is taken: nothing overtakes it.
func TestJobWheelWaitsForTheKeeper(t *testing.T) {
	in(t, func(t *testing.T) {
		store := newKeeper()
		s := openShop(t, BusinessWheel{Store: store})
		store.takes = sec
		go s.Add(context.Background(), Job{ID: "a", Due: time.Now().Add(time.Hour)})
		pass(500 * ms)
		require.Empty(t, s.TriggerJobs(), "it is not accepted yet")
		require.False(t, s.Cancel("a"))
		require.ErrorIs(t, s.Add(t.Context(), Job{ID: "a"}), ErrKnownJob)
		pass(sec)
		require.Equal(t, []string{"a"}, ids(s.TriggerJobs()))

		go s.Cancel("a")
		pass(500 * ms)
		require.Empty(t, s.TriggerJobs())
		began := time.Now()
		s.add("a", 2*time.Hour)
		require.Equal(t, 1500*ms, time.Since(began), "half a second until it is dropped, and one to keep it")
		require.Equal(t, []string{"a"}, store.ids())

		result := make(chan error)
		go func() { result <- s.Add(context.Background(), Job{ID: "b", Due: time.Now().Add(time.Hour)}) }()
		pass(500 * ms)
		jobs := must.Get(s.Close(context.Background()))(t)
		require.ErrorIs(t, <-result, driver.ErrClosed)
		require.Equal(t, []string{"a"}, ids(jobs))
		require.Equal(t, []string{"a"}, store.ids(), "what was refused is not kept")
	})
}

// A clock that is set back while a loaded job waits does not make it early: it is due by the clock.
func TestJobWheelLooksAtTheClockAgain(t *testing.T) {
	in(t, func(t *testing.T) {
		s := openShop(t, BusinessWheel{})
		p := &pendingJob{Job: Job{ID: "a", Due: time.Now().Add(time.Minute)}}
		s.pending["a"] = p
		s.run(p) // as a driver would whose clock is ahead
		require.Empty(t, s.runs())
		pass(time.Minute + 100*ms)
		require.Equal(t, []string{"a"}, s.runs())
	})
}
