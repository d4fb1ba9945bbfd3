package driver_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/driver"
	"schedbench/heapsched"
)

// What becomes of a timer is known: whether its task began, or Stop or Close took
// it away. Reset leaves it pending.
func TestState(t *testing.T) {
	for _, s := range subjects() {
		t.Run(s.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := s.start(t, driver.WithStates())
				states := func(want ...driver.State) func(...driver.Timer) {
					return func(timers ...driver.Timer) {
						t.Helper()
						for i, timer := range timers {
							require.Equal(t, want[i], timer.State(), "timer %d", i)
						}
					}
				}
				self := make(chan driver.Timer, 1)
				fires := after(t, d, time.Second, func() { states(driver.Fired)(<-self) })
				self <- fires
				stops, moves := after(t, d, time.Second, nothing), after(t, d, time.Second, nothing)
				closes := after(t, d, time.Minute, nothing)
				states(driver.IsPending, driver.IsPending, driver.IsPending, driver.IsPending)(fires, stops, moves, closes)
				require.True(t, reset(t, moves, 3*time.Second))
				require.True(t, stops.Stop())
				states(driver.IsPending, driver.Cancelled, driver.IsPending, driver.IsPending)(fires, stops, moves, closes)
				pass(2 * time.Second)
				states(driver.Fired, driver.Cancelled, driver.IsPending, driver.IsPending)(fires, stops, moves, closes)
				pass(2 * time.Second)
				states(driver.Fired, driver.Cancelled, driver.Fired, driver.IsPending)(fires, stops, moves, closes)
				require.False(t, fires.Stop())
				require.NoError(t, second(d.Close(context.Background())))
				states(driver.Fired, driver.Cancelled, driver.Fired, driver.Cancelled)(fires, stops, moves, closes)
			})
		})
	}
}

// A known state is a true one, for any timer at any time, after its cell has
// been used again and after Close too; and nothing pending is unknown.
func TestStateNeverLies(t *testing.T) {
	for _, s := range subjects() {
		t.Run(s.name, func(t *testing.T) {
			known, asked := 0, 0
			rapid.Check(t, func(rt *rapid.T) {
				steps := actions.Draw(rt, "actions")
				var fault error
				synctest.Test(t, func(t *testing.T) {
					w := &stateModel{d: s.start(t, driver.WithStates())}
					for i, step := range steps {
						if w.take(step); fault == nil {
							if err := w.compare(); err != nil {
								fault = fmt.Errorf("step %d, %+v: %w", i, step, err)
							}
						}
					}
					w.d.Close(context.Background())
					for i := range w.truth {
						if w.truth[i] == driver.IsPending {
							w.truth[i] = driver.Cancelled
						}
					}
					if err := w.compare(); fault == nil && err != nil {
						fault = fmt.Errorf("closed: %w", err)
					}
					known, asked = known+w.known, asked+w.asked
				})
				if fault != nil {
					rt.Fatal(fault)
				}
			})
			require.Greater(t, known, asked/4, "it knows something")
		})
	}
}

// stateModel knows what became of timers.
type stateModel struct {
	d            *driver.Driver
	mu           sync.Mutex // protects what follows
	timers       []driver.Timer
	truth        []driver.State
	known, asked int
}

func (w *stateModel) take(a action) {
	if a.kind == "pass" {
		pass(a.delay)
		return
	}
	defer synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	n := len(w.timers)
	if a.kind == "make" {
		timer, _ := w.d.AfterFunc(a.delay, func() {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.truth[n] = driver.Fired
		})
		w.timers, w.truth = append(w.timers, timer), append(w.truth, driver.IsPending)
		return
	}
	if n == 0 {
		return
	}
	i := a.which % n
	if a.kind == "stop" {
		if w.timers[i].Stop() {
			w.truth[i] = driver.Cancelled
		}
	} else {
		w.timers[i].Reset(a.delay)
	}
}

// compare compares what the timers say with the truth.
func (w *stateModel) compare() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, timer := range w.timers {
		got := timer.State()
		if got != w.truth[i] && (got != driver.Unknown || w.truth[i] == driver.IsPending) {
			return fmt.Errorf("timer %d is %v, says %v", i, w.truth[i], got)
		}
		if w.asked++; got != driver.Unknown {
			w.known++
		}
	}
	return nil
}

// Without the option a driver that is not Queued knows nothing, and a zero Timer
// never does.
func TestStateUnknown(t *testing.T) {
	live(t, func(t *testing.T, s subject) {
		if _, queued := s.inbox.(driver.Queued); queued {
			t.Skip("knows the states anyway")
		}
		d := s.start(t)
		timer := after(t, d, time.Second, nothing)
		require.Equal(t, driver.Unknown, timer.State())
		timer.Stop()
		require.Equal(t, driver.Unknown, timer.State())
	})
	require.Equal(t, driver.Unknown, driver.Timer{}.State())
}

// A timer whose cell has ended another timer since is unknown, not wrong.
func TestStateOfReusedCells(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := start(t, heapsched.New[driver.Task](), driver.WithStates())
		fired := after(t, d, 0, nothing)
		pass(1)
		require.Equal(t, driver.Fired, fired.State())
		stopped := after(t, d, time.Second, nothing)
		require.True(t, stopped.Stop())
		require.Equal(t, driver.Cancelled, stopped.State())
		require.Equal(t, driver.Unknown, fired.State(), "one cell after the other")
		for range 100 {
			after(t, d, time.Second, nothing).Stop()
		}
		require.Equal(t, driver.Unknown, stopped.State())
	})
}

func TestStateString(t *testing.T) {
	require.Equal(t, "unknown pending fired cancelled State(9)",
		fmt.Sprint(driver.Unknown, driver.IsPending, driver.Fired, driver.Cancelled, driver.State(9)))
}

// WithStates the records of a burst stay. A Queued driver without it gives them back.
func TestStatesAfterABurst(t *testing.T) {
	const n = 20_000
	for _, inbox := range []driver.Inbox{driver.Locked{}, driver.Queued{}} {
		synctest.Test(t, func(t *testing.T) {
			asked := start(t, heapsched.New[driver.Task](), driver.WithInbox(inbox), driver.WithStates())
			other := start(t, heapsched.New[driver.Task](), driver.WithInbox(inbox))
			known := map[*driver.Driver]int{}
			for _, d := range []*driver.Driver{asked, other} {
				var timers []driver.Timer
				for range n {
					timers = append(timers, after(t, d, time.Hour, nothing))
				}
				for _, timer := range timers {
					require.True(t, timer.Stop())
				}
				for _, timer := range timers {
					if timer.State() == driver.Cancelled {
						known[d]++
					}
				}
			}
			require.Equal(t, n, known[asked], "%T", inbox)
			require.Less(t, known[other], n/2)
		})
	}
}

// A burst makes pages of an earlier one again. What was stopped then has never fired.
func TestStateAfterASmallerBurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := startQueued(t, heapsched.New[driver.Task](), 0)
		timers := make([]driver.Timer, 20_000)
		for i := range timers {
			timers[i] = after(t, d, time.Hour, nothing)
		}
		for _, timer := range timers {
			require.True(t, timer.Stop())
		}
		for range 4097 {
			after(t, d, time.Hour, nothing)
		}
		for i, timer := range timers {
			require.Contains(t, []driver.State{driver.Cancelled, driver.Unknown}, timer.State(), "timer %d", i)
		}
	})
}
