package listsched_test

import (
	"testing"

	"schedbench/listsched"
	"schedbench/schedulers"
	"schedbench/schedulers/schedtest"
)

func subjects() []schedtest.Subject {
	return []schedtest.Subject{{
		Name: "listsched",
		New:  func() (schedulers.Scheduler[uint64], error) { return listsched.New[uint64](), nil },
	}}
}

func TestScheduler(t *testing.T) { schedtest.RunAll(t, subjects()...) }

func FuzzList(f *testing.F) { schedtest.Fuzz(f, subjects()[0]) }
