package tune

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const ms = time.Millisecond

// geometries that the counts of the model are compared in.
func counted(l *Load) []Config {
	return []Config{
		{Scheduler: heap},
		{Scheduler: list},
		{Scheduler: single, Tick: ms, Slots: int(l.Horizon/ms + 2)},
		{Scheduler: single, Tick: 20 * ms, Slots: int(l.Horizon/(20*ms) + 2)},
		{Scheduler: single, Tick: 500 * ms, Slots: int(l.Horizon/(500*ms) + 2)},
		{Scheduler: rounds, Tick: ms, Slots: 512},
		{Scheduler: rounds, Tick: 20 * ms, Slots: 64},
		{Scheduler: rounds, Tick: 20 * ms, Slots: 512},
		{Scheduler: rounds, Tick: 10 * ms, Slots: 64, Ticking: true},
		{Scheduler: hier, Tick: ms, Slots: 16},
		{Scheduler: hier, Tick: ms, Slots: 256},
		{Scheduler: hier, Tick: 20 * ms, Slots: 64},
		{Scheduler: hier, Tick: 300 * time.Microsecond, Slots: 64},
		{Scheduler: hier, Tick: 10 * ms, Slots: 64, Ticking: true},
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
				require.InDelta(t, real.fired, p.Counts[TermExpire], 0.03*real.fired+0.2, "%v fires", c)
				switch {
				case s.together && !c.wheel():
				case c.wheel() && l.swept > 0: // it wakes for some that are about to be swept
					near(t, real.wakeups, p.Wakeups, 0.08, 4, c, "wake-ups")
				default:
					near(t, real.wakeups, p.Wakeups, 0.08, 0.8, c, "wake-ups")
					near(t, real.kicks, p.Kicks, 0.15, 1, c, "kicks")
				}
				switch {
				case c.Scheduler == list, c.Scheduler == rounds && l.swept == 0:
					near(t, real.visits, p.Counts[TermVisit], 0.12, 3, c, "visits")
				case c.Scheduler == rounds: // what is held for a moment only is met by chance
					require.Less(t, p.Counts[TermVisit], 3*real.visits+500, "%v visits", c)
				case c.Scheduler == hier:
					near(t, real.cascades, p.Counts[TermCascade], 0.25, 6, c, "cascades")
				}
				// A single timer keeps to its place in a tick, and the model to none.
				if c.wheel() && real.late.total > 1000 && l.Pending > 2 {
					late := m.wakeups(c).late
					require.InDelta(t, real.late.quantile(0.5), late.quantile(0.5), 0.1*c.Tick.Seconds(), "%v median lateness", c)
					require.InDelta(t, real.late.quantile(0.99), late.quantile(0.99), 0.06*c.Tick.Seconds(), "%v p99 lateness", c)
				}
			}
		})
	}
}

// near demands that a count of the model is that of a driver, but for a share, or for
// some a second.
func near(t *testing.T, real, model, share, some float64, c Config, what string) {
	t.Helper()
	require.InDelta(t, real, model, max(share*real, some), "%v: %s a second, %.4g by the model, %.4g really", c, what, model, real)
}

// A sample of lives in which few stand for many still tells how many slots they fill:
// here of a hierarchical wheel with so many slots that most hold one timer or none.
func TestFewLivesTellHowManySlotsAreOpened(t *testing.T) {
	s := stretch{name: "http-deadline", scale: 0.005, length: time.Minute}
	ops, l := s.ops(t), s.load(t)
	require.False(t, l.allLives)
	c := Config{Scheduler: hier, Tick: 10 * time.Microsecond, Slots: 512}
	real, p := act(t, c, ops, s.length), Predict(l, flat(), c, Requirements{})
	near(t, real.wakeups, p.Wakeups, 0.15, 0, c, "wake-ups")
	near(t, real.cascades, p.Counts[TermCascade], 0.15, 0, c, "cascades")
}
