package singlewheel_test

import (
	"fmt"
	"math/bits"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/schedulers"
	"schedbench/schedulers/schedtest"
	"schedbench/singlewheel"
)

func subjects() []schedtest.Subject {
	return []schedtest.Subject{
		subject(time.Millisecond, 1<<16),
		subject(1, 2),
		subject(7, 2),
		subject(time.Hour, 64),
		subject(1<<20, 1000),
	}
}

func subject(tick time.Duration, slots int) schedtest.Subject {
	return schedtest.Subject{
		Name: fmt.Sprintf("tick=%v/slots=%d", tick, slots),
		New: func() (schedulers.Scheduler[uint64], error) {
			return singlewheel.New[uint64](tick, slots)
		},
		Tick:    tick,
		Slots:   ceilPow2(slots),
		Horizon: tick * time.Duration(ceilPow2(slots)),
	}
}

func ceilPow2(n int) int { return 1 << bits.Len(uint(n-1)) }

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

func FuzzWheel(f *testing.F) { schedtest.Fuzz(f, subjects()[0]) }
