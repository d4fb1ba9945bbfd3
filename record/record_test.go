package record

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"schedbench/driver"
	"schedbench/internal/must"
	"schedbench/workload/trace"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// kept is a sink that keeps everything. While somebody holds it, it takes nothing.
type kept struct {
	events  []trace.Event
	dropped uint64
	err     error
	held    chan struct{}
}

func newKept() *kept { return &kept{held: make(chan struct{}, 1)} }

func (k *kept) hold() { k.held <- struct{}{} }

func (k *kept) release() { <-k.held }

func (k *kept) Write(e trace.Event) error {
	k.hold()
	defer k.release()
	k.events = append(k.events, e)
	return k.err
}

func (k *kept) Dropped(n uint64, _ string) error { k.dropped += n; return nil }

func (k *kept) Flush() error { return nil }

// wrapped returns a recorded driver in virtual time.
func wrapped(t *testing.T, opts ...Option) (*Driver, *kept) {
	k := newKept()
	return must.Get(Wrap(newDriver(t), k, opts...))(t), k
}

// afterFunc has a timer made.
func afterFunc(t *testing.T, r *Driver, delay time.Duration, f func()) driver.Timer {
	t.Helper()
	return must.Get(r.AfterFunc(delay, f))(t)
}

// moves reports whether a reset finds a timer pending.
func moves(t *testing.T, timer driver.Timer, delay time.Duration) bool {
	t.Helper()
	return must.Get(timer.ResetPending(delay))(t)
}

func end(t *testing.T, r *Driver) []driver.Unfired { return must.Get(r.Close(context.Background()))(t) }

const ms = time.Millisecond

func TestWhatHappensIsRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, k := wrapped(t)
		a, b := afterFunc(t, r, 10*ms, nothing), afterFunc(t, r, 20*ms, nothing)
		time.Sleep(3 * ms)
		require.True(t, moves(t, a, 30*ms))
		require.True(t, b.Stop())
		require.False(t, b.Stop())
		time.Sleep(100 * ms)
		require.False(t, a.Stop())
		require.False(t, moves(t, a, ms))
		c := afterFunc(t, r, -5, nothing)
		synctest.Wait()
		require.False(t, c.Stop())
		require.Empty(t, end(t, r))
		require.Equal(t, []trace.Event{
			{At: 0, Delay: 10 * ms, Timer: 0, Kind: trace.Schedule},
			{At: 0, Delay: 20 * ms, Timer: 1, Kind: trace.Schedule},
			{At: 3 * ms, Delay: 30 * ms, Timer: 0, Kind: trace.Reset},
			{At: 3 * ms, Timer: 1, Kind: trace.Cancel},
			{At: 33 * ms, Timer: 0, Kind: trace.Fire},
			{At: 103 * ms, Delay: 0, Timer: 0, Kind: trace.Schedule},
			{At: 103 * ms, Timer: 0, Kind: trace.Fire},
		}, k.events)
		require.Equal(t, Counts{Recorded: 7}, r.Counts())
	})
}

func TestCloseHandsTheProgramsFunctionsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, k := wrapped(t)
		ran := ""
		afterFunc(t, r, time.Minute, func() { ran += "b" })
		afterFunc(t, r, time.Second, func() { ran += "a" })
		must.Get(r.Every(time.Hour, func() { ran += "c" }))(t)
		unfired := end(t, r)
		require.Len(t, unfired, 3)
		for _, u := range unfired {
			u.Func()
		}
		require.Equal(t, "abc", ran)
		require.Equal(t, 3, count(k.events, trace.Cancel))
		_, err := r.CloseNow()
		require.ErrorIs(t, err, driver.ErrClosed)
		_, err = r.AfterFunc(ms, nothing)
		require.ErrorIs(t, err, driver.ErrClosed)
	})
}

