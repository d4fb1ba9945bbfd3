package tune

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/catalog"
	"schedbench/judge"
	"schedbench/tune/costs"
)

// linuxLike returns a calibration like flat, of a machine on which sleeps end late as
// those of Linux do.
func linuxLike() *costs.Calibration {
	c := flat()
	var runtime, precise []float64
	for i := range 1001 {
		u := float64(i) / 1000
		tail := u * u * u * u
		for range 4 {
			tail *= tail
		}
		runtime = append(runtime, 60e-6+1e-3*u+300e-6*tail)
		precise = append(precise, 30e-6+30e-6*u+200e-6*tail)
	}
	c.Latency = map[string][]float64{"runtime": runtime, "precise": precise}
	return c
}

// anyLoad draws a load of which only the rates are known.
func anyLoad(t *rapid.T) *Load {
	l := &Load{
		Name:      "made up",
		Schedules: rapid.Float64Range(0.1, 100_000).Draw(t, "schedules"),
		MeanDelay: time.Duration(rapid.Int64Range(int64(ms), int64(time.Minute)).Draw(t, "delay")),
	}
	l.Cancels = l.Schedules * rapid.Float64Range(0, 1).Draw(t, "cancelled")
	l.Fires = l.Schedules - l.Cancels
	l.Resets = rapid.SampledFrom([]float64{0, 10, 1000}).Draw(t, "resets")
	l.Pending = l.Schedules * l.MeanDelay.Seconds()
	l.MostPending = int(l.Pending) + 1
	l.Horizon = l.MeanDelay
	l.Delays = []time.Duration{l.MeanDelay}
	return l
}

func TestAPredictionIsTheSumOfItsParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := anyLoad(t)
		m := NewModel(l, linuxLike())
		all := candidates(l)
		last := m.Predict(all[0], Requirements{})
		for range 40 {
			c := rapid.SampledFrom(all).Draw(t, "configuration")
			p := m.Predict(c, Requirements{})
			if p.Impossible != "" {
				continue
			}
			sum := 0.0
			for name, part := range p.Parts {
				require.GreaterOrEqual(t, part, 0.0, name)
			}
			for _, part := range p.Split() {
				sum += part.CPU
			}
			require.InDelta(t, sum, p.CPU.Value, 1e-9+1e-9*sum)
			for _, e := range []judge.Estimate{p.CPU, p.Lateness, p.Memory} {
				require.LessOrEqual(t, e.Low, e.Value)
				require.LessOrEqual(t, e.Value, e.High)
				require.GreaterOrEqual(t, e.Low, 0.0)
			}
			require.InDelta(t, p.Wakeups, p.Counts[costs.TermWakeup]+p.Counts[costs.TermKick], 1e-6*p.Wakeups)
			last = p
		}
		require.Equal(t, last, predict(l, linuxLike(), last.Config, Requirements{}), "by itself, too")
	})
}

// What takes the place of a timer that fired costs what TermArm says, unless it is
// less than an insertion anywhere.
func TestWhatFiresIsArmedAtItsOwnCost(t *testing.T) {
	l := &Load{Schedules: 1000, Cancels: 250, Fires: 750, Pending: 100, MostPending: 100, Horizon: time.Second, MeanDelay: time.Second}
	c := linuxLike()
	cfg := catalog.Config{Scheduler: catalog.Heap}
	insert := c.Cost(costs.TermInsert, catalog.Heap, 100, 1).Value
	require.InEpsilon(t, 1000*insert, predict(l, c, cfg, Requirements{}).Parts[costs.TermInsert], 1e-9, "nothing is known of it")
	c.Terms = append(c.Terms, costs.Term{Name: costs.TermArm, Of: catalog.Heap, Seconds: exactly(3 * insert)})
	p := predict(l, c, cfg, Requirements{})
	require.InEpsilon(t, (250+3*750)*insert, p.Parts[costs.TermInsert], 1e-9)
	require.InEpsilon(t, 1000, p.Counts[costs.TermInsert], 1e-9)
	c.Terms[len(c.Terms)-1].Seconds = exactly(insert / 3)
	require.InEpsilon(t, 1000*insert, predict(l, c, cfg, Requirements{}).Parts[costs.TermInsert], 1e-9)
}

