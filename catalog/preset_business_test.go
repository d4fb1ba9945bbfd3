package catalog

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/internal/lists"
	"schedbench/internal/must"
)

// shop is a wheel that writes down which jobs ran.
type shop struct {
	*JobWheel
	t   *testing.T
	mu  sync.Mutex
	ran []string
}

func openShop(t *testing.T, p BusinessWheel) *shop {
	t.Helper()
	s := &shop{t: t}
	work := p.Run
	p.Run = func(j Job) {
		s.mu.Lock()
		s.ran = append(s.ran, j.ID)
		s.mu.Unlock()
		if work != nil {
			work(j)
		}
	}
	w := must.Get(p.Open(t.Context()))(t)
	t.Cleanup(func() { w.Close(context.Background()) })
	s.JobWheel = w
	return s
}

func (s *shop) runs() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.ran)
}

func (s *shop) add(id string, delay time.Duration) {
	s.t.Helper()
	require.NoError(s.t, s.Add(s.t.Context(), Job{ID: id, Due: time.Now().Add(delay)}))
}

func ids(jobs []Job) []string { return lists.Each(jobs, func(j Job) string { return j.ID }) }

func TestBusinessWheelIsNettys(t *testing.T) {
	in(t, func(t *testing.T) {
		s := openShop(t, BusinessWheel{})
		s.add("a", 101*ms)
		pass(199 * ms)
		require.Empty(t, s.runs())
		pass(ms)
		require.Equal(t, []string{"a"}, s.runs())
		pass(sec)
		require.EqualValues(t, 12, s.d.Stats().Wakeups)
	})
}

func TestBusinessWheelAddWaitsForRoom(t *testing.T) {
	in(t, func(t *testing.T) {
		s := openShop(t, BusinessWheel{Bound: 2})
		s.add("a", 10*sec)
		s.add("b", 20*sec)
		began := time.Now()
		s.add("c", 0)
		require.Equal(t, 10*sec, time.Since(began), "a has made room")

		go func() { time.Sleep(sec); s.Cancel("b") }()
		s.add("d", time.Hour)
		require.Equal(t, 10*sec+100*ms, time.Since(began), "c has made room")
		s.add("e", time.Hour)
		require.Equal(t, 11*sec, time.Since(began), "the cancelled b has made room")

		ctx, cancel := context.WithTimeout(t.Context(), sec)
		defer cancel()
		require.ErrorIs(t, s.Add(ctx, Job{ID: "f"}), context.DeadlineExceeded)

		go func() { time.Sleep(sec); s.Close(context.Background()) }()
		require.ErrorIs(t, s.Add(t.Context(), Job{ID: "g"}), driver.ErrClosed)
	})
}

func TestBusinessWheelDriverRefusesBeyondItsBound(t *testing.T) {
	in(t, func(t *testing.T) {
		l := open(t, BusinessWheel{Bound: 2}, driver.WithMaxPending(1))
		l.after(sec, nothing)
		l.after(sec, nothing)
		_, err := l.AfterFunc(sec, nothing)
		require.ErrorIs(t, err, driver.ErrMaxPending)
		_, err = BusinessWheel{Bound: -1}.Start()
		require.ErrorIs(t, err, driver.ErrOption)
	})
}

func TestBusinessWheelTellsOfCancelledJobs(t *testing.T) {
	in(t, func(t *testing.T) {
		var cancelled []string
		s := openShop(t, BusinessWheel{Cancelled: func(j Job) { cancelled = append(cancelled, j.ID) }})
		s.add("a", sec)
		s.add("b", sec)
		s.add("c", time.Hour)
		require.True(t, s.Cancel("b"))
		require.False(t, s.Cancel("b"))
		require.False(t, s.Cancel("nobody"))
		pass(2 * sec)
		require.False(t, s.Cancel("a"))
		s.Close(context.Background())
		require.False(t, s.Cancel("c"))
		require.Equal(t, []string{"b"}, cancelled)
		require.Equal(t, []string{"a"}, s.runs())
	})
}

