package tune

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/judge"
	"schedbench/tune/costs"
	"schedbench/workload"
)

// quietMachine is a made-up calibration of a small machine that does nothing else: costs
// grow with what is pending, fall with how many follow one another, and are known to a
// tenth.
func quietMachine() *costs.Calibration {
	c := &costs.Calibration{Latency: linuxLike().Latency}
	add := func(t costs.Term, seconds float64) {
		t.Seconds = judge.Estimate{Value: seconds, Low: 0.9 * seconds, High: 1.1 * seconds}
		c.Terms = append(c.Terms, t)
	}
	wakers := map[string]float64{"runtime": 1.2, "precise": 1, catalog.RuntimeTimer: 1.15}
	for of, factor := range wakers {
		for _, program := range []time.Duration{0, ms} {
			for every, cost := range map[time.Duration]float64{ms: 22e-6, 20 * ms: 40e-6, 100 * ms: 45e-6} {
				add(costs.Term{Name: costs.TermWakeup, Of: of, Every: every, Program: program}, cost*factor)
			}
		}
		add(costs.Term{Name: costs.TermKick, Of: of}, 20e-6*factor)
	}
	// Insert, cancel, reset and fire, in a row with 500 pending; what a million pending takes more.
	of := map[string]struct {
		each [4]float64
		grow float64
	}{
		catalog.Heap: {[4]float64{60e-9, 40e-9, 100e-9, 200e-9}, 6}, catalog.List: {[4]float64{50e-9, 25e-9, 80e-9, 150e-9}, 2},
		catalog.Single: {[4]float64{65e-9, 25e-9, 95e-9, 170e-9}, 3}, catalog.Rounds: {[4]float64{60e-9, 25e-9, 90e-9, 170e-9}, 3},
		catalog.Hier: {[4]float64{65e-9, 25e-9, 95e-9, 170e-9}, 3}, catalog.RuntimeTimer: {[4]float64{80e-9, 45e-9, 100e-9, 300e-9}, 4},
	}
	for scheduler, s := range of {
		for i, name := range []string{costs.TermInsert, costs.TermCancel, costs.TermReset, costs.TermExpire} {
			for _, n := range []int{500, 1_000_000} {
				for batch, alone := range map[int]float64{1: 6, 64: 1.5, 512: 1} {
					grown := 1.0
					if n > 500 {
						grown = s.grow
					}
					add(costs.Term{Name: name, Of: scheduler, Pending: n, Batch: batch}, s.each[i]*grown*alone)
				}
			}
		}
		add(costs.Term{Name: costs.TermTick, Of: scheduler}, 20e-9)
	}
	add(costs.Term{Name: costs.TermVisit, Of: catalog.Rounds, Batch: 16}, 20e-9)
	add(costs.Term{Name: costs.TermVisit, Of: catalog.List, Pending: 10_000}, 5e-9)
	add(costs.Term{Name: costs.TermCascade, Of: catalog.Hier, Batch: 16}, 60e-9)
	return c
}

// Every profile gets a pick that a reader can follow: nothing dearer than somebody would
// notice, and nothing special unless that is worth it.
func TestPicksOfAllProfilesKeepToTheRules(t *testing.T) {
	for i, p := range workload.Builtin() {
		if testing.Short() && i%6 != 3 {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			src := workload.Source{Name: p.Name, Open: p.Stream, Scalable: true}
			l, err := LoadOfSource(context.Background(), src, workload.Options{Seed: 1}, LoadOptions{Warm: FindWarm})
			require.NoError(t, err)
			r := []Requirements{{}, {Percentile: 0.99, Lateness: 5 * ms}}[i%2] // one each: both for all take a minute more
			ch, err := Choose(l, quietMachine(), r)
			require.NoError(t, err)
			require.NotNil(t, ch.Pick)
			t.Logf("%v: %v: %s, %.3g/s wake-ups, regret %s against %v; runner-up %v", r.Lateness, ch.Pick.Config,
				ofACore(ch.Pick.CPU.Value), ch.Pick.Wakeups, ofACore(ch.Regret.Value), ch.Least.Config, ch.RunnerUp.Config)
			ch.keepsToTheRules(t)
		})
	}
}

// keepsToTheRules demands that what is taken is as good as the least, and that nothing that is
// as good too comes before it.
func (ch *Choice) keepsToTheRules(t *testing.T) {
	t.Helper()
	pick := ch.Pick
	require.True(t, ch.Requirements.sameAs(pick, ch.Least))
	as := filter(ch.Ranked, func(p *Prediction) bool { return ch.Requirements.sameAs(p, ch.Least) })
	anyOf := func(holds func(c catalog.Config) bool) bool {
		return slices.ContainsFunc(as, func(p Prediction) bool { return holds(p.Config) })
	}
	c := pick.Config
	sleeps := func(o catalog.Config) bool { return o.Waking == catalog.Tickless }
	alike := func(o catalog.Config) bool { return o.Waking == c.Waking && o.Waiting == c.Waiting }
	if !sleeps(c) {
		require.False(t, anyOf(sleeps), "%v ticks without need", c)
	}
	if c.Waiting == catalog.Precise {
		require.False(t, anyOf(func(o catalog.Config) bool { return o.Waking == c.Waking && o.Waiting == catalog.Runtime }), "%v waits precisely without need", c)
	}
	if oddity(c) > 0 {
		require.False(t, anyOf(func(o catalog.Config) bool { return alike(o) && oddity(o) == 0 }), "%v is odd without need", c)
		for _, o := range ch.Ranked {
			if alike(o.Config) && oddity(o.Config) == 0 {
				require.Greater(t, o.CPU.Value-ch.Least.CPU.Value, ch.Requirements.Worthwhile(), "an odd %v is worth it against %v", c, o.Config)
			}
		}
	}
	require.False(t, c.Scheduler == catalog.List && ch.Load.MostPending > mostListed, "a list of %v timers", ch.Load.MostPending)
	if c.Scheduler != catalog.RuntimeTimer {
		require.False(t, anyOf(func(o catalog.Config) bool { return o.Scheduler == catalog.RuntimeTimer && alike(o) }), "%v is no better than time.AfterFunc", c)
	}
}

// A chat server: 50,000 connections of 30 s, of which 5,000 are heard of in a second. Whether
// that is told as resets, or as timers that are cancelled and made anew, it needs no scheduler.
func TestAChatServerNeedsNoScheduler(t *testing.T) {
	resets := &Load{Name: "resets", Resets: 5000, Pending: 50_000, MostPending: 50_000, Horizon: 30 * time.Second, MeanDelay: 30 * time.Second, instants: 5000}
	pairs := *resets
	pairs.Resets, pairs.Schedules, pairs.Cancels = 0, 5000, 5000
	for _, l := range []*Load{resets, &pairs} {
		ch, err := Choose(l, quietMachine(), Requirements{Worth: 0.005})
		require.NoError(t, err)
		require.Equal(t, catalog.RuntimeTimer, ch.Pick.Config.Scheduler, "%s: %v", l.Name, ch.Ranked[0].Config)
		ch.keepsToTheRules(t)
	}
}
