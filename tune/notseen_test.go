package tune

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestWhatIsNotSeenIsTheSumOverAllThatAreCancelled compares it with what its comment says,
// timer by timer.
func TestWhatIsNotSeenIsTheSumOverAllThatAreCancelled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := &Load{lifetimesTo: time.Second}
		for range rapid.IntRange(1, 30).Draw(t, "timers") {
			at := time.Duration(rapid.IntRange(0, 1000).Draw(t, "armed")) * ms
			deadline := at + time.Duration(rapid.IntRange(1, 1000).Draw(t, "delay"))*ms
			end := min(at+time.Duration(rapid.IntRange(0, 1000).Draw(t, "held"))*ms, deadline)
			l.lifetimes = append(l.lifetimes, lifetime{at: at, deadline: deadline, end: end, weight: rapid.Float64Range(0.1, 10).Draw(t, "weight")})
		}
		random, gaps := rapid.Float64Range(0, 20).Draw(t, "random"), l.gaps()
		rate := notSeen(gaps, random)
		for range 5 {
			regular, want := rapid.Float64Range(0, 20).Draw(t, "regular"), 0.0
			for _, one := range l.lifetimes {
				if length := (one.deadline - one.end).Seconds(); one.cancelled() {
					want += one.weight * math.Exp(-random*length) * max(1-regular*length, 0)
				}
			}
			require.InDelta(t, want, rate(regular), 1e-9)
		}
	})
	rates := &Load{Cancels: 30, Resets: 10, MeanDelay: time.Second}
	require.InDelta(t, 40*math.Exp(-2)*0.75, notSeen(rates.gaps(), 2)(0.25), 1e-9, "of a load of which rates are all that is known")
	require.Zero(t, notSeen(rates.gaps(), 2)(1))
}
