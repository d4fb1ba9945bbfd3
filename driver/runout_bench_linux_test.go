package driver_test

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"schedbench/driver"
	"schedbench/hierwheel"
)

// BenchmarkRunOut lets a million timers run out within two seconds of the real
// clock. One operation is all of them; what counts is the CPU time that the
// process takes for each, to make it and to run it.
func BenchmarkRunOut(b *testing.B) {
	const n = 1_000_000
	r := rand.New(rand.NewPCG(1, 2))
	delays := make([]time.Duration, n)
	for i := range delays {
		delays[i] = 500*time.Millisecond + time.Duration(r.Int64N(int64(2*time.Second)))
	}
	b.Run("impl=hierwheel", func(b *testing.B) {
		runOut(b, delays, func() (func(time.Duration, func()), func()) {
			d, err := driver.Start(wheel(hierwheel.New[driver.Task], time.Millisecond, 256)())
			if err != nil {
				b.Fatal(err)
			}
			return func(delay time.Duration, f func()) { _, _ = d.AfterFunc(delay, f) },
				func() { _, _ = d.Close(context.Background()) }
		})
	})
	b.Run("impl=time.AfterFunc", func(b *testing.B) {
		runOut(b, delays, func() (func(time.Duration, func()), func()) {
			return func(delay time.Duration, f func()) { time.AfterFunc(delay, f) }, func() {}
		})
	})
}

// runOut makes timers by what start returns, and waits until all have run.
func runOut(b *testing.B, delays []time.Duration, start func() (schedule func(time.Duration, func()), end func())) {
	var used time.Duration
	for b.Loop() {
		schedule, end := start()
		var left atomic.Int64
		left.Store(int64(len(delays)))
		done := make(chan struct{})
		task := func() {
			if left.Add(-1) == 0 {
				close(done)
			}
		}
		before := cpuTime(b)
		for _, delay := range delays {
			schedule(delay, task)
		}
		<-done
		used += cpuTime(b) - before
		end()
	}
	b.ReportMetric(float64(used.Nanoseconds())/float64(b.N)/float64(len(delays)), "cpu-ns/timer")
}

// cpuTime returns the CPU time that the process has taken.
func cpuTime(b *testing.B) time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t); err != nil {
		b.Fatal(err)
	}
	return time.Duration(t.Nano())
}
