package tune

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/catalog"
	"schedbench/internal/judge"
	"schedbench/internal/lists"
)

// measured returns a candidate with blocks of CPU, in % of a core, and of lateness, in milliseconds.
func measured(c catalog.Config, late float64, cpu ...float64) *Candidate {
	blocks := lists.Each(cpu, func(v float64) float64 { return v / 100 })
	f := &Figures{CPU: judge.Mean(blocks), Lateness: exactly(late / 1000), Wakeups: 100, Memory: 1000}
	return &Candidate{Config: c, Heat: f, Final: f}
}

var (
	runtimeTimer = catalog.Config{Scheduler: catalog.RuntimeTimer}
	heap         = catalog.Config{Scheduler: catalog.Heap}
	hier         = catalog.Config{Scheduler: catalog.Hier, Tick: ms, Slots: 256}
	ticking      = catalog.Config{Scheduler: catalog.Hier, Tick: ms, Slots: 256, Waking: catalog.Ticking}
)

func decided(r Requirements, all ...*Candidate) *Choice {
	ch := &Choice{Segment: &Segment{Scale: 1}, Requirements: r, Candidates: all}
	ch.Decide()
	return ch
}

func TestThePickIsTheSimplestOfThoseThatTakeNoMoreThanCounts(t *testing.T) {
	for name, c := range map[string]struct {
		r        Requirements
		all      []*Candidate
		pick     string
		runnerUp string
		answer   judge.Answer
		decided  bool
	}{
		"within worth: the simplest": {
			all:  []*Candidate{measured(runtimeTimer, 1, 1.02, 1.03, 1.04), measured(hier, 1, 1, 1.01, 1.02)},
			pick: catalog.RuntimeTimer, runnerUp: catalog.Hier, answer: judge.AsFast, decided: true,
		},
		"surely more: the least": {
			all:  []*Candidate{measured(runtimeTimer, 1, 3, 3.1, 3.2), measured(hier, 1, 1, 1.01, 1.02)},
			pick: catalog.Hier, runnerUp: catalog.RuntimeTimer, answer: judge.Slower, decided: true,
		},
		"not separated, yet beyond worth: the least": {
			all:  []*Candidate{measured(runtimeTimer, 1, 1, 3, 5), measured(hier, 1, 1, 2, 1)},
			pick: catalog.Hier, runnerUp: catalog.RuntimeTimer, answer: judge.Unclear,
		},
		"what the pick takes is not known": {
			all:  []*Candidate{measured(runtimeTimer, 1, 9, 9.1, 9.2), measured(hier, 1, 1, 1.2, 1.4)},
			pick: catalog.Hier, runnerUp: catalog.RuntimeTimer, answer: judge.Slower,
		},
		"what is too late is out": {
			r:    Requirements{Lateness: 2 * ms},
			all:  []*Candidate{measured(runtimeTimer, 1, 3, 3.1, 3.2), measured(hier, 2.5, 1, 1.1, 1.2)},
			pick: catalog.RuntimeTimer, decided: true,
		},
		"what is too dear is out": {
			r:    Requirements{CPU: 0.02},
			all:  []*Candidate{measured(runtimeTimer, 1, 3, 3.1, 3.2), measured(hier, 1, 1, 1.01, 1.02)},
			pick: catalog.Hier, decided: true,
		},
		"what does not tick is out": {
			r:    Requirements{MustTick: true},
			all:  []*Candidate{measured(runtimeTimer, 1, 0.1, 0.1, 0.1), measured(ticking, 1, 1, 1.01, 1.02)},
			pick: catalog.Hier, decided: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			ch := decided(c.r, c.all...)
			require.NotNil(t, ch.Pick)
			require.Equal(t, c.pick, ch.Pick.Config.Scheduler)
			if c.runnerUp == "" {
				require.Nil(t, ch.RunnerUp)
			} else {
				require.Equal(t, c.runnerUp, ch.RunnerUp.Config.Scheduler)
				require.Equal(t, c.answer, ch.More.Answer)
			}
			require.Equal(t, c.decided, ch.decided())
			require.NotEqual(t, judge.Fails, ch.Keeps(ch.Pick))
		})
	}
}

