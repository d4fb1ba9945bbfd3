package tune

import (
	"slices"
	"sync"
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

// somePredicted returns loads that ask different things. Choices leave them as they are.
var somePredicted = sync.OnceValues(func() (list []predicted, err error) {
	for _, s := range stretches()[:7] {
		l, err := s.read()
		if err != nil {
			return nil, err
		}
		list = append(list, predicted{l, NewModel(l, linuxLike()).predictAll(Requirements{})})
	}
	l := &Load{Name: "only rates", Schedules: 50_000, Fires: 50_000, Pending: 5e5, MostPending: 6e5, Horizon: 10 * time.Second, MeanDelay: 10 * time.Second}
	return append(list, predicted{l, NewModel(l, linuxLike()).predictAll(Requirements{})}), nil
})

func TestAPickMeetsTheRequirements(t *testing.T) {
	t.Parallel()
	known, err := somePredicted()
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		one, r := rapid.SampledFrom(known).Draw(t, "load"), anyRequirements(t)
		ch := choose(one.load, one.all, r)
		for _, p := range ch.Ranked {
			require.True(t, !r.MustTick || p.Config.Waking == catalog.Ticking)
			require.True(t, !r.MustNotTick || p.Config.Waking != catalog.Ticking)
			require.True(t, !r.NotPrecise || p.Config.Waiting != catalog.Precise)
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
		require.Equal(t, least, ch.Least.CPU.Value)
		require.NotEqual(t, judge.Slower, ch.Told(ch.Pick), "nobody would notice, or nobody can tell")
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
	t.Parallel()
	known, err := somePredicted()
	require.NoError(t, err)
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
	t.Parallel()
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

// Of what takes as little as any, within the worth, the first in the documented order is
// taken, whatever takes the least by less than that.
func TestTheOrderOfWhatTakesAsLittle(t *testing.T) {
	const none, tick, precise = catalog.Tickless, catalog.Ticking, catalog.Precise
	c := func(scheduler string, d time.Duration, slots int, waking catalog.Waking, waiting catalog.Waiting) catalog.Config {
		return catalog.Config{Scheduler: scheduler, Tick: d, Slots: slots, Waking: waking, Waiting: waiting}
	}
	want := []catalog.Config{
		{Scheduler: catalog.RuntimeTimer}, {Scheduler: catalog.Heap},
		c(catalog.Hier, ms, 256, none, 0), c(catalog.Hier, 10*ms, 256, none, 0),
		c(catalog.Single, 20*ms, 4096, none, 0), c(catalog.Rounds, ms, 512, none, 0), {Scheduler: catalog.List},
		c(catalog.Hier, 500*time.Microsecond, 256, none, 0), c(catalog.Hier, 200*time.Microsecond, 256, none, 0),
		c(catalog.Hier, ms, 1024, none, 0), c(catalog.Rounds, ms, 64, none, 0),
		{Scheduler: catalog.Heap, Waiting: precise}, c(catalog.Hier, ms, 256, none, precise),
		c(catalog.Heap, 10*ms, 0, tick, 0), c(catalog.Heap, 15*ms, 0, tick, 0),
	}
	const least = 0.01
	var all []Prediction
	for i, cfg := range want {
		cpu := least + 0.0009*float64(len(want)-1-i)/float64(len(want)-1) // the later, the less
		all = append(all, Prediction{Config: cfg, CPU: exactly(cpu), Lateness: exactly(cfg.Tick.Seconds())})
	}
	order := func(all []Prediction) (got []catalog.Config) {
		for _, p := range (Requirements{}).ranked(slices.Clone(all)) {
			got = append(got, p.Config)
		}
		return got
	}
	require.Equal(t, want, order(all))
	require.Empty(t, order(nil))

	// What takes more than that is behind, however much simpler it is.
	all[0].CPU = exactly(least + 0.0011)
	require.Equal(t, append(want[1:], want[0]), order(all))
	all[0].CPU = judge.Estimate{Value: 1.24 * least, Low: least - 0.001, High: 2 * least}
	require.Equal(t, want, order(all), "unless the costs of the machine do not tell that it takes more at all")
	all[0].CPU = judge.Estimate{Value: 1.24 * least, Low: least + 0.0001, High: 2 * least}
	require.Equal(t, append(want[1:], want[0]), order(all))
	all[0].CPU = judge.Estimate{Value: 1.26 * least, Low: least / 2, High: 3 * least}
	require.Equal(t, append(want[1:], want[0]), order(all), "what is predicted to take so much more is not taken for as good")
}

// What a difference is worth can be asked for.
func TestTheWorthDecides(t *testing.T) {
	all := []Prediction{{CPU: exactly(0.0100), Config: catalog.Config{Scheduler: catalog.List}}, {CPU: exactly(0.0120), Config: catalog.Config{Scheduler: catalog.Heap}}}
	for worth, want := range map[float64]string{0: catalog.List, 0.001: catalog.List, 0.0021: catalog.Heap} {
		require.Equal(t, want, Requirements{Worth: worth}.ranked(slices.Clone(all))[0].Config.Scheduler)
	}
	require.ErrorIs(t, Requirements{Worth: 2}.Check(), ErrRequirements)
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
