package jobfile

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
)

const (
	ms  = time.Millisecond
	sec = time.Second
)

type order struct {
	Number int
	Lines  []string
}

// openAt opens a store of orders that is closed when the test ends.
func openAt(t *testing.T, path string, o Options) *Store[order] {
	t.Helper()
	s, err := Open[order](path, o)
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

func openNew(t *testing.T) (*Store[order], string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "jobs")
	return openAt(t, path, Options{}), path
}

func take(t *testing.T, s *Store[order]) []catalog.Job {
	t.Helper()
	jobs, err := s.Take(t.Context())
	require.NoError(t, err)
	slices.SortFunc(jobs, func(a, b catalog.Job) int { return cmp.Compare(a.ID, b.ID) })
	return jobs
}

func TestWhatIsKeptComesBack(t *testing.T) {
	s, path := openNew(t)
	due := time.Date(2031, 2, 3, 4, 5, 6, 7, time.UTC)
	jobs := []catalog.Job{
		{ID: "a", Due: due, Payload: order{17, []string{"tea", "cups"}}},
		{ID: "b", Due: due.Add(time.Hour)},
		{ID: "c/with.all kinds\x00of", Due: due, Payload: order{}},
	}
	for _, j := range jobs {
		require.NoError(t, s.Keep(t.Context(), j))
	}
	require.Empty(t, take(t, s), "whoever added them has them")
	require.NoError(t, s.Keep(t.Context(), catalog.Job{ID: "d", Due: due}))
	require.NoError(t, s.Drop(t.Context(), "d"))
	require.NoError(t, s.Drop(t.Context(), "d"))
	require.Equal(t, 3, s.Len())
	require.NoError(t, s.Close())

	s = openAt(t, path, Options{})
	require.Equal(t, jobs, take(t, s))
	require.Empty(t, take(t, s), "none twice")
	require.NoError(t, s.Save(t.Context(), jobs[1:2]))
	require.Equal(t, jobs[1:2], take(t, s), "until it is given back")
	require.Equal(t, 3, s.Len())
}

func TestAJobIsReplaced(t *testing.T) {
	s, path := openNew(t)
	due := time.Date(2031, 2, 3, 4, 5, 6, 7, time.UTC)
	require.NoError(t, s.Keep(t.Context(), catalog.Job{ID: "a", Due: due}))
	require.NoError(t, s.Keep(t.Context(), catalog.Job{ID: "a", Due: due.Add(1)}))
	require.NoError(t, s.Close())
	require.Equal(t, []catalog.Job{{ID: "a", Due: due.Add(1)}}, take(t, openAt(t, path, Options{})))
}

func TestOneProcessHasTheFile(t *testing.T) {
	s, path := openNew(t)
	_, err := Open[order](path, Options{})
	require.ErrorIs(t, err, ErrInUse)
	require.ErrorContains(t, err, path)
	opened := make(chan error)
	go func() {
		other, err := Open[order](path, Options{Wait: time.Hour})
		if err == nil {
			err = other.Close()
		}
		opened <- err
	}()
	require.NoError(t, s.Close())
	require.NoError(t, <-opened)
}

func TestWhatCannotBeKeptIsRefused(t *testing.T) {
	s, path := openNew(t)
	require.ErrorIs(t, s.Keep(t.Context(), catalog.Job{ID: "a", Payload: "no order"}), ErrPayload)
	require.ErrorIs(t, s.Save(t.Context(), []catalog.Job{{ID: "a", Payload: 17}}), ErrPayload)
	require.Error(t, s.Keep(t.Context(), catalog.Job{ID: "a", Due: time.Date(10001, 1, 1, 0, 0, 0, 0, time.UTC)}))
	require.Error(t, s.Keep(t.Context(), catalog.Job{}), "no ID")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, s.Keep(ctx, catalog.Job{ID: "a"}), context.Canceled)
	require.Zero(t, s.Len())
	require.NoError(t, s.Keep(t.Context(), catalog.Job{ID: "a", Payload: order{17, nil}}))
	require.NoError(t, s.Close())
	require.Error(t, s.Keep(t.Context(), catalog.Job{ID: "b"}), "it is closed")
	require.Error(t, s.Drop(t.Context(), "a"), "it is closed")

	other, err := Open[int](path, Options{})
	require.NoError(t, err)
	_, err = other.Take(t.Context())
	require.ErrorIs(t, err, ErrPayload, "it was written as an order")
	require.NoError(t, other.Close())

	_, err = Open[order](filepath.Join(path, "below a file"), Options{})
	require.Error(t, err)
	require.NoError(t, os.WriteFile(path, []byte("this is no database, but a text"), 0o600))
	_, err = Open[order](path, Options{})
	require.ErrorContains(t, err, path)
}

