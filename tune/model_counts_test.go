package tune

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/tune/costs"
)

const ms = time.Millisecond

// geometries that the counts of the model are compared in.
func counted(l *Load) []catalog.Config {
	return []catalog.Config{
		{Scheduler: catalog.Heap},
		{Scheduler: catalog.List},
		{Scheduler: catalog.Single, Tick: ms, Slots: int(l.Horizon/ms + 2)},
		{Scheduler: catalog.Single, Tick: 20 * ms, Slots: int(l.Horizon/(20*ms) + 2)},
		{Scheduler: catalog.Single, Tick: 500 * ms, Slots: int(l.Horizon/(500*ms) + 2)},
		{Scheduler: catalog.Rounds, Tick: ms, Slots: 512},
		{Scheduler: catalog.Rounds, Tick: 20 * ms, Slots: 64},
		{Scheduler: catalog.Rounds, Tick: 20 * ms, Slots: 512},
		{Scheduler: catalog.Rounds, Tick: 10 * ms, Slots: 64, Waking: catalog.Ticking},
		{Scheduler: catalog.Hier, Tick: ms, Slots: 16},
		{Scheduler: catalog.Hier, Tick: ms, Slots: 256},
		{Scheduler: catalog.Hier, Tick: 20 * ms, Slots: 64},
		{Scheduler: catalog.Hier, Tick: 300 * time.Microsecond, Slots: 64},
		{Scheduler: catalog.Hier, Tick: 10 * ms, Slots: 64, Waking: catalog.Ticking},
	}
}

// TestCountsAreThoseOfRealDrivers has real drivers of real schedulers play workloads
// in virtual time, and compares what they have counted with what the model predicts
// from the load: of a machine on which sleeps end on time.
func TestCountsAreThoseOfRealDrivers(t *testing.T) {
	for _, s := range stretches() {
		t.Run(s.name, func(t *testing.T) {
			ops, l := s.ops(t), s.load(t)
			m := NewModel(l, flat())
			for _, c := range counted(l) {
				p := m.Predict(c, Requirements{})
				require.Empty(t, p.Impossible)
				real := act(t, c, ops, s.length)
				require.InDelta(t, real.fired, p.Counts[costs.TermExpire], 0.03*real.fired+0.2, "%v fires", c)
				switch {
				case s.together && !c.Wheel():
				case c.Scheduler == catalog.Rounds && l.Cancels+l.Resets > l.Fires:
					near(t, real.wakeups, p.Wakeups, 0.15, 10, c, "wake-ups")
				case c.Wheel() && l.Cancels+l.Resets > l.Fires: // it wakes for some that are cancelled
					near(t, real.wakeups, p.Wakeups, 0.1, 4, c, "wake-ups")
				case c.Scheduler == catalog.Hier && l.Pending > 4096: // it wakes too to move others than the first
					near(t, real.wakeups, p.Wakeups, 0.2, 0.8, c, "wake-ups")
				default:
					near(t, real.wakeups, p.Wakeups, 0.08, 0.8, c, "wake-ups")
					near(t, real.kicks, p.Kicks, 0.15, 1, c, "kicks")
				}
				switch {
				case c.Scheduler == catalog.List:
					near(t, real.visits, p.Counts[costs.TermVisit], 0.12, 3, c, "visits")
				case c.Scheduler == catalog.Rounds: // lists are equally long only when all timers were replaced
					near(t, real.visits, p.Counts[costs.TermVisit], 0.4, 50, c, "visits")
				case c.Scheduler == catalog.Hier:
					near(t, real.cascades, p.Counts[costs.TermCascade], 0.25, 8, c, "cascades")
				}
				// A single timer keeps to its place in a tick, and the model to none.
				if c.Wheel() && real.late.TotalCount() > 1000 && l.Pending > 2 {
					late := m.wakeupsFor(c).late
					require.InDelta(t, real.late.quantile(0.5), late.quantile(0.5), 0.1*c.Tick.Seconds(), "%v median lateness", c)
					require.InDelta(t, real.late.quantile(0.99), late.quantile(0.99), 0.06*c.Tick.Seconds(), "%v p99 lateness", c)
				}
			}
		})
	}
}

// near demands that a count of the model is that of a driver, but for a share, or for
// some a second.
func near(t *testing.T, real, model, share, some float64, c catalog.Config, what string) {
	t.Helper()
	require.InDelta(t, real, model, max(share*real, some), "%v: %s a second, %.4g by the model, %.4g really", c, what, model, real)
}

// A sample of lifetimes in which few stand for many still tells how many slots they fill:
// of a hierarchical wheel with so many slots that most hold one timer or none, and of
// one of whose higher slots few begin in the time that is looked at.
func TestFewLivesTellHowManySlotsAreOpened(t *testing.T) {
	for _, tc := range []struct {
		of stretch
		c  catalog.Config
	}{
		{stretch{name: "http-deadline", scale: 0.005, length: time.Minute}, catalog.Config{Scheduler: catalog.Hier, Tick: 10 * time.Microsecond, Slots: 512}},
		{stretch{name: "rpc-timeout", scale: 0.01, length: 10 * time.Second}, catalog.Config{Scheduler: catalog.Hier, Tick: 3 * ms, Slots: 1024}},
	} {
		ops, l := tc.of.ops(t), tc.of.load(t)
		require.False(t, l.allLifetimes)
		real, p := act(t, tc.c, ops, tc.of.length), predict(l, flat(), tc.c, Requirements{})
		near(t, real.wakeups, p.Wakeups, 0.15, 1, tc.c, "wake-ups")
		near(t, real.cascades, p.Counts[costs.TermCascade], 0.25, 12, tc.c, "cascades")
	}
}
