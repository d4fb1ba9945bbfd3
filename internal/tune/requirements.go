package tune

import (
	"cmp"
	"math"
	"time"

	"schedbench/internal/judge"
)

// Requirements are what a configuration must keep. The zero value of a limit is no limit.
type Requirements struct {
	// Lateness is how late a timer may be at Percentile, a share such as 0.99.
	Percentile float64
	Lateness   time.Duration
	// CPU is the share of one core that the timers may take.
	CPU float64
	// Memory is how many bytes the pending timers may take.
	Memory int64
	// Wakeups is how often a second the driver may wake up.
	Wakeups float64
	// Worth is the share of one core up to which a difference counts as none; 0 is judge.Imperceptible.
	Worth float64
	// MustTick forbids drivers that sleep until something is due, and MustNotTick
	// those that tick. NotPrecise forbids precise waiting.
	MustTick, MustNotTick, NotPrecise bool
}

// Worthwhile returns Worth, or its default.
func (r Requirements) Worthwhile() float64 { return cmp.Or(r.Worth, judge.Imperceptible) }

// Share returns Percentile, or its default.
func (r Requirements) Share() float64 { return cmp.Or(r.Percentile, 0.99) }

// InTime reports whether a lateness, in seconds at the percentile, keeps the limit.
func (r Requirements) InTime(late judge.Estimate) judge.Finding {
	return keeps(late, r.Lateness.Seconds())
}

// Cheap reports whether a CPU share keeps the limit.
func (r Requirements) Cheap(cpu judge.Estimate) judge.Finding { return keeps(cpu, r.CPU) }

// keeps reports whether a figure is at most a limit. A limit of 0 is none, and anything keeps it.
func keeps(e judge.Estimate, limit float64) judge.Finding {
	if limit <= 0 {
		return judge.Holds
	}
	return e.Within(math.Inf(-1), limit)
}