func count(events []trace.Event, kind trace.Kind) (n int) {
	for _, e := range events {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

func TestRunsOfARepetitionAreTimers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, k := wrapped(t)
		runs := 0
		slow := must.Get(r.Every(10*ms, func() { runs++; time.Sleep(5 * ms) }))(t)
		time.Sleep(42 * ms) // in the third run: 10-15, 25-30, 40-45
		require.True(t, slow.Stop())
		require.False(t, slow.Stop())
		time.Sleep(100 * ms)
		synctest.Wait()
		require.Equal(t, 3, runs)
		rate := must.Get(r.EveryAtFixedRate(10*ms, func() { time.Sleep(4 * ms) }))(t)
		time.Sleep(25 * ms)
		require.True(t, rate.Stop())
		end(t, r)
		var got []trace.Event
		for _, e := range k.events {
			e.Timer = 0
			got = append(got, e)
		}
		require.Equal(t, []trace.Event{
			{At: 0, Delay: 10 * ms, Kind: trace.Schedule},
			{At: 10 * ms, Kind: trace.Fire},
			{At: 15 * ms, Delay: 10 * ms, Kind: trace.Schedule},
			{At: 25 * ms, Kind: trace.Fire},
			{At: 30 * ms, Delay: 10 * ms, Kind: trace.Schedule},
			{At: 40 * ms, Kind: trace.Fire},
			{At: 142 * ms, Delay: 10 * ms, Kind: trace.Schedule},
			{At: 152 * ms, Kind: trace.Fire},
			{At: 156 * ms, Delay: 6 * ms, Kind: trace.Schedule},
			{At: 162 * ms, Kind: trace.Fire},
			{At: 166 * ms, Delay: 6 * ms, Kind: trace.Schedule},
			{At: 167 * ms, Kind: trace.Cancel},
		}, got)
	})
}

func TestRefusedTimersAreNotRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _ := wrapped(t, WithRoom(64))
		_, err := r.AfterFunc(ms, nil)
		require.ErrorIs(t, err, driver.ErrNilFunc)
		_, err = r.Every(0, nothing)
		require.ErrorIs(t, err, driver.ErrPeriod)
		_, err = r.Every(ms, nil)
		require.ErrorIs(t, err, driver.ErrNilFunc)
		end(t, r)
		require.Zero(t, r.Counts())
	})
}

func TestBadOptionsAreRefused(t *testing.T) {
	d := newDriver(t)
	defer d.Close(context.Background())
	for _, room := range []int{0, -1, 63, 1<<26 + 1} {
		_, err := Wrap(d, newKept(), WithRoom(room))
		require.ErrorContains(t, err, "want 64 to 67108864")
	}
	_, err := Wrap(nil, newKept())
	require.ErrorContains(t, err, "no driver")
	_, err = Wrap(d, nil)
	require.ErrorContains(t, err, "no sink")
}

func TestErrorOfTheSinkIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, k := wrapped(t)
		k.err = errors.New("disk full")
		afterFunc(t, r, time.Hour, nothing)
		unfired, err := r.Close(context.Background())
		require.ErrorIs(t, err, k.err)
		require.Len(t, unfired, 1)
	})
}

// A program that keeps driver.Timer keeps it: nothing tells a recorded one from another.
func TestTimersAreOfTheDriversOwnType(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []driver.Timer
		d := newDriver(t, driver.WithStates(), driver.WithCancelHandler(func(t driver.Timer) { told = append(told, t) }))
		r := must.Get(Wrap(d, newKept()))(t)
		defer end(t, r)

		a, b := afterFunc(t, r, 10*ms, nothing), afterFunc(t, r, 20*ms, nothing)
		require.Equal(t, driver.IsPending, a.State())
		require.True(t, a.Stop())
		require.Equal(t, []driver.Timer{a}, told, "the callback gets the timer that the program has, once")
		require.Equal(t, driver.Cancelled, a.State())
		time.Sleep(time.Second)
		require.Equal(t, driver.Fired, b.State())

		c := afterFunc(t, r, 10*ms, nothing) // under the number of one of them
		for _, stale := range []driver.Timer{a, b, {}} {
			require.False(t, stale.Stop())
			require.False(t, moves(t, stale, time.Hour))
		}
		require.NotEqual(t, a, c)
		require.NotEqual(t, b, c)
		require.Equal(t, driver.IsPending, c.State())

		every := must.Get(r.Every(ms, nothing))(t)
		require.True(t, every.Stop())
		require.Zero(t, every.Missed())
	})
}
