package driver_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/internal/must"
)

func TestAtFuncRunsAtAnInstantOfTheDriversClock(t *testing.T) {
	live(t, func(t *testing.T, s subject) {
		d := s.start(t)
		began := time.Now()
		pass(5 * time.Second)
		require.Equal(t, 5*time.Second, d.Now())
		var fired []time.Duration
		note := func() { fired = append(fired, time.Since(began)) }
		for _, at := range []time.Duration{9 * time.Second, 7 * time.Second, 3 * time.Second, math.MinInt64} {
			must.Get(d.AtFunc(at, note))(t)
		}
		pass(10 * time.Second)
		require.Equal(t, []time.Duration{5e9, 5e9, 7e9, 9e9}, fired)
		if s.horizon == 0 {
			must.Get(d.AtFunc(math.MaxInt64, note))(t)
		}
		_, err := d.AtFunc(0, nil)
		require.ErrorIs(t, err, driver.ErrNilFunc)
	})
}
