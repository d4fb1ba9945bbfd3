package driver_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/hierwheel"
	"schedbench/internal/must"
	"schedbench/schedulers"
)

// A wheel that is later the farther a deadline is from its clock is told the time
// before it is given one, however long the worker has slept.
func TestLatenessCountsFromThePresent(t *testing.T) {
	noCascade := subject{name: "nocascade", make: func() schedulers.Scheduler[driver.Task] {
		return must.Get(hierwheel.NewNoCascade[driver.Task](time.Millisecond, 64, 8))(t)
	}}
	for _, s := range []subject{noCascade, sharded(noCascade), queued(noCascade, 0)} {
		t.Run(s.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := s.start(t)
				after(t, d, 100*time.Hour, nothing)
				pass(time.Hour + 1234567)
				for _, delay := range []time.Duration{10 * time.Millisecond, 60 * time.Millisecond} {
					began := time.Now()
					var late time.Duration
					timer := after(t, d, time.Minute, func() { late = time.Since(began) - delay })
					require.True(t, reset(t, timer, delay))
					pass(time.Minute)
					require.Less(t, late, time.Millisecond, "%v", delay)
					require.GreaterOrEqual(t, late, time.Duration(0), "%v", delay)
				}
			})
		})
	}
}
