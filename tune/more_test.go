package tune

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/catalog"
	"schedbench/judge"
	"schedbench/tune/costs"
)

// ofCosts is a prediction of some costs, each so many times.
func ofCosts(c catalog.Config, spent ...spending) *Prediction {
	p := &Prediction{Config: c, spent: spent}
	for _, s := range spent {
		p.CPU.Value += s.count * s.each.Value
		p.CPU.Low += s.count * s.each.Low
		p.CPU.High += s.count * s.each.High
	}
	return p
}

// Two that reset as many timers, at a cost that is hardly known, differ by their
// wake-ups only.
func TestASharedCostLeavesNothingOpen(t *testing.T) {
	resets := spending{"reset", catalog.Hier, judge.Estimate{Value: 1e-6, Low: 1e-7, High: 1e-5}, 10_000}
	wakes := func(n float64) spending {
		return spending{"wakeup", "precise", judge.Estimate{Value: 50e-6, Low: 40e-6, High: 60e-6}, n}
	}
	often, rarely := ofCosts(catalog.Config{}, resets, wakes(100)), ofCosts(catalog.Config{}, resets, wakes(20))
	require.Greater(t, often.CPU.High-often.CPU.Low, 0.09)
	more := often.moreCPU(rarely)
	require.InDelta(t, 80*50e-6, more.Value, 1e-12)
	require.InDelta(t, 80*40e-6, more.Low, 1e-12)
	require.InDelta(t, 80*60e-6, more.High, 1e-12)
	require.Equal(t, judge.Slower, often.comparedTo(rarely, judge.Imperceptible))
	require.Equal(t, judge.Faster, rarely.comparedTo(often, judge.Imperceptible))
	require.Equal(t, judge.AsFast, often.comparedTo(ofCosts(catalog.Config{}, resets, wakes(95)), judge.Imperceptible), "nobody notices a quarter of a thousandth")

	other := resets
	other.of = catalog.Rounds
	require.Equal(t, judge.CannotTell, often.comparedTo(ofCosts(catalog.Config{}, other, wakes(100)), judge.Imperceptible), "another scheduler's resets are another cost")
}

func TestMoreCPUIsThatOfTheShares(t *testing.T) {
	l := stretches()[0].load(t)
	m := NewModel(l, flat())
	all := filter(m.predictAll(Requirements{}), func(p *Prediction) bool { return p.Impossible == "" })
	rapid.Check(t, func(t *rapid.T) {
		p, q := rapid.SampledFrom(all).Draw(t, "p"), rapid.SampledFrom(all).Draw(t, "q")
		more, less := p.moreCPU(&q), q.moreCPU(&p)
		require.InDelta(t, p.CPU.Value-q.CPU.Value, more.Value, 1e-12)
		require.InDelta(t, more.Value, -less.Value, 1e-12)
		require.InDelta(t, more.Low, -less.High, 1e-12)
		require.LessOrEqual(t, more.Low, more.Value)
		require.GreaterOrEqual(t, more.High, more.Value)
		if more.Value != 0 {
			require.Less(t, more.Low, more.High)
		}
	})
	same := all[0]
	require.Zero(t, same.moreCPU(&all[0]))
}

