package clock_test

import (
	"context"
	"testing"
	"time"

	"go.uber.org/goleak"

	"schedbench/clock"
	"schedbench/driver"
	"schedbench/heapsched"
	"schedbench/internal/must"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const ms = time.Millisecond

// held returns a driver that ends with the test, and a Clock over it.
func held(t testing.TB, opts ...driver.Option) (*driver.Driver, *clock.Clock) {
	d := must.Get(driver.Start(heapsched.New[driver.Task](), opts...))(t)
	t.Cleanup(func() { _, _ = d.Close(context.Background()) })
	return d, clock.Over(d)
}

func over(t testing.TB) *clock.Clock {
	_, c := held(t)
	return c
}
