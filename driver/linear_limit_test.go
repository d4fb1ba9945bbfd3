package driver_test

import (
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"schedbench/driver"
)

// limitModel says what WithMaxPending means to goroutines that make timers and
// stop them: a timer is taken exactly if fewer than the limit are pending.
func limitModel(limit int) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return 0 },
		Step: func(state, input, output any) (bool, any) {
			pending := state.(int)
			switch {
			case input == "stop":
				return true, pending - 1
			case output.(bool):
				return pending < limit, pending + 1
			}
			return pending >= limit, pending
		},
	}
}

// No timer is refused while there is room, nor taken while there is none: not
// even at the moment at which others are refused.
func TestMaxPendingIsLinearizable(t *testing.T) {
	for _, s := range chosen("heapsched", "heapsched-sharded", "heapsched-queued") {
		t.Run(s.name, func(t *testing.T) {
			for range 200 {
				d := s.start(t, driver.WithMaxPending(3))
				history := limitHistory(d)
				require.NoError(t, second(d.Close(t.Context())))
				require.True(t, porcupine.CheckOperations(limitModel(3), history))
			}
		})
	}
}

// limitHistory lets goroutines make timers, up to two each, and stop them.
func limitHistory(d *driver.Driver) (history []porcupine.Operation) {
	var mu sync.Mutex // protects history
	began := time.Now()
	everywhere(5, func(i int) {
		var held []driver.Timer
		var mine []porcupine.Operation
		for range 10 {
			op := porcupine.Operation{Input: "make", Output: false, Call: int64(time.Since(began))}
			timer, err := d.AfterFunc(time.Hour, nothing)
			op.Return = int64(time.Since(began))
			if err == nil {
				op.Output = true
				held = append(held, timer)
			}
			mine = append(mine, op)
			if err == nil && len(held) < 2 {
				continue
			}
			for _, timer := range held {
				op := porcupine.Operation{Input: "stop", Output: true, Call: int64(time.Since(began))}
				timer.Stop()
				op.Return = int64(time.Since(began))
				mine = append(mine, op)
			}
			held = nil
		}
		mu.Lock()
		defer mu.Unlock()
		history = append(history, mine...)
	})
	return history
}
