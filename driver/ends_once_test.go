package driver_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/internal/must"
)

// timerEnds says what became of each of very many timers, in one word each: how often it fired,
// was stopped, and was returned by Close, at the places below.
type timerEnds []atomic.Uint32

const (
	onceFired   = 1
	onceStopped = 1 << 8
	onceClosed  = 1 << 16
)

// With very many calls and no mutex around them, eight goroutines make, stop and reset timers, their own and each other's, and
// Close comes at the end. Of each timer exactly one thing has become. With
// SCHEDBENCH_LONG=1 this takes ten million operations.
func TestTimersOfOthersEndOnce(t *testing.T) {
	operations := 200_000
	if testing.Short() {
		operations = 60_000
	}
	if os.Getenv("SCHEDBENCH_LONG") != "" {
		operations = 10_000_000
	}
	for _, s := range chosen("heapsched", "hierwheel", "heapsched-sharded", "heapsched-queued", "hierwheel-queued") {
		t.Run(s.name, func(t *testing.T) {
			ends := toTheEnd(t, s.start(t), operations)
			t.Logf("%d operations, %d timers: %v", operations, ends.timers, ends)
			require.Equal(t, ends.timers, ends.fired+ends.stopped+ends.closed)
			require.NotContains(t, []int{ends.fired, ends.stopped, ends.closed}, 0)
		})
	}
}

// An account of what became of timers, each in one way.
type account struct{ timers, fired, stopped, closed int }

func (a account) String() string {
	return fmt.Sprintf("%d fired, %d stopped, %d returned", a.fired, a.stopped, a.closed)
}

func toTheEnd(t *testing.T, d *driver.Driver, operations int) account {
	const goroutines = 8
	type held struct {
		driver.Timer
		number int
	}
	var slots [1 << 10]atomic.Pointer[held]
	var made atomic.Int64
	var closed atomic.Bool
	ends := make(timerEnds, operations)
	everywhere(goroutines, func(g int) {
		random := rand.New(rand.NewPCG(uint64(g), uint64(operations)))
		for range operations / goroutines {
			slot := &slots[random.IntN(len(slots))]
			timer := slot.Load()
			kind := random.IntN(8)
			switch {
			case timer == nil || kind < 4:
				i := int(made.Add(1)) - 1
				delay := time.Duration(random.IntN(int(5 * ms)))
				if kind == 0 {
					delay = time.Hour
				}
				timer, err := d.AfterFunc(delay, func() {
					if closed.Load() {
						ends[i].Add(onceClosed)
					} else {
						ends[i].Add(onceFired)
					}
				})
				if err != nil {
					panic(err)
				}
				slot.Store(&held{timer, i})
			case kind < 7:
				if timer.Stop() {
					ends[timer.number].Add(onceStopped)
				}
			default:
				timer.ResetPending(time.Duration(random.IntN(int(5 * ms))))
			}
		}
	})
	last, fired := int(made.Add(1))-1, make(chan bool)
	must.Get(d.AfterFunc(0, func() { // at least this one fires, however busy the machine is
		ends[last].Add(onceFired)
		close(fired)
	}))(t)
	<-fired
	unfired := must.Get(d.Close(context.Background()))(t)
	closed.Store(true)
	for _, u := range unfired {
		u.Func()
	}
	a := account{timers: int(made.Load())}
	for i := range a.timers {
		switch end := ends[i].Load(); end {
		case onceFired:
			a.fired++
		case onceStopped:
			a.stopped++
		case onceClosed:
			a.closed++
		default:
			require.Fail(t, "not exactly once", "timer %d: %#x", i, end)
		}
	}
	return a
}
