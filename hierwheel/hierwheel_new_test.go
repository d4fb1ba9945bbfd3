package hierwheel_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/hierwheel"
	"schedbench/internal/must"
	"schedbench/internal/wheeltest"
	"schedbench/schedulers"
)

func TestNewRefusesBadGeometry(t *testing.T) {
	wheeltest.RequireRefusals(t, "hierwheel", hierwheel.New[uint64], append(wheeltest.BadTickOrSlots(),
		wheeltest.Refusal{Name: "one slot, which has no digits", Tick: 1, Slots: 1, Want: schedulers.ErrSlots,
			Figures: []string{"1 per level", "2 to 1073741824"}}))
}

// TestEveryGeometryReachesTheEndOfTime has as many as 63 levels, or as few as
// one, and a tick that is longer than all time but two of them.
func TestEveryGeometryReachesTheEndOfTime(t *testing.T) {
	const end = time.Duration(math.MaxInt64)
	for _, test := range []struct {
		tick  time.Duration
		slots int
	}{
		{1, 2}, {1, 3}, {1, 256}, {1, 1 << 16}, {time.Hour, 2}, {end/2 + 1, 2}, {end, 2}, {end, 1 << 16},
	} {
		t.Run(fmt.Sprintf("tick=%d/slots=%d", test.tick, test.slots), func(t *testing.T) {
			w := must.Get(hierwheel.New[uint64](test.tick, test.slots))(t)
			require.Equal(t, test.tick, w.Tick())
			must.Get(w.Schedule(end, 1))(t)
			must.Get(w.Schedule(1, 0))(t)

			due := make([]uint64, 1)
			for _, want := range []uint64{0, 1} {
				for w.Expire(wake(t, w), due) == 0 {
				}
				require.Equal(t, want, due[0])
			}
			require.Zero(t, w.Len())
		})
	}
}

func wake(t *testing.T, w *hierwheel.Wheel[uint64]) time.Duration {
	at, ok := w.Next()
	require.True(t, ok)
	return at
}
