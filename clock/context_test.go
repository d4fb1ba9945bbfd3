package clock_test

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"schedbench/clock"
	"schedbench/driver"
	"schedbench/heapsched"
	"schedbench/internal/must"
)

// withDeadline is context.WithDeadline, or that of a Clock.
type withDeadline func(context.Context, time.Time) (context.Context, context.CancelFunc)

// story is the life of a context, and what a program sees of it.
func story(t *testing.T, parentEnds, parentDeadline, deadline, cancelled time.Duration, of func(t *testing.T) withDeadline) (seen []any) {
	synctest.Test(t, func(t *testing.T) {
		with := of(t)
		root, end := context.WithCancelCause(context.WithValue(context.Background(), t, "value"))
		defer end(nil)
		began := time.Now()
		parent, cancelParent := with(root, began.Add(parentDeadline))
		defer cancelParent()
		ctx, cancel := with(parent, began.Add(deadline))
		defer cancel()
		child, cancelChild := context.WithCancel(ctx)
		defer cancelChild()
		look := func() {
			synctest.Wait()
			for _, c := range []context.Context{parent, ctx, child} {
				d, ok := c.Deadline()
				seen = append(seen, c.Err(), context.Cause(c), d.Sub(began), ok, c.Value(t))
				select {
				case <-c.Done():
					seen = append(seen, "done")
				default:
				}
			}
		}
		for now := time.Duration(0); now < 8*ms; now += ms {
			look()
			if now == parentEnds {
				end(errReason)
				synctest.Wait() // the end of a parent reaches a context by a goroutine
			}
			if now == cancelled {
				cancel()
			}
			look()
			time.Sleep(ms)
		}
	})
	return seen
}

var errReason = errors.New("a reason")

func TestContextAsContext(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		draw := func(name string) time.Duration { return time.Duration(rapid.IntRange(-1, 9).Draw(r, name)) * ms }
		parentEnds, cancelled := draw("parentEnds"), draw("cancelled")
		parentDeadline, deadline := draw("parentDeadline")+1, draw("deadline")+2
		want := story(t, parentEnds, parentDeadline, deadline, cancelled, func(*testing.T) withDeadline { return context.WithDeadline })
		got := story(t, parentEnds, parentDeadline, deadline, cancelled, func(t *testing.T) withDeadline { return over(t).WithDeadline })
		require.Equal(r, want, got)
	})
}

// lastMinute is a context that ends, for a reason, when its values are asked for at or after an instant.
type lastMinute struct {
	context.Context
	at  time.Time
	end context.CancelCauseFunc
}

func (c lastMinute) Value(key any) any {
	if !time.Now().Before(c.at) {
		c.end(errReason)
	}
	return c.Context.Value(key)
}

func TestAContextThatIsLateHasNoOtherCause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		root, end := context.WithCancelCause(t.Context())
		at := time.Now().Add(ms)
		ctx, cancel := over(t).WithDeadline(lastMinute{root, at, end}, at)
		defer cancel()
		<-ctx.Done()
		require.Equal(t, context.DeadlineExceeded, ctx.Err())
		require.Equal(t, context.DeadlineExceeded, context.Cause(ctx))
	})
}

func TestCancelTakesTheTimerBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, c := held(t)
		_, cancel := c.WithTimeout(t.Context(), time.Hour)
		require.Equal(t, 1, d.Len())
		cancel()
		require.Zero(t, d.Len())
	})
}

func TestParentsEndArrives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, c := held(t)
		parent, end := context.WithCancelCause(t.Context())
		ctx, cancel := c.WithTimeout(parent, time.Hour)
		defer cancel()
		end(errReason)
		<-ctx.Done()
		require.ErrorIs(t, ctx.Err(), context.Canceled)
		require.ErrorIs(t, context.Cause(ctx), errReason)
		require.Zero(t, d.Len())
	})
}

// counting is a context that counts whom it would tell of its end.
type counting struct {
	context.Context
	done chan struct{}
	n    int
}

func (c *counting) Done() <-chan struct{} { return c.done }

