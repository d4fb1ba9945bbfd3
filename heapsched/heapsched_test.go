package heapsched_test

import (
	"testing"

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

func TestScheduler(t *testing.T) { schedtest.RunAll(t, subjects()...) }

func FuzzHeap(f *testing.F) { schedtest.Fuzz(f, subjects()[0]) }
