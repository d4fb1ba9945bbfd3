package tune

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/catalog"
	"schedbench/judge"
)

func TestContradictoryRequirementsAreRefused(t *testing.T) {
	for want, r := range map[string]Requirements{
		"must tick and must not tick":             {MustTick: true, MustNotTick: true},
		"lateness at the 150 % quantile":          {Percentile: 1.5, Lateness: ms},
		"lateness at the -1 % quantile":           {Percentile: -0.01, Lateness: ms},
		"a lateness of at most -1ms":              {Lateness: -ms},
		"a CPU share of at most 200 %":            {CPU: 2},
		"a CPU share of at most -1 %":             {CPU: -0.01},
		"at most -5 bytes":                        {Memory: -5},
		"99.9 % quantile of lateness is asked fo": {Percentile: 0.999},
	} {
		_, err := Choose(&Load{Schedules: 1}, linuxLike(), r)
		require.ErrorIs(t, err, ErrRequirements)
		require.ErrorContains(t, err, want)
	}
	_, err := Choose(&Load{Name: "nothing"}, linuxLike(), Requirements{})
	require.ErrorIs(t, err, ErrLoad)
}

// anyRequirements draws requirements that do not contradict each other.
func anyRequirements(t *rapid.T) Requirements {
	r := Requirements{
		Lateness: rapid.SampledFrom([]time.Duration{0, 200 * time.Microsecond, 2 * ms, 20 * ms, time.Second}).Draw(t, "lateness"),
		CPU:      rapid.SampledFrom([]float64{0, 0.0001, 0.002, 0.02, 0.5}).Draw(t, "cpu"),
		Memory:   rapid.SampledFrom([]int64{0, 10_000, 1 << 20, 1 << 30}).Draw(t, "memory"),
	}
	r.MustTick = rapid.Bool().Draw(t, "must tick")
	r.MustNotTick = !r.MustTick && rapid.Bool().Draw(t, "must not tick")
	r.NotPrecise = rapid.Bool().Draw(t, "not precise")
	return r
}

// predicted is a load with what is predicted for it.
type predicted struct {
	load *Load
	all  []Prediction
}

// somePredicted returns loads that ask different things.
func somePredicted(t *testing.T) (list []predicted) {
	for _, s := range stretches()[:7] {
		l := s.load(t)
		list = append(list, predicted{l, NewModel(l, linuxLike()).predictAll(Requirements{})})
	}
	l := &Load{Name: "only rates", Schedules: 50_000, Fires: 50_000, Pending: 5e5, MostPending: 6e5, Horizon: 10 * time.Second, MeanDelay: 10 * time.Second}
	return append(list, predicted{l, NewModel(l, linuxLike()).predictAll(Requirements{})})
}

func TestAPickMeetsTheRequirements(t *testing.T) {
	known := somePredicted(t)
	rapid.Check(t, func(t *rapid.T) {
		one, r := rapid.SampledFrom(known).Draw(t, "load"), anyRequirements(t)
		ch := choose(one.load, one.all, r)
		for _, p := range ch.Ranked {
			require.True(t, r.allows(p.Config))
			require.Empty(t, p.Misses)
			require.Empty(t, p.Impossible)
			require.True(t, r.CPU == 0 || p.CPU.High <= r.CPU)
			require.True(t, r.Lateness == 0 || p.Lateness.High <= r.Lateness.Seconds())
			require.True(t, r.Memory == 0 || p.Memory.High <= float64(r.Memory))
			require.NoError(t, p.Config.Check())
		}
		if ch.Pick == nil {
			require.NotEmpty(t, ch.Infeasible.Binds)
			require.Empty(t, ch.Ranked)
			return
		}
		require.Nil(t, ch.Infeasible)
		require.Equal(t, ch.Ranked[0], *ch.Pick)
		least := ch.leastCPU()
		require.LessOrEqual(t, ch.Pick.CPU.Value, least+sameCPU(least), "as good as the least")
		for _, m := range ch.Margins {
			require.GreaterOrEqual(t, m.Left, 0.0, m.Limit)
		}
		if ch.RunnerUp != nil {
			require.NotEqual(t, ch.Pick.Config, ch.RunnerUp.Config)
			require.Empty(t, ch.RunnerUp.Misses)
		}
		require.NotEmpty(t, ch.Why)
		require.NotEmpty(t, ch.Lost)
	})
}

