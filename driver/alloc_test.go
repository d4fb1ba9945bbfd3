package driver_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// In steady state nothing allocates: not scheduling, stopping or resetting, nor
// the way of a task through the worker.
func TestNoAllocations(t *testing.T) {
	for _, s := range subjects() {
		t.Run(s.name, func(t *testing.T) {
			d := s.start(t)
			const delay = time.Minute
			for range 1000 {
				after(t, d, delay, nothing)
			}
			require.Zero(t, testing.AllocsPerRun(1000, func() {
				timer, _ := d.AfterFunc(delay, nothing)
				timer.Reset(2 * delay)
				timer.Stop()
			}), "AfterFunc, Reset, Stop")

			ran := make(chan struct{})
			task := func() { ran <- struct{}{} }
			require.Zero(t, testing.AllocsPerRun(200, func() {
				d.AfterFunc(0, task)
				<-ran
			}), "AfterFunc and an inline run")
		})
	}
}
