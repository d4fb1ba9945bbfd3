package tune

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/tune/costs"
)

func TestOptimaAreTheirFormulas(t *testing.T) {
	cal := flat() // 1 ns a visit, 20 ns a move, insert 200 and expire 250 ns
	l := &Load{
		Schedules: 1000, Fires: 1000, Pending: 5000, MostPending: 5000,
		Horizon: 5 * time.Second, MeanDelay: 5 * time.Second,
	}
	q := 1 - math.Exp(-1) // of the ticks, if a thousand fire at random in a second
	o := Optima(l, cal, ms)
	require.Len(t, o, 2)
	require.InEpsilon(t, 20*2*512/q, o[0].Value, 0.05, "5000 ticks are two levels of 256")
	require.Contains(t, o[0].Note, "rounds cost less")
	longer := *l
	longer.MeanDelay = time.Hour
	require.Contains(t, Optima(&longer, cal, ms)[0].Note, "the hierarchical wheel costs less")

	require.InEpsilon(t, q*10*1*5000/(0.001*1000*450), o[1].Value, 0.05)

	for _, o := range Optima(&Load{}, &costs.Calibration{}, 0) {
		require.False(t, o.Applies)
		require.NotEmpty(t, o.Note)
	}
}

// TestTheCrossoverIsThatOfTheModel compares the closed form with predictions on
// either side of it.
func TestTheCrossoverIsThatOfTheModel(t *testing.T) {
	for _, factor := range []float64{0.2, 5} {
		l := &Load{Schedules: 1000, Fires: 1000, MeanDelay: time.Second}
		at := Optima(l, flat(), ms)[0].Value * factor
		l.MeanDelay = time.Duration(at) * ms
		l.Horizon, l.Pending = l.MeanDelay, 1000*l.MeanDelay.Seconds()
		q := 1 - math.Exp(-1)
		visits := q * l.Pending / 0.512 * 1e-9 // CPU time of a second
		moves := 1000 * (math.Floor(math.Log(at)/math.Log(256)) + 1) * 20e-9
		require.Equal(t, factor > 1, visits > moves)
	}
}
