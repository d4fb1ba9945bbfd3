package heapsched_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/heapsched"
	"schedbench/schedulers"
	"schedbench/schedulers/schedtest"
)

func subjects() []schedtest.Subject {
	return []schedtest.Subject{{
		Name: "heapsched",
		New:  func() (schedulers.Scheduler[uint64], error) { return heapsched.New[uint64](), nil },
	}}
}

func TestConformance(t *testing.T) {
	for _, s := range subjects() {
		t.Run(s.Name, func(t *testing.T) { schedtest.Run(t, s) })
	}
}

// TestModel compares a million random operations with the model.
func TestModel(t *testing.T) {
	for i, s := range subjects() {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			require.NoError(t, schedtest.Compare(s, uint64(i+1), operations(i)))
		})
	}
}

// operations gives the first subject a million operations and the variants,
// which are there for their geometry, fewer.
func operations(subject int) int {
	if testing.Short() || subject > 0 {
		return 100_000
	}
	return 1_000_000
}

func TestStateMachine(t *testing.T) {
	for _, s := range subjects() {
		t.Run(s.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { schedtest.Check(t, s) })
		})
	}
}

func FuzzHeap(f *testing.F) { schedtest.Fuzz(f, subjects()[0]) }
