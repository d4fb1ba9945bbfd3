package live

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/heapsched"
)

// TestPunctualTimersArriveOneByOne has a worker sleep for the timer before each time.
func TestPunctualTimersArriveOneByOne(t *testing.T) {
	at := []time.Duration{0, ms, ms + 1, 5 * ms, 9 * ms}
	deadlines := []time.Duration{8 * ms, 7 * ms, 6 * ms, 5 * ms, 9*ms + ms/2}
	play := func(s *Slice) (out *Outcome, delays []time.Duration) {
		out, err := playOn(t, s, Options{}, func(time.Duration) (Target, error) {
			d, err := driver.Start(heapsched.New[driver.Task]())
			return &replacedArming{On(d, s.Timers), func(target Target, i int32, delay time.Duration, task func()) error {
				delays = append(delays, delay)
				err := target.Arm(i, delay, task)
				synctest.Wait() // for the worker to sleep
				return err
			}}, err
		})
		require.NoError(t, err)
		require.NoError(t, out.Check())
		return out, delays
	}
	synctest.Test(t, func(t *testing.T) {
		out, delays := play(PunctualArrivals(at, deadlines))
		require.Equal(t, []time.Duration{8 * ms, 6 * ms, 5*ms - 1, 0, ms / 2}, delays)
		require.Equal(t, make([]time.Duration, 5), out.HandedLate, "virtual time is exact")
		require.Equal(t, uint64(4), out.Kicks, "but the first timer, which starts the worker")
	})
	synctest.Test(t, func(t *testing.T) {
		out, delays := play(Arrivals(at, deadlines))
		require.Equal(t, []time.Duration{8 * ms, 7 * ms, 6 * ms, ms, 3 * ms / 2}, delays)
		require.Empty(t, out.HandedLate, "handed over ahead")
	})
}

func TestAPunctualOperationThatIsLateSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := PunctualArrivals([]time.Duration{0, ms, 2 * ms}, []time.Duration{5 * ms, 5 * ms, 5 * ms})
		out, err := playWith(t, s, Options{}, func(t Target, i int32, delay time.Duration, task func()) error {
			time.Sleep(3 * ms)
			return t.Arm(i, delay-3*ms, task)
		})
		require.NoError(t, err)
		require.Equal(t, []time.Duration{0, 2 * ms, 4 * ms}, out.HandedLate)
	})
}