func TestBusinessWheelListsTheJobsToRun(t *testing.T) {
	in(t, func(t *testing.T) {
		s := openShop(t, BusinessWheel{})
		s.add("c", 3*sec)
		s.add("a", sec)
		s.add("d", 4*sec)
		s.add("b", 2*sec)
		require.Equal(t, []string{"a", "b", "c", "d"}, ids(s.TriggerJobs()))
		require.True(t, s.Cancel("c"))
		pass(1500 * ms)
		require.Equal(t, []string{"b", "d"}, ids(s.TriggerJobs()))
		require.ErrorIs(t, s.Add(t.Context(), Job{ID: "b"}), ErrKnownJob)
		s.add("a", sec)
	})
}

func TestBusinessWheelStoresWhatDidNotRun(t *testing.T) {
	in(t, func(t *testing.T) {
		store := newKeeper()
		began := time.Now()
		s := openShop(t, BusinessWheel{Store: store.only(), Run: func(j Job) {
			if j.ID == "slow" {
				time.Sleep(10 * sec)
			}
		}})
		s.add("done", sec)
		s.add("slow", 2*sec)
		s.add("due", 3*sec)
		s.add("later", time.Hour)
		s.add("cancelled", time.Hour)
		s.Cancel("cancelled")
		pass(5 * sec)
		saved := must.Get(s.Close(context.Background()))(t)
		require.Equal(t, []string{"done", "slow"}, s.runs())
		require.Equal(t, []string{"due", "later"}, ids(saved))
		require.Equal(t, []string{"due", "later"}, store.ids())
		require.Equal(t, began.Add(time.Hour), store.kept["later"].Due)
		require.Empty(t, s.TriggerJobs())
		pass(2 * time.Hour)
		require.Equal(t, []string{"done", "slow"}, s.runs())
		_, err := s.Close(context.Background())
		require.ErrorIs(t, err, driver.ErrClosed)
	})
}

// Those that wait behind a job that does not end are saved all the same.
func TestBusinessWheelStoresWhenItCannotWait(t *testing.T) {
	in(t, func(t *testing.T) {
		store := newKeeper()
		s := openShop(t, BusinessWheel{Store: store.only(), Run: func(Job) { time.Sleep(time.Hour) }})
		s.add("stuck", sec)
		s.add("due", sec+100*ms)
		pass(10 * sec)
		ctx, cancel := context.WithTimeout(t.Context(), sec)
		defer cancel()
		_, err := s.Close(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, []string{"due"}, store.ids())
		pass(2 * time.Hour)
		require.Equal(t, []string{"stuck"}, s.runs())
	})
}

func TestBusinessWheelRunsTheOverdueAtOnce(t *testing.T) {
	in(t, func(t *testing.T) {
		now := time.Now()
		store := newKeeper(Job{ID: "now", Due: now}, Job{ID: "later", Due: now.Add(1)}, Job{ID: "old", Due: now.Add(-time.Hour)},
			Job{ID: "older", Due: now.Add(-2 * time.Hour)})
		s := openShop(t, BusinessWheel{Store: store.only()})
		require.Equal(t, []string{"older", "old", "now"}, s.runs(), "before Open returns")
		require.Equal(t, now, time.Now())
		require.Equal(t, []string{"later"}, ids(s.TriggerJobs()))
	})
}

