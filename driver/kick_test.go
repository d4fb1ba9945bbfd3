package driver

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/heapsched"
	"schedbench/internal/must"
)

// hookedWaiter waits as a timerWaiter does, with something done before each drain.
type hookedWaiter struct {
	*timerWaiter
	drains func()
}

func (w hookedWaiter) newWaiter() (waiter, error) { w.timerWaiter = newTimerWaiter(); return w, nil }

func (w hookedWaiter) drain() { w.drains(); w.timerWaiter.drain() }

func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// The worker voids kicks before it looks for work, and none after that: a timer for which it was kicked is not forgotten.
func TestKicksBeforeTheLookAreVoid(t *testing.T) {
	for _, inbox := range []Inbox{Locked{}, Queued{}} {
		synctest.Test(t, func(t *testing.T) {
			do := func() {}
			d := must.Get(Start(heapsched.New[Task](), WithInbox(inbox), WithWaiting(hookedWaiter{drains: func() { do() }})))(t)
			defer d.CloseNow()
			left, began := 5, 0
			do = func() {
				if left--; left >= 0 {
					delay := time.Duration(left+1) * time.Minute // each is earlier than the one before
					due := d.Now() + delay
					armed(t, d, delay, func() {
						require.Equal(t, due, d.Now())
						began++
					})
				}
			}
			armed(t, d, time.Hour, func() {})
			pass(30 * time.Minute)
			require.Equal(t, 5, began)
		})
	}
}
