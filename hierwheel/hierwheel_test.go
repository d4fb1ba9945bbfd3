package hierwheel_test

import (
	"fmt"
	"math/bits"
	"testing"
	"time"

	"schedbench/hierwheel"
	"schedbench/schedulers"
	"schedbench/schedulers/schedtest"
)

func subjects() []schedtest.Subject {
	return []schedtest.Subject{
		subject(time.Millisecond, 64),
		subject(1, 2),
		subject(7, 256),
		subject(time.Hour, 20),
		subject(1<<20, 1000),
	}
}

func subject(tick time.Duration, slots int) schedtest.Subject {
	return schedtest.Subject{
		Name: fmt.Sprintf("tick=%v/slots=%d", tick, slots),
		New: func() (schedulers.Scheduler[uint64], error) {
			return hierwheel.New[uint64](tick, slots)
		},
		Tick:  tick,
		Slots: 2 * ceilPow2(slots) * levels(ceilPow2(slots)),
	}
}

func ceilPow2(n int) int { return 1 << bits.Len(uint(n-1)) }

// levels returns how many levels of slots slots cover every tick.
func levels(slots int) int { return 63/(bits.Len(uint(slots))-1) + 1 }

func TestScheduler(t *testing.T) { schedtest.RunAll(t, subjects()...) }

func FuzzWheel(f *testing.F) { schedtest.Fuzz(f, subjects()[0]) }