func TestBusinessWheelPutsTheOthersBack(t *testing.T) {
	for _, keeps := range []bool{false, true} {
		in(t, func(t *testing.T) {
			store := newKeeper()
			p := BusinessWheel{Store: store}
			if !keeps {
				p.Store = store.only()
			}
			first := openShop(t, p)
			first.add("soon", sec)
			first.add("a", time.Hour)
			first.add("b", 2*time.Hour)
			require.Empty(t, openShop(t, p).TriggerJobs(), "the first one has them")
			pass(time.Minute)
			must.Get(first.Close(context.Background()))(t)
			require.Equal(t, []string{"a", "b"}, store.ids())
			pass(10 * time.Minute) // no process has them

			second := openShop(t, p)
			require.Equal(t, []string{"a", "b"}, ids(second.TriggerJobs()))
			pass(49*time.Minute - ms)
			require.Empty(t, second.runs())
			pass(100 * ms)
			require.Equal(t, []string{"a"}, second.runs())
			pass(time.Hour)
			require.Equal(t, []string{"a", "b"}, second.runs())
			require.Equal(t, []string{"soon"}, first.runs())
			require.Equal(t, keeps, len(store.ids()) == 0, "a keeper drops what has run")
		})
	}
}

// Several processes, one after another, with jobs that are due all the time.
func TestBusinessWheelRunsNoJobTwice(t *testing.T) {
	in(t, func(t *testing.T) {
		store := newKeeper()
		var added, ran []string
		for round := range 20 {
			s := openShop(t, BusinessWheel{Store: store.only(), Run: func(Job) { time.Sleep(7 * ms) }})
			for i := range 50 {
				id := string(rune('a'+round)) + string(rune('0'+i))
				added = append(added, id)
				s.add(id, time.Duration(i*37%50)*10*ms)
			}
			pass(330 * ms)
			other := openShop(t, BusinessWheel{Store: store.only()}) // while the first is running
			require.Empty(t, other.TriggerJobs())
			must.Get(s.Close(context.Background()))(t)
			ran = append(append(ran, s.runs()...), other.runs()...)
		}
		last := openShop(t, BusinessWheel{Store: store.only()})
		pass(time.Minute)
		ran = append(ran, last.runs()...)
		slices.Sort(ran)
		slices.Sort(added)
		require.Equal(t, added, ran)
	})
}

func TestBusinessWheelSurvivesAPanic(t *testing.T) {
	var log journal
	in(t, func(t *testing.T) {
		store := newKeeper(Job{ID: "overdue"}, Job{ID: "overdue too"})
		s := openShop(t, BusinessWheel{Store: store.only(), Logger: log.logger(), Run: func(j Job) { panic("broken " + j.ID) }})
		s.add("a", sec)
		s.add("b", sec)
		pass(2 * sec)
		require.Len(t, s.runs(), 4)
		for _, id := range []string{"overdue", "overdue too", "a", "b"} {
			require.Contains(t, log.String(), "value=\"broken "+id+"\"")
		}
	})
}

func TestBusinessWheelTellsOfAFailingStore(t *testing.T) {
	in(t, func(t *testing.T) {
		store := newKeeper()
		p := BusinessWheel{Store: store.only(), Run: func(Job) {}}
		store.fail = errors.New("no connection")
		_, err := p.Open(t.Context())
		require.ErrorContains(t, err, "no connection")
		_, err = BusinessWheel{Store: store}.Open(t.Context())
		require.ErrorIs(t, err, ErrNoRun)
		_, err = BusinessWheel{Tick: -1, Store: store, Run: p.Run}.Open(t.Context())
		require.Error(t, err)

		store.fail = nil
		s := openShop(t, p)
		s.add("a", time.Hour)
		store.fail = errors.New("connection lost")
		unsaved, err := s.Close(context.Background())
		require.ErrorContains(t, err, "connection lost")
		require.Equal(t, []string{"a"}, ids(unsaved))

		p.Store = newKeeper(Job{ID: "b", Due: time.Now().Add(sec)}, Job{ID: "c", Due: time.Now().Add(sec)})
		_, err = p.Open(t.Context(), driver.WithMaxPending(1))
		require.ErrorIs(t, err, driver.ErrMaxPending)
		require.Len(t, openShop(t, p).TriggerJobs(), 2, "they are not lost")
	})
}
