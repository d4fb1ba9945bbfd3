package durable

import (
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// faultyStore runs nothing: it counts the steps, and waits with the first until it may go on.
type faultyStore struct {
	store
	fault error
	known bool
	began chan struct{}
	goes  chan struct{}
	once  sync.Once
	ran   int
}

func (s *faultyStore) run(ops []*op) error {
	s.once.Do(func() { close(s.began); <-s.goes })
	s.ran += len(ops)
	return s.fault
}
func (s *faultyStore) shared() bool      { return true }
func (s *faultyStore) undone(error) bool { return s.known }

// Requests that share a transaction are run again alone if it was not run, and not if that is unknown.
func TestStepsThatMayHaveRunAreNotRunAgain(t *testing.T) {
	for known, want := range map[bool]int{true: 5, false: 3} {
		s := &faultyStore{fault: errors.New("no answer"), known: known, began: make(chan struct{}), goes: make(chan struct{})}
		g := &group{store: s}
		var all sync.WaitGroup
		do := func() { require.ErrorIs(t, g.do(t.Context(), step("")), s.fault) }
		all.Go(do)
		<-s.began
		all.Go(do)
		all.Go(do)
		eventually(t, func() bool {
			g.mu.Lock()
			defer g.mu.Unlock()
			return len(g.waiting) == 2
		})
		close(s.goes)
		all.Wait()
		require.Equal(t, want, s.ran, known)
	}
}
