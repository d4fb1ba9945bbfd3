package catalog

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestNATSKeepsDeadlines(t *testing.T) {
	in(t, func(t *testing.T) {
		l := open(t, NATS{})
		at := l.instants()
		l.after(10*sec+3*ms, at.note)
		l.after(5*sec+1, at.note)
		pass(time.Minute)
		require.Equal(t, []time.Duration{5*sec + 1, 10*sec + 3*ms}, at.all())
	})
}

func TestNATSSleepsAQuarterOfASecondAtLeast(t *testing.T) {
	in(t, func(t *testing.T) {
		l := open(t, NATS{})
		at := l.instants()
		l.after(time.Hour, nothing)
		synctest.Wait()
		for range 10 {
			l.after(10*ms, at.note)
			pass(20 * ms)
		}
		require.Empty(t, at.all())
		pass(50 * ms)
		require.Len(t, at.all(), 10)
		require.Equal(t, natsLeast, at.all()[0])
		require.EqualValues(t, 2, l.Stats().Wakeups, "one of them to sleep no longer than that")
	})
}

func TestNATSForgetsTheRemoved(t *testing.T) {
	in(t, func(t *testing.T) {
		l := begin(t, NATS{})
		l.after(time.Hour, nothing)
		require.True(t, l.after(time.Minute, nothing).Stop())
		require.Equal(t, 1, l.inside())
	})
}
