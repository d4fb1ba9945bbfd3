package experiments

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/harness/rundata"
)

// readings returns a calm that reads some times, the last again and again.
func readings(took ...time.Duration) *calm {
	return &calm{read: func() time.Duration {
		next := took[0]
		if len(took) > 1 {
			took = took[1:]
		}
		return next
	}}
}

func TestASampleThatWasDisturbedIsTakenAgain(t *testing.T) {
	const quiet, disturbed = 8000, 12000
	for name, c := range map[string]struct {
		readings []time.Duration // after one that was quiet
		samples  int
	}{
		"undisturbed":        {[]time.Duration{quiet}, 1},
		"a little longer":    {[]time.Duration{quiet + quiet/40}, 1},
		"disturbed at first": {[]time.Duration{disturbed, disturbed, quiet}, 1}, // it waits
		"disturbed in it":    {[]time.Duration{quiet, disturbed, quiet}, 2},
		"disturbed twice":    {[]time.Duration{quiet, disturbed, quiet, disturbed, quiet}, 3},
	} {
		calm, prepared, taken := readings(append([]time.Duration{quiet}, c.readings...)...), 0, 0
		calm.kept = time.Hour // there is time
		require.True(t, calm.quiet(), name)
		n, _, err := calm.sample(func() { prepared++ }, func() (int, rundata.Values, error) { taken++; return taken, nil, nil })
		require.NoError(t, err, name)
		require.Equal(t, []int{c.samples, c.samples, c.samples}, []int{n, prepared, taken}, name)
	}
}

func TestNoMoreTimeIsLostThanSamplesTake(t *testing.T) {
	c := readings(8000, 12000) // disturbed from now on
	require.True(t, c.quiet())
	require.False(t, c.counts(time.Millisecond), "one is taken again")
	require.False(t, c.counts(time.Microsecond))
	require.True(t, c.counts(9*time.Millisecond), "then there is no time left")
	require.Equal(t, 9*time.Millisecond, c.kept)
	for c.counts(time.Millisecond) { // which gives time again
	}
	for range 100 {
		c.counts(time.Millisecond)
	}
	require.LessOrEqual(t, c.lost, mostLost*c.kept+2*time.Millisecond)
	require.Greater(t, c.lost, c.kept)
}

func TestAProcessorThatIsSlowerForGoodIsUndisturbed(t *testing.T) {
	c := readings(8000, 9000)
	require.True(t, c.quiet())
	for n := 0; !c.quiet(); n++ {
		require.Less(t, n, forgottenIn)
	}
}

func TestASampleThatFailsIsNotTakenAgain(t *testing.T) {
	broken, taken := errors.New("broken"), 0
	_, _, err := readings(8000, 8000, 12000).sample(func() {}, func() (int, rundata.Values, error) { taken++; return 0, nil, broken })
	require.ErrorIs(t, err, broken)
	require.Equal(t, 1, taken)
}

func TestWithoutCalmsEverythingCounts(t *testing.T) {
	var none calms
	none.at(1).begin()
	require.True(t, none.at(1).counts(time.Second))
	require.Zero(t, none.sum())
	require.Len(t, none.atLeast(2), 2)
}

func TestWhatAnOperationTakesInParts(t *testing.T) {
	us := func(took ...time.Duration) []time.Duration {
		for i := range took {
			took[i] *= time.Microsecond
		}
		return took
	}
	for name, c := range map[string]struct {
		took      []time.Duration
		collected []int
		stretch   int
		want      float64
	}{
		"all alike":                                {us(1, 1, 1), nil, 10, 10},
		"the machine stops in one":                 {us(1, 1, 900, 1, 1), nil, 10, 10},
		"what is done every second time counts":    {us(1, 9, 1, 9, 1, 9), nil, 200, 50},
		"and does not if stretches are shorter":    {us(1, 1, 9, 1, 1, 9), nil, 100, 10},
		"a stretch of more than there is":          {us(1, 3), nil, 10_000, 20},
		"a collection counts by its share":         {us(1, 1, 1, 9), []int{3}, 100, 30},
		"nothing but collections":                  {us(5, 15), []int{0, 1}, 100, 100},
		"a stop beside a collection":               {us(1, 1, 900, 1, 9), []int{4}, 100, (4*10 + 90) / 5.0},
		"what does not fill a stretch is left out": {us(1, 1, 7), nil, 200, 10},
	} {
		p := parts{ops: 100}
		for i, took := range c.took {
			collected := false
			for _, at := range c.collected {
				collected = collected || at == i
			}
			p.add(took, collected)
		}
		require.InDelta(t, c.want, p.perOp(c.stretch), 1e-9, name)
	}
}
