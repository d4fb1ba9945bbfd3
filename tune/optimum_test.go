package tune

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestOptimaAreTheirFormulas(t *testing.T) {
	cal := flat() // b 50 ns, c 1 ns a visit, 20 ns a move, insert 200 and expire 250 ns
	l := &Load{
		Schedules: 1000, Fires: 1000, Pending: 5000, MostPending: 5000,
		Horizon: 5 * time.Second, MeanDelay: 5 * time.Second,
	}
	o := Optima(l, cal, ms)
	require.Len(t, o, 3)

	require.InEpsilon(t, math.Sqrt(2*50/1.0)*5/5000, o[0].Value, 1e-9)
	require.Equal(t, "s", o[0].Unit)
	require.True(t, o[0].Applies)

	require.InEpsilon(t, 20*2*512, o[1].Value, 1e-9, "5000 ticks are two levels of 256")
	require.Contains(t, o[1].Note, "rounds cost less")
	require.Contains(t, Optima(l, cal, 10*time.Microsecond)[1].Note, "the hierarchical wheel costs less")

	require.InEpsilon(t, 10*1*5000/(0.001*1000*450), o[2].Value, 1e-9)

	l.Fires, l.Cancels = 10, 990
	require.False(t, Optima(l, cal, ms)[0].Applies)
	for _, o := range Optima(&Load{}, &Calibration{}, 0) {
		require.False(t, o.Applies)
		require.NotEmpty(t, o.Note)
	}
}

// TestTheCrossoverIsThatOfTheModel compares the closed form with predictions on
// either side of it.
func TestTheCrossoverIsThatOfTheModel(t *testing.T) {
	for _, factor := range []float64{0.2, 5} {
		l := &Load{Schedules: 1000, Fires: 1000, MeanDelay: time.Second}
		at := Optima(l, flat(), ms)[1].Value * factor
		l.MeanDelay = time.Duration(at) * ms
		l.Horizon, l.Pending = l.MeanDelay, 1000*l.MeanDelay.Seconds()
		visits := l.Pending / 0.512 * 1e-9 // CPU time of a second
		moves := 1000 * (math.Floor(math.Log(at)/math.Log(256)) + 1) * 20e-9
		require.Equal(t, factor > 1, visits > moves)
	}
}

// TestTheBucketWidthIsTheLeastCost compares the closed form with the cost of stepping
// through slots and visiting what is in them: b/w + c·L·w/2 a second, since with an
// increment of mu and n pending L = n/mu fire in a second, each in a slot in which
// half of what comes after it is visited before.
func TestTheBucketWidthIsTheLeastCost(t *testing.T) {
	l := &Load{Schedules: 1000, Fires: 1000, Pending: 5000, MeanDelay: 5 * time.Second, Horizon: 5 * time.Second}
	const b, c = 50e-9, 1e-9
	cost := func(w float64) float64 { return b/w + c*1000*1000*w/2 }
	best := Optima(l, flat(), ms)[0].Value
	require.Less(t, cost(best), cost(best*1.1))
	require.Less(t, cost(best), cost(best/1.1))
}