func (c *counting) AfterFunc(func()) (stop func() bool) {
	c.n++
	return func() bool { c.n--; return true }
}

// A context that has ended at its deadline takes no memory of its parent, though the program never cancels it.
func TestAContextLeavesItsParentAtItsDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := must.Get(driver.Start(heapsched.New[driver.Task]()))(t)
		defer d.Close(context.Background())
		parent := &counting{Context: context.Background(), done: make(chan struct{})}
		ctx, cancel := clock.Over(d).WithTimeout(parent, time.Second)
		defer cancel()
		require.Equal(t, 1, parent.n)
		<-ctx.Done()
		synctest.Wait()
		require.Zero(t, parent.n)
	})
}

func TestConnDeadlines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, c := held(t)
		near, far := net.Pipe()
		defer far.Close()
		k := c.Conn(near)
		require.Same(t, near, k.NetConn())

		began := time.Now()
		require.NoError(t, k.SetDeadline(began.Add(ms)))
		require.NoError(t, k.SetReadDeadline(began.Add(2*ms)))
		_, err := k.Read(make([]byte, 1))
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		require.Equal(t, 2*ms, time.Since(began))
		_, err = k.Write([]byte{1})
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)

		require.NoError(t, k.SetDeadline(time.Now().Add(time.Hour)), "and it lives again")
		go far.Write([]byte{7})
		require.Equal(t, []byte{7}, must.Get(io.ReadAll(io.LimitReader(k, 1)))(t))
		require.Equal(t, 2, d.Len())
		require.NoError(t, k.Close())
		require.Zero(t, d.Len())
		require.Error(t, k.SetDeadline(time.Now().Add(time.Hour)))
		require.Zero(t, d.Len(), "a closed connection takes no timer")
	})
}

// The deadlines of net.Pipe are the model: reads time out at the same instants.
func TestReadDeadlinesAsNet(t *testing.T) {
	read := func(t *testing.T, todo []step, of func(*testing.T, net.Conn) net.Conn) (seen []any) {
		synctest.Test(t, func(t *testing.T) {
			near, far := net.Pipe()
			defer far.Close()
			k := of(t, near)
			defer k.Close()
			began := time.Now()
			for _, s := range todo {
				switch s.Do {
				case "wait":
					time.Sleep(s.Delay + 2)
				case "set":
					require.NoError(t, k.SetReadDeadline(time.Now().Add(s.Delay-ms+1)))
				case "none":
					require.NoError(t, k.SetReadDeadline(time.Time{}))
				case "read":
					waiting := time.AfterFunc(20*ms, func() { far.Write([]byte{1}) })
					_, err := k.Read(make([]byte, 1))
					waiting.Stop()
					seen = append(seen, err, time.Since(began))
				}
			}
		})
		return seen
	}
	rapid.Check(t, func(r *rapid.T) {
		todo := steps("wait", "set", "set", "none", "read").Draw(r, "steps")
		want := read(t, todo, func(_ *testing.T, c net.Conn) net.Conn { return c })
		got := read(t, todo, func(t *testing.T, c net.Conn) net.Conn { return over(t).Conn(c) })
		require.Equal(r, want, got)
	})
}

func TestListener(t *testing.T) {
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer l.Close()
	client := must.Get(net.Dial("tcp", l.Addr().String()))(t)
	defer client.Close()
	k := must.Get(over(t).Listener(l).Accept())(t)
	defer k.Close()
	require.IsType(t, &clock.Conn{}, k)
	require.NoError(t, k.SetReadDeadline(time.Now().Add(ms)))
	_, err := k.Read(make([]byte, 1))
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const ms = time.Millisecond

// held returns a driver that ends with the test, and a Clock over it.
func held(t testing.TB, opts ...driver.Option) (*driver.Driver, *clock.Clock) {
	d := must.Get(driver.Start(heapsched.New[driver.Task](), opts...))(t)
	t.Cleanup(func() { _, _ = d.Close(context.Background()) })
	return d, clock.Over(d)
}

func over(t testing.TB) *clock.Clock {
	_, c := held(t)
	return c
}