// A program that resets timers of about the same age finds them in the caches, but for
// a heap, which has its neighbours elsewhere.
func TestTimersThatLieTogetherAreResetForLess(t *testing.T) {
	c := linuxLike()
	c.Terms = slices.DeleteFunc(c.Terms, func(t costs.Term) bool { return t.Name == costs.TermReset })
	for _, of := range catalog.Schedulers() {
		for _, n := range []int{100, 10_000} {
			c.Terms = append(c.Terms, costs.Term{Name: costs.TermReset, Of: of, Pending: n, Seconds: exactly(float64(n) * 1e-9)})
		}
	}
	l := &Load{Resets: 100, Pending: 10_000, MostPending: 10_000, Horizon: time.Second, MeanDelay: time.Second}
	of := func(scheduler string) float64 {
		cfg := catalog.Config{Scheduler: scheduler, Tick: ms, Slots: 1024}
		if !cfg.Wheel() {
			cfg.Tick, cfg.Slots = 0, 0
		}
		return predict(l, c, cfg, Requirements{}).Parts[costs.TermReset]
	}
	require.InEpsilon(t, 100*10_000e-9, of(catalog.Hier), 1e-9)
	l.workingSet = 100
	require.InEpsilon(t, 100*100e-9, of(catalog.Hier), 1e-9)
	require.InEpsilon(t, 100*10_000e-9, of(catalog.Heap), 1e-9)
	l.workingSet = 1e6
	require.InEpsilon(t, 100*10_000e-9, of(catalog.Hier), 1e-9)
}

func TestALongerTickWakesLessAndIsLater(t *testing.T) {
	for _, s := range stretches()[:4] {
		l := s.load(t)
		m := NewModel(l, linuxLike())
		// Not in a hierarchical wheel: a longer tick may leave what was cancelled in the
		// lowest level, where the worker wakes for it.
		for _, base := range []catalog.Config{{Scheduler: catalog.Single, Slots: 1 << 20}, {Scheduler: catalog.Heap, Waking: catalog.Ticking}} {
			var last Prediction
			for i, tick := range []time.Duration{ms, 3 * ms, 10 * ms, 30 * ms, 100 * ms, 300 * ms, time.Second} {
				base.Tick = tick
				p := m.Predict(base, Requirements{})
				if i > 0 {
					require.LessOrEqual(t, p.Wakeups, last.Wakeups*1.02, "%s: %v", s.name, base)
					require.GreaterOrEqual(t, p.Lateness.Value, last.Lateness.Value*0.98, "%s: %v", s.name, base)
				}
				last = p
			}
		}
	}
}

func TestWhatCannotHoldALoad(t *testing.T) {
	l := &Load{Name: "made up", Schedules: 1, Fires: 1, Pending: 10, Horizon: 10 * time.Second, MeanDelay: 10 * time.Second}
	for want, c := range map[string]catalog.Config{
		"beyond its horizon of 6.3s":         {Scheduler: catalog.Single, Tick: 100 * ms, Slots: 64},
		"bad configuration: scheduler":       {Scheduler: "ring"},
		"bad configuration: a tick of 0s":    {Scheduler: catalog.Hier, Slots: 64},
		"bad configuration: 1 slots":         {Scheduler: catalog.Hier, Tick: ms, Slots: 1},
		"bad configuration: 512 slots for h": {Scheduler: catalog.Heap, Slots: 512},
		"bad configuration: a tick of 1ms":   {Scheduler: catalog.Heap, Tick: ms},
		"longer than a duration can be":      {Scheduler: catalog.Rounds, Tick: time.Hour, Slots: catalog.MostSlots},
	} {
		require.Contains(t, predict(l, flat(), c, Requirements{}).Impossible, want)
	}
	require.Empty(t, predict(l, flat(), catalog.Config{Scheduler: catalog.Single, Tick: 100 * ms, Slots: 128}, Requirements{}).Impossible)
	l.Fires = 5e6
	require.Contains(t, predict(l, flat(), catalog.Config{Scheduler: catalog.Heap}, Requirements{}).Impossible, "busy for 1.3")
}

