package costs

import (
	"context"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/judge"
	"schedbench/live"
)

// smallEffort is enough to see that everything is measured.
func smallEffort() effort { return effort{rounds: 2, pending: []int{100, 2000}, share: 0.05} }

func needCPUTime(t *testing.T) {
	t.Helper()
	if _, ok := live.ReadUsage(); !ok {
		t.Skip(ErrNoCPUTime)
	}
}

func TestACalibrationHasAllTerms(t *testing.T) {
	needCPUTime(t)
	var steps []string
	procs, percent := runtime.GOMAXPROCS(0), gcPercent()
	c, err := calibrate(context.Background(), smallEffort(), func(step string, done, total int) {
		require.Less(t, done, total)
		steps = append(steps, step)
	})
	require.NoError(t, err)
	require.NoError(t, c.Check())
	require.Equal(t, environment(), c.Env)
	require.NotContains(t, c.Env, "date")
	require.Equal(t, "operations", steps[len(steps)-1])
	require.Equal(t, procs, runtime.GOMAXPROCS(0))
	require.Equal(t, percent, gcPercent())
	for _, of := range []string{"runtime", "precise"} {
		require.Len(t, c.Latency[of], latencyQuantiles)
	}
	require.Len(t, c.Find(TermInsert, catalog.List), 2*len(batches()))
}

// gcPercent returns the garbage collector's percent.
func gcPercent() int {
	p := debug.SetGCPercent(100)
	debug.SetGCPercent(p)
	return p
}

func TestACalibrationCanBeStopped(t *testing.T) {
	needCPUTime(t)
	ctx, cancel := context.WithCancel(context.Background())
	_, err := calibrate(ctx, smallEffort(), func(step string, done, _ int) {
		if done == 1 {
			cancel()
		}
	})
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, "wake-up latency")
}

func TestTermsAreMediansWithIntervals(t *testing.T) {
	var l ledger
	of := Term{Name: TermInsert, Of: catalog.Heap, Pending: 100, Batch: 8}
	for _, v := range []float64{5, 1, 4, 100, 3, 2, 6} {
		l.note(of, v)
	}
	l.note(Term{Name: TermTick, Of: catalog.Heap}, -1)
	l.note(Term{Name: TermTick, Of: catalog.Heap}, -3)
	terms := l.terms()
	require.Len(t, terms, 2)
	require.Equal(t, TermTick, terms[0].Name, "in the order in which they are told")
	slices.Reverse(terms)
	require.Equal(t, 4.0, terms[0].Seconds.Value)
	require.LessOrEqual(t, terms[0].Seconds.Low, 2.0)
	require.GreaterOrEqual(t, terms[0].Seconds.High, 6.0)
	require.InDelta(t, 0.5, terms[0].Residual, 1e-9) // distances 1 3 0 96 1 2 2
	require.Equal(t, judge.Estimate{Value: 0, Low: 0, High: 0}, terms[1].Seconds, "no cost is negative")
	require.Equal(t, terms[0].Seconds, l.fit(of).Seconds)
	require.Zero(t, l.fit(Term{Name: TermKick, Of: "runtime"}).Seconds)
}

// What is noisy takes part in what is not, by how often it was seen.
func TestRareWakeupsAreNeverCheaperThanFrequentOnes(t *testing.T) {
	wakeup := func(every time.Duration, cost float64) Term {
		return Term{Name: TermWakeup, Of: "precise", Every: every, Seconds: judge.Estimate{Value: cost, Low: cost / 2, High: 2 * cost}}
	}
	terms := []Term{
		wakeup(100*ms, 0), wakeup(ms, 20), wakeup(2*ms, 30), wakeup(20*ms, 40),
		{Name: TermKick, Of: "precise", Seconds: exactly(7)}, wakeup(5*ms, 30),
	}
	rising(terms)
	require.Equal(t, 20.0, terms[1].Seconds.Value)
	require.Equal(t, exactly(7), terms[4].Seconds)
	require.InEpsilon(t, 30.0, terms[5].Seconds.Value, 1e-9)
	for _, i := range []int{0, 3} { // 0 at 10 a second, and 40 at 50
		require.InEpsilon(t, 40*50/60.0, terms[i].Seconds.Value, 1e-9)
		require.LessOrEqual(t, terms[i].Seconds.Low, terms[i].Seconds.Value)
		require.GreaterOrEqual(t, terms[i].Seconds.High, terms[i].Seconds.Value)
	}
}

func TestABusyMachineIsTold(t *testing.T) {
	require.Empty(t, SayBusy(0.1, "meanwhile"))
	require.Contains(t, SayBusy(0.5, "meanwhile"), "took 50 % of the machine meanwhile")
}

func TestAMultipleIsAsUnsureAsBoth(t *testing.T) {
	got := multiple(judge.Estimate{Value: 30, Low: 20, High: 40}, judge.Estimate{Value: 10, Low: 5, High: 20})
	require.Equal(t, judge.Estimate{Value: 3, Low: 1, High: 8}, got)
}

func TestADriftIsMeasured(t *testing.T) {
	needCPUTime(t)
	c, err := Drift(context.Background(), complete())
	require.NoError(t, err)
	for _, waiting := range []string{"runtime", "precise"} {
		require.GreaterOrEqual(t, c[waiting].Value, 0.0)
		require.LessOrEqual(t, c[waiting].Low, c[waiting].Value)
		require.GreaterOrEqual(t, c[waiting].High, c[waiting].Value)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = Drift(ctx, complete())
	require.ErrorIs(t, err, context.Canceled)
}