// leastCPU returns the least CPU time that anything feasible takes.
func (ch *Choice) leastCPU() float64 {
	least := ch.Ranked[0].CPU.Value
	for _, p := range ch.Ranked {
		least = min(least, p.CPU.Value)
	}
	return least
}

// More of anything never makes the best worse: nor a policy that is allowed.
func TestMoreIsNeverWorse(t *testing.T) {
	known := somePredicted(t)
	rapid.Check(t, func(t *rapid.T) {
		one, r := rapid.SampledFrom(known).Draw(t, "load"), anyRequirements(t)
		if r.Lateness == 0 {
			r.Lateness = time.Second // else one is assumed, which depends on the others
		}
		tight := choose(one.load, one.all, r)
		more := r
		switch rapid.IntRange(0, 4).Draw(t, "more") {
		case 0:
			more.CPU = min(2*r.CPU, 1)
		case 1:
			more.Lateness *= 3
		case 2:
			more.Memory *= 5
		case 3:
			more.NotPrecise = false
		case 4:
			more.MustTick, more.MustNotTick = false, false
		}
		loose := choose(one.load, one.all, more)
		if tight.Pick != nil {
			require.NotNil(t, loose.Pick)
			require.LessOrEqual(t, loose.leastCPU(), tight.leastCPU())
		}
	})
}

func TestWithoutRequirementsADefaultIsStated(t *testing.T) {
	l := stretches()[0].load(t)
	ch, err := Choose(l, linuxLike(), Requirements{})
	require.NoError(t, err)
	require.NotNil(t, ch.Pick)
	require.Equal(t, 5*ms, ch.Requirements.Lateness)
	require.Zero(t, ch.Asked.Lateness)
	require.Contains(t, ch.Notes[0], "at most 5ms at the p99 is assumed, 5 % of a short delay")

	l.Delays = []time.Duration{20 * time.Microsecond} // 1 us cannot be had
	ch, err = Choose(l, linuxLike(), Requirements{})
	require.NoError(t, err)
	require.NotNil(t, ch.Pick)
	require.Contains(t, ch.Notes[0], "about what can be had")

	ch, err = Choose(l, linuxLike(), Requirements{CPU: 0.005})
	require.NoError(t, err)
	require.NotNil(t, ch.Pick, "the default is one that can be met with what is asked for")
	require.LessOrEqual(t, ch.Pick.CPU.High, 0.005)
}

func TestInfeasibleSaysWhatBinds(t *testing.T) {
	l := stretches()[0].load(t)
	choose := func(r Requirements) *Infeasible {
		ch, err := Choose(l, linuxLike(), r)
		require.NoError(t, err)
		require.Nil(t, ch.Pick)
		return ch.Infeasible
	}

	in := choose(Requirements{Lateness: ms, NotPrecise: true})
	require.Equal(t, "lateness: no configuration keeps it, whatever else it does", in.Binds)
	require.Equal(t, LimitLateness, in.Nearest[0].Limit)
	require.InDelta(t, 0.00115, in.Nearest[0].Reachable, 0.0003)
	require.Contains(t, in.Change[len(in.Change)-1], "allow precise waiting: then ")

	in = choose(Requirements{Lateness: 500 * time.Microsecond, CPU: 0.0006})
	require.Equal(t, "lateness and CPU share together: each can be kept without the others", in.Binds)
	require.Len(t, in.Nearest, 2)
	for _, n := range in.Nearest {
		require.False(t, n.Alone)
		require.Greater(t, n.Reachable, n.Asked)
		r := Requirements{Lateness: 500 * time.Microsecond, CPU: 0.0006}
		if n.Limit == LimitCPU {
			r.CPU = n.Reachable
		} else {
			r.Lateness = seconds(n.Reachable) + 1
		}
		ch, err := Choose(l, linuxLike(), r)
		require.NoError(t, err)
		require.NotNil(t, ch.Pick, "what is called reachable is")
	}

	in = choose(Requirements{Lateness: time.Microsecond, CPU: 1e-6})
	require.Equal(t, "lateness and CPU share: no configuration keeps it, whatever else it does", in.Binds)
	require.True(t, in.Nearest[0].Alone)

	in = choose(Requirements{Lateness: time.Second, Memory: 1})
	require.Contains(t, in.Binds, "memory: no configuration keeps it")
	require.Contains(t, in.Change[0], "allow a memory of ")
}