// TestTheHorizonIsThatOfTheWheel compares what a single wheel can hold with what the
// model says.
func TestTheHorizonIsThatOfTheWheel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := catalog.Config{
			Scheduler: catalog.Single,
			Tick:      time.Duration(rapid.IntRange(1, 50).Draw(t, "tick")),
			Slots:     rapid.IntRange(1, 200).Draw(t, "slots"),
		}
		l := &Load{Schedules: 1, Pending: 1, Horizon: time.Duration(rapid.IntRange(1, 2000).Draw(t, "horizon"))}
		w, err := catalog.New[uint64](c)
		require.NoError(t, err)
		now := time.Duration(rapid.IntRange(0, 1000).Draw(t, "now"))
		w.Expire(now, nil)
		_, err = w.Schedule(now+l.Horizon, 1)
		if predict(l, flat(), c, Requirements{}).Impossible == "" {
			require.NoError(t, err, "what the model takes, the wheel takes at any time")
		}
	})
}

func TestMissesAreOfTheUpperEnd(t *testing.T) {
	p := Prediction{
		CPU:      judge.Estimate{Value: 0.01, Low: 0.009, High: 0.012},
		Lateness: judge.Estimate{Value: 0.005, Low: 0.004, High: 0.006},
		Memory:   judge.Estimate{Value: 1000, Low: 900, High: 1100},
	}
	for _, c := range []struct {
		r               Requirements
		missed, perhaps []string
	}{
		{Requirements{}, nil, nil},
		{Requirements{CPU: 0.012, Lateness: 6 * ms, Memory: 1100}, nil, nil},
		{Requirements{CPU: 0.011, Lateness: 6 * ms}, []string{LimitCPU}, []string{LimitCPU}},
		{Requirements{CPU: 0.008, Lateness: 6 * ms}, []string{LimitCPU}, nil},
		{Requirements{Lateness: 5 * ms, Memory: 800}, []string{LimitLateness, LimitMemory}, []string{LimitLateness}},
	} {
		missed, perhaps := c.r.missed(&p)
		require.Equal(t, c.missed, missed)
		require.Equal(t, c.perhaps, perhaps)
	}
}

func TestMemoryIsThatOfTheStructures(t *testing.T) {
	for name, c := range map[string]struct {
		config  catalog.Config
		pending int
		want    float64
	}{
		"heap":               {catalog.Config{Scheduler: catalog.Heap}, 1000, 40_000},
		"list":               {catalog.Config{Scheduler: catalog.List}, 1000, 36_000},
		"single wheel, full": {catalog.Config{Scheduler: catalog.Single, Tick: ms, Slots: 1024}, 100_000, 100_000*28 + 16*256},
		"rounds, full":       {catalog.Config{Scheduler: catalog.Rounds, Tick: ms, Slots: 1024}, 1_000_000, 1_000_000 * 36.3},
		"levels, full":       {catalog.Config{Scheduler: catalog.Hier, Tick: ms, Slots: 16}, 100_000, 100_000 * 36},
	} {
		l := &Load{Pending: float64(c.pending), MostPending: c.pending, Horizon: time.Second}
		for i := range 1000 {
			l.Residuals = append(l.Residuals, time.Duration(i+1)*ms)
		}
		e := l.memory(c.config)
		require.InEpsilon(t, c.want, e.Value, 0.06, name)
		require.Less(t, e.Low, e.Value)
	}
}

func BenchmarkChoose(b *testing.B) {
	l := stretches()[0].load(b)
	cal := linuxLike()
	for b.Loop() {
		ch, err := Choose(l, cal, Requirements{Lateness: 5 * ms})
		if err != nil || ch.Pick == nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(ch.All)), "configurations")
	}
}
