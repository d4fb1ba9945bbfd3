package clock_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
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

func TestChildrenOfAContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, c := held(t)
		ctx, cancel := c.WithTimeout(t.Context(), ms)
		defer cancel()
		child, cancelChild := context.WithCancel(ctx)
		defer cancelChild()
		<-child.Done()
		require.ErrorIs(t, child.Err(), context.DeadlineExceeded)

		_, cancel = c.WithTimeout(t.Context(), time.Hour)
		require.Equal(t, 1, d.Len())
		cancel()
		require.Zero(t, d.Len(), "cancel takes the timer back")
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
