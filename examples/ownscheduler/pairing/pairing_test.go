package pairing_test

import (
	"testing"

	"schedbench/schedulers"
	"schedbench/schedulers/schedtest"

	"example.com/ownscheduler/pairing"
)

func subject() schedtest.Subject {
	return schedtest.Subject{
		Name: "pairing",
		New:  func() (schedulers.Scheduler[uint64], error) { return pairing.New[uint64](), nil },
	}
}

func TestConformance(t *testing.T) { schedtest.RunAll(t, subject()) }

func FuzzHeap(f *testing.F) { schedtest.Fuzz(f, subject()) }
