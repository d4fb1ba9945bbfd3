package clock_test

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/clock"
	"schedbench/driver"
	"schedbench/hierwheel"
)

// wheelClock returns a Clock over a wheel. Ten thousand timers are pending there, and as many in the runtime.
func wheelClock(b *testing.B) *clock.Clock {
	w, err := hierwheel.New[driver.Task](time.Millisecond, 256)
	require.NoError(b, err)
	d, err := driver.Start(w)
	require.NoError(b, err)
	b.Cleanup(func() { _, _ = d.Close(context.Background()) })
	for i := range 10_000 {
		delay := time.Hour + time.Duration(i)*time.Millisecond
		_, err := d.AfterFunc(delay, func() {})
		require.NoError(b, err)
		theirs := time.AfterFunc(delay, func() {})
		b.Cleanup(func() { theirs.Stop() })
	}
	return clock.Over(d)
}

// each runs what package time and a Clock do side by side.
func each(b *testing.B, ours, theirs func()) {
	for _, side := range []struct {
		name string
		do   func()
	}{{"clock", ours}, {"runtime", theirs}} {
		b.Run("impl="+side.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				side.do()
			}
		})
	}
}

const far = 30 * time.Second

func BenchmarkAfterFuncStop(b *testing.B) {
	c := wheelClock(b)
	f := func() {}
	each(b, func() { c.AfterFunc(far, f).Stop() }, func() { time.AfterFunc(far, f).Stop() })
}

func BenchmarkNewTimerStop(b *testing.B) {
	c := wheelClock(b)
	each(b, func() { c.NewTimer(far).Stop() }, func() { time.NewTimer(far).Stop() })
}

func BenchmarkReset(b *testing.B) {
	c := wheelClock(b)
	ours, theirs := c.AfterFunc(far, func() {}), time.AfterFunc(far, func() {})
	each(b, func() { ours.Reset(far) }, func() { theirs.Reset(far) })
	theirs.Stop()
}

func BenchmarkWithTimeoutCancel(b *testing.B) {
	c := wheelClock(b)
	parent, end := context.WithCancel(context.Background())
	defer end()
	each(b, func() { _, cancel := c.WithTimeout(parent, far); cancel() },
		func() { _, cancel := context.WithTimeout(parent, far); cancel() })
}

// BenchmarkSetReadDeadline moves the deadline of an idle TCP connection, as a server does for each message.
func BenchmarkSetReadDeadline(b *testing.B) {
	c := wheelClock(b)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	defer l.Close()
	var conns [2]net.Conn
	for i := range conns {
		conns[i], err = net.Dial("tcp", l.Addr().String())
		require.NoError(b, err)
		defer conns[i].Close()
	}
	ours, theirs := c.Conn(conns[0]), conns[1]
	each(b, func() { _ = ours.SetReadDeadline(time.Now().Add(far)) },
		func() { _ = theirs.SetReadDeadline(time.Now().Add(far)) })
}