// Each sentence about how the pick compares is said where it is so, and only there.
func TestWhyAndLostSayWhatIsKnown(t *testing.T) {
	p := func(scheduler string, e judge.Estimate) Prediction {
		return Prediction{Config: catalog.Config{Scheduler: scheduler}, CPU: e, Lateness: exactly(0.001)}
	}
	wide := func(v float64) judge.Estimate { return judge.Estimate{Value: v, Low: v / 3, High: 3 * v} }
	const least, simplest = "it is predicted to take the least CPU time, ", "it comes first of those that take as little as any can be told to, "
	const more, asLittle, open = "it takes 1 % of a core more (", "it takes 0.05 % of a core less (0.05 % to 0.05 %), where up to 0.1 % counts as none", "whether it takes more cannot be told: "
	for name, c := range map[string]struct {
		all       []Prediction
		why, lost []string
	}{
		"plainly the least": {all: []Prediction{p(catalog.Heap, around(0.01)), p(catalog.Hier, around(0.02))},
			why: []string{least, "of the others 1 take more"}, lost: []string{more}},
		"as little, and simpler": {all: []Prediction{p(catalog.Heap, exactly(0.0105)), p(catalog.Hier, exactly(0.0100))},
			why: []string{simplest, "1 % of a core of hierwheel", "or no more than 0.1 % of a core beyond", "of the others 1 as little"}, lost: []string{asLittle}},
		"cannot be told": {all: []Prediction{p(catalog.Heap, wide(0.01)), p(catalog.Hier, wide(0.02))},
			why: []string{least, "of the others of 1 it cannot be told"}, lost: []string{open, "1 % of a core more (1.4 % less to 5.06 % more) is predicted"}},
		"more, but hardly": {all: []Prediction{p(catalog.Heap, exactly(0.01)), p(catalog.Hier, judge.Estimate{Value: 0.0111, Low: 0.0105, High: 0.0117}), p(catalog.List, exactly(0.0200))},
			lost: []string{"it takes 0.11 % of a core more (", "it is 1 ms late"}},
		"more, perhaps hardly": {all: []Prediction{p(catalog.Heap, exactly(0.01)), p(catalog.Hier, judge.Estimate{Value: 0.0109, Low: 0.0105, High: 0.0117})},
			why: []string{"of the others of 1 it cannot be told"}, lost: []string{"it takes 0.09 % of a core more (0.05 % to 0.17 %); whether that is more than the 0.1 % that count as none cannot be told"}},
		"the one and the other": {all: []Prediction{p(catalog.Heap, around(0.01)), p(catalog.Hier, around(0.02)), p(catalog.List, wide(0.03)), p(catalog.Single, exactly(0.0101))},
			why: []string{"of the others 1 take more, 1 as little and of 1 it cannot be told"}},
		"nothing else": {all: []Prediction{p(catalog.Heap, around(0.01))},
			why: []string{least}, lost: []string{"nothing else meets what is asked for"}},
	} {
		t.Run(name, func(t *testing.T) {
			ch := &Choice{Load: &Load{}, All: c.all, Requirements: Requirements{Percentile: 0.99}}
			ch.rank()
			ch.pickBest()
			require.Equal(t, catalog.Heap, ch.Pick.Config.Scheduler)
			for _, says := range c.why {
				require.Contains(t, ch.Why, says)
			}
			for _, says := range c.lost {
				require.Contains(t, ch.Lost, says)
			}
			require.False(t, strings.Contains(ch.Why, least) && strings.Contains(ch.Why, simplest))
			if c.lost != nil {
				for _, s := range []string{more, asLittle, open} {
					require.Equal(t, strings.Contains(strings.Join(c.lost, "|"), s), strings.Contains(ch.Lost, s), ch.Lost)
				}
			}
		})
	}
}

func TestWhatBindsIsKnownOrOpen(t *testing.T) {
	p := func(e judge.Estimate) Prediction { return Prediction{CPU: exactly(0.01), Lateness: e} }
	binds := func(all ...Prediction) string {
		ch := choose(&Load{}, all, Requirements{Lateness: 5 * ms})
		require.Nil(t, ch.Pick)
		return ch.Infeasible.Binds
	}
	const never, open = "lateness: no configuration keeps it, whatever else it does", "lateness: no configuration is known to keep it, whatever else it does, and of some it cannot be told"
	require.Equal(t, never, binds(p(exactly(0.006)), p(exactly(0.007))))
	require.Equal(t, open, binds(p(judge.Estimate{Value: 0.005, Low: 0.004, High: 0.006}), p(exactly(0.007))))
}

// The closed form says which side costs less only as far as its costs are known.
func TestTheCrossoverMayBeOpen(t *testing.T) {
	l := &Load{Schedules: 1000, Fires: 1000, Pending: 5000, MostPending: 5000, Horizon: 5 * time.Second, MeanDelay: 5 * time.Second}
	cal := flat()
	require.Contains(t, Optima(l, cal, ms)[0].Note, "so rounds cost less")
	for i := range cal.Terms {
		if cal.Terms[i].Name == costs.TermCascade {
			cal.Terms[i].Seconds.Low /= 10
		}
	}
	note := Optima(l, cal, ms)[0].Note
	require.Contains(t, note, "so which of them costs less cannot be told")
	require.NotContains(t, note, "rounds cost less")
	l.MeanDelay = time.Hour
	require.Contains(t, Optima(l, cal, ms)[0].Note, "so the hierarchical wheel costs less")
}
