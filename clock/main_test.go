package clock_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"schedbench/clock"
	"schedbench/driver"
	"schedbench/heapsched"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const ms = time.Millisecond

// over returns a Clock over a driver that ends with the test.
func over(t testing.TB, opts ...driver.Option) *clock.Clock {
	d, err := driver.Start(heapsched.New[driver.Task](), opts...)
	require.NoError(t, err)
	t.Cleanup(func() { _, _ = d.Close(context.Background()) })
	return clock.Over(d)
}
