package costs

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/catalog"
	"schedbench/judge"
)

const ms = time.Millisecond

// exactly is an estimate without doubt.
func exactly(v float64) judge.Estimate { return judge.Estimate{Value: v, Low: v, High: v} }

func TestCostsAreThoseOfTheTermsAtTheirPlaces(t *testing.T) {
	c := &Calibration{Terms: []Term{
		{Name: TermInsert, Of: catalog.Heap, Pending: 10_000, Batch: 64, Seconds: exactly(8)},
		{Name: TermInsert, Of: catalog.Heap, Pending: 100, Batch: 1, Seconds: exactly(4)},
		{Name: TermInsert, Of: catalog.Heap, Pending: 100, Batch: 64, Seconds: exactly(1)},
		{Name: TermInsert, Of: catalog.Heap, Pending: 10_000, Batch: 1, Seconds: exactly(32)},
		{Name: TermInsert, Of: catalog.Hier, Pending: 100, Batch: 1, Seconds: exactly(77)},
	}}
	for _, tc := range []struct{ pending, batch, want float64 }{
		{100, 1, 4}, {100, 64, 1}, {10_000, 1, 32}, {10_000, 64, 8},
		{100, 8, 2},                  // half way from 1 to 64, on a logarithmic scale
		{1000, 1, math.Sqrt(4 * 32)}, // and from 100 to 10,000
		{0, 0, 4}, {1e9, 1e9, 8},     // beyond the outermost
		{1000, 8, math.Sqrt(2 * 16.0)},  // between all four
		{1000, 1e6, math.Sqrt(1 * 8.0)}, // beyond on one axis
	} {
		require.InEpsilon(t, tc.want, c.Cost(TermInsert, catalog.Heap, tc.pending, tc.batch).Value, 1e-9, "%v", tc)
	}
	require.Zero(t, c.Cost(TermInsert, catalog.List, 100, 1))
}

func TestAWakeupCostsWhatItDoesInThatState(t *testing.T) {
	c := &Calibration{Terms: []Term{
		{Name: TermWakeup, Of: "runtime", Every: 100 * time.Millisecond, Seconds: exactly(200)},
		{Name: TermWakeup, Of: "runtime", Every: time.Millisecond, Seconds: exactly(50)},
		{Name: TermWakeup, Of: "runtime", Every: time.Millisecond, Program: time.Millisecond, Seconds: exactly(20)},
		{Name: TermWakeup, Of: "runtime", Every: time.Millisecond, Program: 4 * time.Millisecond, Seconds: exactly(80)},
	}}
	require.Equal(t, 50.0, c.Wakeup(catalog.Runtime.String(), time.Millisecond, 0).Value)
	require.InEpsilon(t, 100.0, c.Wakeup(catalog.Runtime.String(), 10*time.Millisecond, time.Second).Value, 1e-9)
	require.InEpsilon(t, math.Sqrt(80*200), c.Wakeup(catalog.Runtime.String(), time.Hour, 20*time.Millisecond).Value, 1e-9) // half way from 4 ms to asleep
	require.InEpsilon(t, 40.0, c.Wakeup(catalog.Runtime.String(), time.Hour, 2*time.Millisecond).Value, 1e-9)
	require.Equal(t, 20.0, c.Wakeup(catalog.Runtime.String(), 0, time.Microsecond).Value)
	require.InEpsilon(t, 200.0, c.Wakeup(catalog.Runtime.String(), time.Hour, asleep).Value, 1e-9)
	require.InEpsilon(t, 200.0, c.Wakeup(catalog.Runtime.String(), time.Hour, time.Hour).Value, 1e-9)
	require.Zero(t, c.Wakeup(catalog.Precise.String(), time.Millisecond, 0))
}

// Sleeps that were not measured in a program that is awake now and then get dearer as
// they do in one that sleeps; in one that is at work all the time they do not.
func TestRareWakeupsGrowAsInASleepingProgram(t *testing.T) {
	c := &Calibration{Terms: []Term{
		{Name: TermWakeup, Of: "precise", Every: 20 * ms, Seconds: exactly(30)},
		{Name: TermWakeup, Of: "precise", Every: 100 * ms, Seconds: exactly(90)},
		{Name: TermWakeup, Of: "precise", Every: 20 * ms, Program: busyEvery, Seconds: exactly(25)},
		{Name: TermWakeup, Of: "precise", Every: 20 * ms, Program: ms, Seconds: exactly(20)},
	}}
	require.InEpsilon(t, 25, c.Wakeup(catalog.Precise.String(), 20*ms, busyEvery).Value, 1e-9)
	require.InEpsilon(t, 75, c.Wakeup(catalog.Precise.String(), 100*ms, busyEvery).Value, 1e-9)
	require.InEpsilon(t, 75, c.Wakeup(catalog.Precise.String(), time.Hour, busyEvery).Value, 1e-9)
	require.InEpsilon(t, 20, c.Wakeup(catalog.Precise.String(), 100*ms, ms).Value, 1e-9)
	require.InEpsilon(t, 90, c.Wakeup(catalog.Precise.String(), 100*ms, 0).Value, 1e-9)
}

// What is between two points lies between their values, and in the order of the
// places if they are.
func TestInterpolationStaysBetweenItsPoints(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		place := rapid.Float64Range(1e-6, 1e6)
		value := rapid.Float64Range(0, 1e3)
		a := point{place.Draw(t, "at"), exactly(value.Draw(t, "a"))}
		b := point{a.at * rapid.Float64Range(1.01, 1e3).Draw(t, "further"), exactly(value.Draw(t, "b"))}
		x, y := place.Draw(t, "x"), place.Draw(t, "y")
		x, y = min(x, y), max(x, y)
		low, high := min(a.Value, b.Value), max(a.Value, b.Value)
		px, py := Curve{a, b}.At(x), Curve{a, b}.At(y)
		for _, p := range []judge.Estimate{px, py} {
			require.GreaterOrEqual(t, p.Value, low*(1-1e-9))
			require.LessOrEqual(t, p.Value, high*(1+1e-9))
			require.False(t, math.IsNaN(p.Value))
		}
		if a.Value <= b.Value {
			require.LessOrEqual(t, px.Value, py.Value*(1+1e-9))
		}
	})
}