func TestWhatIsWithinHalfOfWhatCountsIsDecidedBySimplicity(t *testing.T) {
	for name, c := range map[string]struct {
		byHeat string
		worth  float64
		dear   float64
		pick   string
	}{
		"half of a tenth":                    {dear: 16.8, pick: catalog.Heap},
		"within a tenth, yet beyond half":    {dear: 17, pick: catalog.Hier},
		"beyond half of what is worth it":    {worth: 0.005, dear: 16.5, pick: catalog.Hier},
		"half of what is worth it":           {worth: 0.005, dear: 16.3, pick: catalog.Heap},
		"a replay separates no tenth at all": {worth: 0.005, dear: 16.8, pick: catalog.Heap, byHeat: "too fast"},
	} {
		t.Run(name, func(t *testing.T) {
			dear, least := measured(heap, 1, c.dear-0.01, c.dear, c.dear+0.01), measured(hier, 1, 16.09, 16.1, 16.11)
			ch := &Choice{Segment: &Segment{}, Candidates: []*Candidate{dear, least}, ByHeat: c.byHeat, Requirements: Requirements{Worth: c.worth}}
			ch.Decide()
			require.Equal(t, c.pick, ch.Pick.Config.Scheduler)
		})
	}
}

// Whatever noise adds to candidates that take as much, the pick is the same.
func TestNoiseDoesNotChooseAmongEquals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all []*Candidate
		for _, c := range []catalog.Config{heap, hier, ticking} {
			noise := rapid.Float64Range(0, 0.049)
			all = append(all, measured(c, 1, 10+noise.Draw(t, "1"), 10+noise.Draw(t, "2"), 10+noise.Draw(t, "3")))
		}
		require.Equal(t, all[0], decided(Requirements{}, all...).Pick)
	})
}

func TestTheOrderOfSimplicityIsFixed(t *testing.T) {
	at := func(scheduler string, tick time.Duration, waking catalog.Waking, waiting catalog.Waiting) *Candidate {
		return &Candidate{Config: catalog.Config{Scheduler: scheduler, Tick: tick, Waking: waking, Waiting: waiting}}
	}
	sleep, rt := catalog.Tickless, catalog.Runtime
	want := []*Candidate{
		at(catalog.RuntimeTimer, 0, sleep, rt), at(catalog.Heap, 0, sleep, rt),
		at(catalog.Hier, ms, sleep, rt), at(catalog.Hier, 10*ms, sleep, rt), at(catalog.Hier, 2*ms, sleep, rt),
		at(catalog.Single, ms, sleep, rt), at(catalog.Rounds, ms, sleep, rt), at(catalog.List, 0, sleep, rt),
		at(catalog.Heap, ms, catalog.Ticking, rt), at(catalog.Hier, ms, catalog.Ticking, rt), at(catalog.Hier, 5*ms, catalog.Ticking, rt),
		at(catalog.Heap, 0, sleep, catalog.Precise),
	}
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.Permutation(want).Draw(t, "order")
		slices.SortFunc(all, bySimplicity)
		require.Equal(t, want, all)
	})
}

func TestOneLateBlockRulesNothingOut(t *testing.T) {
	one := measured(heap, 0.9, 1, 1, 1)
	one.Final.Lateness.Estimate = judge.Estimate{Value: 0.0009, Low: 0.0008, High: 0.02}
	ch := decided(Requirements{Lateness: ms}, measured(runtimeTimer, 1.1, 2, 2, 2), one)
	require.Equal(t, one, ch.Pick)
	require.Equal(t, judge.Undecided, ch.Keeps(ch.Pick))
	require.False(t, ch.decided(), "more blocks may decide")

	close := measured(hier, 0.99, 0.5, 0.5, 0.5)
	close.Final.Lateness.Estimate = judge.Estimate{Value: 0.00099, Low: 0.0009, High: 0.0011}
	require.Equal(t, one, decided(Requirements{Lateness: ms}, one, close).Pick, "at the limit it is now in, now out")
}