// runs is a wheel on a store, and what it has run.
type runs struct {
	*catalog.JobWheel
	mu   sync.Mutex
	list []string
}

func openWheel(t *testing.T, store catalog.JobStore) *runs {
	t.Helper()
	r := &runs{}
	w, err := catalog.BusinessWheel{Store: store, Run: func(j catalog.Job) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.list = append(r.list, fmt.Sprint(j.ID, j.Payload))
	}}.Open(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { w.Close(context.Background()) })
	r.JobWheel = w
	return r
}

func (r *runs) all() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.list)
}

// One wheel after another, in virtual time, on a real file.
func TestJobsGoFromWheelToWheel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, path := openNew(t)
		first := openWheel(t, s)
		add := func(w *runs, id string, delay time.Duration) {
			require.NoError(t, w.Add(t.Context(), catalog.Job{ID: id, Due: time.Now().Add(delay), Payload: order{Number: len(id)}}))
		}
		add(first, "soon", sec)
		add(first, "overdue", sec+time.Minute)
		add(first, "cancelled", time.Hour)
		add(first, "later", 2*time.Hour)
		require.True(t, first.Cancel("cancelled"))
		time.Sleep(30 * sec)
		synctest.Wait()
		require.Equal(t, []string{"soon{4 []}"}, first.all())
		jobs, err := first.Close(t.Context())
		require.NoError(t, err)
		require.Len(t, jobs, 2)
		require.NoError(t, s.Close())
		time.Sleep(10 * time.Minute)

		s = openAt(t, path, Options{NoSync: true})
		second := openWheel(t, s)
		require.Equal(t, []string{"overdue{7 []}"}, second.all())
		time.Sleep(3 * time.Hour)
		synctest.Wait()
		require.Equal(t, []string{"overdue{7 []}", "later{5 []}"}, second.all())
		require.Zero(t, s.Len())
	})
}

// A disk that is full refuses jobs, and keeps those that it has accepted.
func TestAFullDiskRefusesJobs(t *testing.T) {
	s, path := openNew(t)
	s.db.MaxSize = 1 << 16
	w := openWheel(t, s)
	payload := order{Lines: []string{string(make([]byte, 1000))}}
	accepted, refused := []string{}, 0
	for i := range 100 {
		j := catalog.Job{ID: fmt.Sprintf("%03d", i), Due: time.Now().Add(time.Hour), Payload: payload}
		if w.Add(t.Context(), j) == nil {
			accepted = append(accepted, j.ID)
		} else {
			refused++
		}
	}
	require.NotEmpty(t, accepted)
	require.NotZero(t, refused)
	require.Len(t, w.TriggerJobs(), len(accepted))
	w.Close(context.Background())
	require.NoError(t, s.Close())

	var kept []string
	for _, j := range take(t, openAt(t, path, Options{})) {
		kept = append(kept, j.ID)
	}
	require.Equal(t, accepted, kept)
}

// Many goroutines at once, which share the disk's acknowledgements.
func TestManyAddAndCancel(t *testing.T) {
	s, path := openNew(t)
	w := openWheel(t, s)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 20 {
				j := catalog.Job{ID: fmt.Sprint(g, "-", i), Due: time.Now().Add(time.Hour)}
				if err := w.Add(context.Background(), j); err != nil {
					t.Error(err)
				}
				if i%2 == 0 && !w.Cancel(j.ID) {
					t.Error("not cancelled: ", j.ID)
				}
			}
		})
	}
	wg.Wait()
	require.Len(t, w.TriggerJobs(), 80)
	require.NoError(t, s.Close(), "without an orderly shutdown of the wheel")
	require.Len(t, take(t, openAt(t, path, Options{})), 80)
}
