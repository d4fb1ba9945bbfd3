package tune

import (
	"fmt"
	"testing"
	"time"
)

const ms = time.Millisecond

func TestXCounts(t *testing.T) {
	for _, s := range stretches() {
		ops := s.ops(t)
		l := s.load(t)
		m := NewModel(l, flat())
		fmt.Printf("%s: %d ops, span %v, fires %.4g, cancels %.4g, pending %.4g held %.4g swept %v\n", s.name, len(ops), l.Span, l.Fires, l.Cancels+l.Resets, l.Pending, l.Held, l.swept)
		for _, c := range []Config{
			{Scheduler: heap}, {Scheduler: list},
			{Scheduler: single, Tick: ms, Slots: 1}, {Scheduler: single, Tick: 20 * ms, Slots: 1}, {Scheduler: single, Tick: 500 * ms, Slots: 1},
			{Scheduler: rounds, Tick: ms, Slots: 512}, {Scheduler: rounds, Tick: 20 * ms, Slots: 64}, {Scheduler: rounds, Tick: 20 * ms, Slots: 512},
			{Scheduler: hier, Tick: ms, Slots: 16}, {Scheduler: hier, Tick: ms, Slots: 256}, {Scheduler: hier, Tick: 20 * ms, Slots: 64}, {Scheduler: hier, Tick: 300 * time.Microsecond, Slots: 64},
			{Scheduler: rounds, Tick: 10 * ms, Slots: 64, Ticking: true}, {Scheduler: hier, Tick: 10 * ms, Slots: 64, Ticking: true},
		} {
			if c.Scheduler == single {
				c.Slots = int(l.Horizon/c.Tick + 2)
				if c.Slots > 1<<24 {
					continue
				}
			}
			p := m.Predict(c, Requirements{})
			w := m.wakeups(c)
			h := act(t, c, ops, s.length)
			fmt.Printf("  %-42v wake %9.2f %9.2f (%+.1f%%) kick %8.2f %8.2f visit %9.4g %9.4g (%+.1f%%) casc %8.4g %8.4g late p50 %.4g %.4g p99 %.4g %.4g %s\n", c, p.Wakeups, h.wakeups, 100*(p.Wakeups/h.wakeups-1), p.Kicks, h.kicks,
				p.Counts[TermVisit], h.visits, 100*(p.Counts[TermVisit]/h.visits-1), p.Counts[TermCascade], h.cascades, w.late.quantile(.5)*1e3, h.late.quantile(.5)*1e3, w.late.quantile(.99)*1e3, h.late.quantile(.99)*1e3, p.Impossible)
		}
	}
}
