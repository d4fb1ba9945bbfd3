package experiments

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAWindowHoldsWholeTicks(t *testing.T) {
	const ms = time.Millisecond
	for _, tc := range []struct{ slice, tick, want time.Duration }{
		{240 * ms, 0, 240 * ms}, {240 * ms, ms, 240 * ms}, {240 * ms, 100 * ms, 300 * ms},
		{200 * ms, 100 * ms, 200 * ms}, {240 * ms, 240 * ms, 240 * ms}, {240 * ms, time.Second, 240 * ms},
	} {
		require.Equal(t, tc.want, wholeTicks(tc.slice, tc.tick), "%v", tc)
	}
}
