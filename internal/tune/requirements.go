package tune

import (
	"cmp"
	"errors"
	"fmt"
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

// ErrRequirements means that requirements contradict each other, or are out of range.
var ErrRequirements = errors.New("bad requirements")

// None reports whether there is no limit at all.
func (r Requirements) None() bool {
	return r.Lateness == 0 && r.CPU == 0 && r.Memory == 0 && r.Wakeups == 0
}

// Check returns an error that wraps ErrRequirements if a limit is out of range, or two contradict each other.
func (r Requirements) Check() error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%w: "+format, append([]any{ErrRequirements}, args...)...)
	}
	switch {
	case !(r.Percentile >= 0 && r.Percentile < 1):
		return bad("lateness at the %g %% quantile, want more than 0 %% and less than 100 %%", 100*r.Percentile)
	case r.Lateness < 0:
		return bad("a lateness of at most %v, want more than 0", r.Lateness)
	case r.Lateness == 0 && r.Percentile != 0 && r.Percentile != usualPercentile:
		return bad("the %g %% quantile of lateness is asked for without a limit for it", 100*r.Percentile)
	case !(r.CPU >= 0 && r.CPU <= 1):
		return bad("a CPU share of at most %g %%, want more than 0 %% and at most 100 %% of one core", 100*r.CPU)
	case !(r.Worth >= 0 && r.Worth <= 1):
		return bad("differences of up to %g %% of a core count as none, want more than 0 %% and at most 100 %%", 100*r.Worth)
	case r.Memory < 0:
		return bad("at most %d bytes of memory, want more than 0", r.Memory)
	case r.Wakeups < 0:
		return bad("at most %g wake-ups a second, want more than 0", r.Wakeups)
	case r.MustTick && r.MustNotTick:
		return bad("the driver must tick and must not tick")
	}
	return nil
}

// usualPercentile is the percentile of lateness unless another is given.
const usualPercentile = 0.99

// Worthwhile returns Worth, or its default.
func (r Requirements) Worthwhile() float64 { return cmp.Or(r.Worth, judge.Imperceptible) }

// Share returns Percentile, or its default.
func (r Requirements) Share() float64 { return cmp.Or(r.Percentile, usualPercentile) }

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
	return e.Is(judge.AtMost(limit))
}
