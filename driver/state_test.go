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
	"schedbench/schedulers"
)

// remembering returns the subjects whose drivers may know the states.
func remembering() (all []subject) {
	for _, s := range subjects() {
		if _, ok := s.make().(schedulers.Holder); ok {
			all = append(all, s)
		}
	}
	return all
}

// What becomes of a timer is known: whether its task began, or Stop, Reset or
// Close took it away. Reset makes a new timer, pending, of which the old one
// knows nothing.
func TestState(t *testing.T) {
	for _, s := range remembering() {
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
				stops, old := after(t, d, time.Second, nothing), after(t, d, time.Second, nothing)
				closes := after(t, d, time.Minute, nothing)
				states(driver.IsPending, driver.IsPending, driver.IsPending, driver.IsPending)(fires, stops, old, closes)
				moved := old
				require.True(t, reset(t, &moved, 2*time.Second))
				require.True(t, stops.Stop())
				states(driver.IsPending, driver.Cancelled, driver.Cancelled, driver.IsPending, driver.IsPending)(
					fires, stops, old, moved, closes)
				pass(2 * time.Second)
				states(driver.Fired, driver.Cancelled, driver.Cancelled, driver.Fired, driver.IsPending)(
					fires, stops, old, moved, closes)
				require.False(t, fires.Stop())
				require.NoError(t, second(d.Close(context.Background())))
				states(driver.Fired, driver.Cancelled, driver.Cancelled, driver.Fired, driver.Cancelled)(
					fires, stops, old, moved, closes)
			})
		})
	}
}

// A known state is a true one, for any timer at any time, after its cell has
// been used again and after Close too; and nothing pending is unknown.
func TestStateNeverLies(t *testing.T) {
	for _, s := range remembering() {
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
	names        []*int // of each timer: where the truth about its task is
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
		name := n
		timer, _ := w.d.AfterFunc(a.delay, func() {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.truth[name] = driver.Fired
		})
		w.add(timer, &name)
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
	} else if timer, armed, _ := w.timers[i].Reset(a.delay); armed {
		w.truth[i] = driver.Cancelled
		*w.names[i] = n
		w.add(timer, w.names[i])
	}
}

func (w *stateModel) add(timer driver.Timer, name *int) {
	w.timers, w.names, w.truth = append(w.timers, timer), append(w.names, name), append(w.truth, driver.IsPending)
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

// States are refused where they cannot be known.
func TestStatesNeedAHolderAndARanger(t *testing.T) {
	type holder struct {
		*plain
		schedulers.Holder
	}
	type ranger struct {
		*plain
		schedulers.Ranger[driver.Task]
	}
	for _, s := range []schedulers.Scheduler[driver.Task]{newPlain(), holder{plain: newPlain()}, ranger{plain: newPlain()}} {
		d, err := driver.Start(s, driver.WithStates())
		require.ErrorIs(t, err, driver.ErrOption)
		require.ErrorContains(t, err, fmt.Sprintf("%T", s))
		require.Nil(t, d)
		start(t, s)
	}
	_, err := driver.Start(heapsched.New[driver.Task](), driver.WithStates(), driver.WithInbox(driver.Sharded{
		Shards: 2, New: func() (schedulers.Scheduler[driver.Task], error) { return newPlain(), nil },
	}))
	require.ErrorIs(t, err, driver.ErrOption)
}

func TestStateString(t *testing.T) {
	require.Equal(t, "unknown pending fired cancelled State(9)",
		fmt.Sprint(driver.Unknown, driver.IsPending, driver.Fired, driver.Cancelled, driver.State(9)))
}
