package driver_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"schedbench/driver"
	"schedbench/schedulers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A subject is a scheduler to drive.
type subject struct {
	name string
	tick time.Duration // what its deadlines are rounded up to
	make func() schedulers.Scheduler[driver.Task]
	// horizon is set for those that refuse deadlines far ahead.
	horizon time.Duration
	// cascades is set for those that have to wake between deadlines.
	cascades bool
	// inbox is how timers get into it: Locked{} if nil.
	inbox driver.Inbox
	// few is set for those that with a fixed tick take up only so few timers in
	// one tick that others may be late.
	few bool
}

// start starts a driver of the subject that ends with the test.
func (s subject) start(t *testing.T, opts ...driver.Option) *driver.Driver {
	t.Helper()
	return start(t, s.make(), s.options(opts...)...)
}

// options returns opts and what the subject needs besides.
func (s subject) options(opts ...driver.Option) []driver.Option {
	if s.inbox != nil {
		opts = append(opts, driver.WithInbox(s.inbox))
	}
	return opts
}

// rounded returns the instant at which the subject lets a deadline fire.
func (s subject) rounded(deadline time.Duration) time.Duration {
	return roundUp(deadline, s.tick)
}

func roundUp(d, tick time.Duration) time.Duration {
	return (d + tick - 1) / tick * tick
}

// live runs test for every subject, each in virtual time.
func live(t *testing.T, test func(t *testing.T, s subject)) {
	for _, s := range subjects() {
		t.Run(s.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, s) })
		})
	}
}

// start starts a driver that ends with the test.
func start(t *testing.T, s schedulers.Scheduler[driver.Task], opts ...driver.Option) *driver.Driver {
	t.Helper()
	d, err := driver.Start(s, opts...)
	require.NoError(t, err)
	t.Cleanup(func() { d.Close(context.Background()) })
	return d
}

// after is AfterFunc for delays that the scheduler does not refuse.
func after(t *testing.T, d *driver.Driver, delay time.Duration, f func()) driver.Timer {
	t.Helper()
	timer, err := d.AfterFunc(delay, f)
	require.NoError(t, err)
	return timer
}

// reset is Timer.ResetPending for delays that the scheduler does not refuse.
func reset(t *testing.T, timer driver.Timer, delay time.Duration) bool {
	t.Helper()
	armed, err := timer.ResetPending(delay)
	require.NoError(t, err)
	return armed
}

// pass lets virtual time go by, and then everything due run.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func nothing() {}