func TestTheOrderOfWhatTakesAsLittle(t *testing.T) {
	p := func(scheduler string, cpu float64, waking catalog.Waking, waiting catalog.Waiting) Prediction {
		return Prediction{Config: catalog.Config{Scheduler: scheduler, Waking: waking, Waiting: waiting}, CPU: judge.Estimate{Value: cpu, Low: cpu * 0.9, High: cpu * 1.1}}
	}
	got := ranked([]Prediction{
		p(catalog.List, 1, 0, 0), p(catalog.Rounds, 1.01, 0, 0), p(catalog.Single, 1.02, 0, 0), p(catalog.Hier, 1.03, 0, 0),
		p(catalog.Heap, 1.2, 0, 0), // more
		p(catalog.Heap, 1.04, catalog.Ticking, catalog.Runtime), p(catalog.Heap, 1.05, catalog.Tickless, catalog.Precise), p(catalog.Heap, 1.06, 0, 0),
	})
	var order []catalog.Config
	for _, g := range got {
		order = append(order, g.Config)
	}
	require.Equal(t, []catalog.Config{
		{Scheduler: catalog.Heap}, {Scheduler: catalog.Heap, Waiting: catalog.Precise}, {Scheduler: catalog.Hier}, {Scheduler: catalog.Single}, {Scheduler: catalog.Rounds}, {Scheduler: catalog.List},
		{Scheduler: catalog.Heap, Waking: catalog.Ticking}, {Scheduler: catalog.Heap},
	}, order)
	require.Empty(t, ranked(nil))

	// A tenth more at most counts as none, however sure it is, and so does what nobody
	// notices, whatever share that is.
	first := func(list, heap float64) string {
		return ranked([]Prediction{{CPU: exactly(list), Config: catalog.Config{Scheduler: catalog.List}}, {CPU: exactly(heap), Config: catalog.Config{Scheduler: catalog.Heap}}})[0].Config.Scheduler
	}
	require.Equal(t, catalog.Heap, first(1, 1.05))
	require.Equal(t, catalog.List, first(1, 1.15))
	require.Equal(t, catalog.Heap, first(0.0002, 0.0011))
	require.Equal(t, catalog.List, first(0.0002, 0.0013))
}

func TestTheKneeIsTheBend(t *testing.T) {
	at := func(cpu, late float64) Prediction {
		return Prediction{CPU: judge.Estimate{Value: cpu}, Lateness: judge.Estimate{Value: late}}
	}
	all := []Prediction{at(1, 1000), at(1.5, 100), at(2, 10), at(20, 8), at(200, 7), at(50, 900)}
	require.Equal(t, at(2, 10), *knee(all))
	require.Len(t, front(all), 5)
	require.Nil(t, knee(all[:2]))
	require.Nil(t, knee([]Prediction{at(1, 1000), at(2, 999), at(3, 1)}), "a bend outwards is none")
}

func TestCandidatesCanBeStarted(t *testing.T) {
	for _, horizon := range []time.Duration{ms, time.Minute, 365 * 24 * time.Hour} {
		l := &Load{Schedules: 1, Pending: 1, Horizon: horizon}
		all := candidates(l)
		require.Greater(t, len(all), 2000)
		seen := map[catalog.Config]bool{}
		for _, c := range all {
			require.NoError(t, c.Check())
			require.False(t, seen[c], "%v twice", c)
			seen[c] = true
			if p := predict(l, flat(), c, Requirements{}); c.Scheduler == catalog.Single {
				require.Empty(t, p.Impossible, "the slots are enough")
			}
		}
	}
}

func TestRoundUp(t *testing.T) {
	for in, want := range map[time.Duration]time.Duration{
		0: 1, 1: 1, 1049 * time.Microsecond: 1100 * time.Microsecond, 5 * ms: 5 * ms, 5001 * time.Microsecond: 6 * ms, 1900 * ms: 1900 * ms,
	} {
		require.Equal(t, want, roundUp(in))
	}
	require.Equal(t, "p99.9", percentileName(0.999))
	require.Equal(t, "p50", percentileName(0.5))
}
