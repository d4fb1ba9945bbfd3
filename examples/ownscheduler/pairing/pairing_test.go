package pairing_test

import (
	"testing"

	"schedbench/schedulers"
	"schedbench/schedulers/schedtest"

	"example.com/ownscheduler/pairing"
)

func tested() schedtest.Scheduler {
	return schedtest.Scheduler{
		Name: "pairing",
		New:  func() (schedulers.Scheduler[uint64], error) { return pairing.New[uint64](), nil },
	}
}

func TestConformance(t *testing.T) { schedtest.RunAll(t, tested()) }

func FuzzHeap(f *testing.F) { schedtest.Fuzz(f, tested()) }
