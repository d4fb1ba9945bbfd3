package singlewheel_test

import (
	"fmt"
	"math/bits"
	"testing"
	"time"

	"schedbench/schedulers"
	"schedbench/schedulers/schedtest"
	"schedbench/singlewheel"
)

func subjects() []schedtest.Subject {
	return []schedtest.Subject{
		subject(time.Millisecond, 1<<16),
		subject(time.Millisecond, 2*singlewheel.MostFlat), // in groups
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

func TestScheduler(t *testing.T) { schedtest.RunAll(t, subjects()...) }

func FuzzWheel(f *testing.F) { schedtest.Fuzz(f, subjects()[0]) }