func TestWhatSurelyKeepsALimitIsPickedBeforeWhatMayMissIt(t *testing.T) {
	unclear := measured(heap, 1.02, 1, 1, 1)
	unclear.Final.Lateness.Estimate = judge.Estimate{Value: 0.00102, Low: 0.0009, High: 0.0011}
	barely, clear := measured(hier, 0.97, 1, 1, 1), measured(ticking, 0.9, 3, 3, 3)
	r := Requirements{Lateness: ms}
	ch := decided(r, unclear)
	require.Equal(t, judge.Undecided, ch.Keeps(ch.Pick))
	ch = decided(r, unclear, barely)
	require.Equal(t, barely, ch.Pick, "not the simpler one, whose value is beyond the limit")
	require.Equal(t, judge.Holds, ch.Keeps(ch.Pick))
	require.Nil(t, ch.RunnerUp)
	require.Equal(t, clear, decided(r, unclear, barely, clear).Pick, "the dearer one, by more")
}

func TestWithoutATimerThatFiresNoneWasLate(t *testing.T) {
	one := measured(hier, math.NaN(), 1, 1, 1)
	require.Equal(t, one, decided(Requirements{Lateness: 2 * ms}, one).Pick)
	require.Nil(t, decided(Requirements{Lateness: ms / 10}, one).Pick, "but the tick says how late they may be")
}

func TestWhatBindsIsNamedWithWhatWouldDo(t *testing.T) {
	ch := decided(Requirements{Lateness: 2 * ms, CPU: 0.01}, measured(runtimeTimer, 1, 3, 3, 3), measured(heap, 1, 2, 2, 2), measured(hier, 5, 0.5, 0.5, 0.5))
	require.Nil(t, ch.Pick)
	require.Len(t, ch.Infeasible.Changes, 2)
	late, cpu := ch.Infeasible.Changes[0], ch.Infeasible.Changes[1]
	require.Equal(t, LimitLateness, late.Limit)
	require.InDelta(t, 0.005, late.Needed, 1e-9)
	require.Equal(t, catalog.Hier, late.Candidate.Config.Scheduler)
	require.Equal(t, LimitCPU, cpu.Limit)
	require.InDelta(t, 0.02, cpu.Needed, 1e-9, "the least of those that keep the rest")

	ch = decided(Requirements{Lateness: ms / 2, CPU: 0.001}, measured(heap, 1, 2, 2, 2))
	require.Empty(t, ch.Infeasible.Changes, "two limits bind together")
	require.Equal(t, []Limit{LimitCPU, LimitLateness}, ch.Infeasible.Misses)

	ch = decided(Requirements{Wakeups: 10, Memory: 2000}, measured(heap, 1, 2, 2, 2))
	require.Equal(t, LimitWakeups, ch.Infeasible.Changes[0].Limit)
	require.InDelta(t, 100, ch.Infeasible.Changes[0].Needed, 1e-9)
	ch = decided(Requirements{Memory: 200}, measured(heap, 1, 2, 2, 2))
	require.Equal(t, LimitMemory, ch.Infeasible.Changes[0].Limit)
}

func TestAPickNeverTakesSurelyMoreThanAnother(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all []*Candidate
		for _, c := range []catalog.Config{runtimeTimer, heap, hier, ticking} {
			at := rapid.Float64Range(0.1, 5).Draw(t, "CPU")
			all = append(all, measured(c, rapid.Float64Range(0.1, 5).Draw(t, "late"), at, at*1.01, at*0.99))
		}
		r := Requirements{Lateness: 2 * ms}
		ch := decided(r, all...)
		for _, c := range all {
			switch {
			case ch.Pick == nil:
				require.Greater(t, c.Final.Lateness.Value, 0.0019)
			case ch.Keeps(c) == judge.Holds && ch.Clear(c):
				require.LessOrEqual(t, ch.Pick.Final.CPU.Value-c.Final.CPU.Value, ch.Band/2+1e-9)
				require.LessOrEqual(t, ch.Band, max(r.Worthwhile(), near*c.Final.CPU.Value+1e-9))
			}
		}
	})
}

func TestCandidatesFollowFromRules(t *testing.T) {
	s := &Segment{Horizon: 30 * time.Second, Pending: 50_000}
	count := func(r Requirements, suits func(*Candidate) bool) (n int) {
		for _, c := range Candidates(s, r) {
			if c.Ruled == "" && suits(c) {
				require.NoError(t, c.Config.Check(), c)
				require.LessOrEqual(t, r.Share()*c.Config.Tick.Seconds(), max(r.Lateness.Seconds(), 1))
				n++
			}
		}
		return n
	}
	all := func(*Candidate) bool { return true }
	precise := func(c *Candidate) bool { return c.Config.Waiting == catalog.Precise }
	list := func(c *Candidate) bool { return c.Config.Scheduler == catalog.List }
	require.Equal(t, catalog.RuntimeTimer, Candidates(s, Requirements{})[0].Config.Scheduler, "the simplest first")
	require.Greater(t, count(Requirements{Lateness: 50 * ms}, all), 20)
	require.Zero(t, count(Requirements{Lateness: 50 * ms}, precise), "the runtime is close enough")
	require.Positive(t, count(Requirements{Lateness: 2 * ms}, precise))
	require.Zero(t, count(Requirements{Lateness: 2 * ms, NotPrecise: true}, precise))
	require.Zero(t, count(Requirements{}, list), "too many pending for a list")
	require.Equal(t, count(Requirements{MustTick: true, Lateness: 50 * ms}, all), count(Requirements{MustTick: true, Lateness: 50 * ms}, (*Candidate).ticks))
	require.Zero(t, count(Requirements{MustNotTick: true}, (*Candidate).ticks))
	for rule, c := range map[string]struct {
		r   Requirements
		cfg catalog.Config
	}{
		"a tick of 100ms makes 99 % of the timers up to 99ms late":                                           {Requirements{Lateness: 50 * ms}, catalog.Config{Scheduler: catalog.Hier, Tick: 100 * ms}},
		"a tick of 50ms makes 99 % of the timers up to 49.5ms late, which leaves less than 5 % of the limit": {Requirements{Lateness: 50 * ms}, catalog.Config{Scheduler: catalog.Hier, Tick: 50 * ms}},
		"a tick of 1ms wakes 1000 times a second":                                                            {Requirements{Wakeups: 500}, ticking},
		"does not wake at every tick":                                                                        {Requirements{MustTick: true}, heap},
		"wakes at every tick":                                                                                {Requirements{MustNotTick: true}, ticking},
		"waits precisely":                                                                                    {Requirements{NotPrecise: true}, catalog.Config{Scheduler: catalog.Heap, Waiting: catalog.Precise}},
		"":                                                                                                   {Requirements{Lateness: 50 * ms, Wakeups: 2000, MustTick: true}, ticking},
	} {
		require.Equal(t, rule, c.r.rule(c.cfg))
	}
}

func TestTheShortListHasEachKindAndWhatIsInDoubt(t *testing.T) {
	r := Requirements{Lateness: 2 * ms}
	s := &Segment{Horizon: time.Second, Pending: 50, Scale: 1}
	ch := &Choice{Segment: s, Requirements: r, Candidates: Candidates(s, r)}
	for _, c := range ch.Candidates {
		cpu := 0.01
		if c.Config.Tick > 0 {
			cpu = 0.00001 / c.Config.Tick.Seconds() // the longer the tick, the less
		}
		c.Heat = &Figures{CPU: exactly(cpu), Lateness: exactly(r.assumed(c.Config).Seconds())}
	}
	short := ch.shortList(shortest)
	require.Len(t, short, shortest)
	require.Equal(t, catalog.RuntimeTimer, short[0].Config.Scheduler)
	require.Equal(t, heap, short[1].Config, "the simplest driver")
	doubtful := 0
	for _, c := range short {
		require.Empty(t, c.Ruled)
		if ch.reach(c) > 1 {
			doubtful++
		}
	}
	require.Positive(t, doubtful, "not only what is surely within the limit")
	require.Less(t, doubtful, len(short))

	mustTick := func(must bool) {
		ch.Requirements.MustTick = must
		for _, c := range ch.Candidates {
			c.Ruled = ch.Requirements.rule(c.Config)
		}
	}
	mustTick(true)
	for _, c := range ch.shortList(shortest)[1:] {
		require.True(t, c.ticks(), "what is not allowed to be picked shows nothing: %v", c)
	}
	mustTick(false)

	// A limit that nothing keeps leaves what comes nearest, to say what would do.
	ch.Requirements.CPU = 1e-9
	require.Greater(t, len(ch.shortList(shortest)), 3)
}
