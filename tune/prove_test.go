package tune

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/judge"
	"schedbench/tune/costs"
	"schedbench/workload"
)

// known is a calibration with given costs, about those of a small machine.
func known() *costs.Calibration {
	c := &costs.Calibration{Made: time.Unix(1e9, 0).UTC(), Env: map[string]string{"cpu": "mine", "goos": "linux"}, Latency: map[string][]float64{}}
	add := func(t costs.Term, seconds float64) {
		t.Seconds, t.Residual = judge.Estimate{Value: seconds, Low: 0.9 * seconds, High: 1.1 * seconds}, 0.05
		c.Terms = append(c.Terms, t)
	}
	for of, factor := range map[string]float64{"runtime": 2, "precise": 1} {
		for _, every := range []time.Duration{time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond} {
			add(costs.Term{Name: costs.TermWakeup, Of: of, Every: every}, 30e-6*factor)
			add(costs.Term{Name: costs.TermWakeup, Of: of, Every: every, Program: ms}, 20e-6*factor)
		}
		add(costs.Term{Name: costs.TermKick, Of: of}, 50e-6)
		for i := range 1001 {
			c.Latency[of] = append(c.Latency[of], 50e-6+float64(i)/1000*500e-6*factor)
		}
	}
	for _, of := range catalog.Schedulers() {
		for _, n := range []int{100, 10_000, 1_000_000} {
			for _, batch := range []int{1, 64} {
				for i, name := range []string{costs.TermInsert, costs.TermCancel, costs.TermReset, costs.TermExpire} {
					add(costs.Term{Name: name, Of: of, Pending: n, Batch: batch}, float64(100+50*i)*1e-9)
				}
			}
		}
		add(costs.Term{Name: costs.TermTick, Of: of}, 10e-9)
	}
	add(costs.Term{Name: costs.TermVisit, Of: catalog.Rounds, Batch: 16}, 30e-9)
	add(costs.Term{Name: costs.TermVisit, Of: catalog.List, Pending: 10_000}, 5e-9)
	add(costs.Term{Name: costs.TermCascade, Of: catalog.Hier, Batch: 16}, 50e-9)
	return c
}

// oracle is a measurement that finds what a model with the true costs predicts,
// off by a few percent.
type oracle struct {
	truth *costs.Calibration
	asked [][]catalog.Config
}

func (m *oracle) measure(ctx context.Context, st *Trial, configs []catalog.Config, r Requirements, _ costs.Progress) (all []Measured, err error) {
	m.asked = append(m.asked, configs)
	l, err := st.Load(ctx)
	if err != nil {
		return nil, err
	}
	model := NewModel(l, m.truth)
	for _, c := range configs {
		p := model.Predict(c, r)
		around := func(v float64) judge.Average { return rounds(1.05*v, 0.02*v) }
		all = append(all, Measured{
			Config: c, For: 6 * time.Second, Fired: 1000, CPU: around(p.CPU.Value), Lateness: around(p.Lateness.Value), Wakeups: p.Wakeups,
		})
	}
	return all, nil
}

// still is a machine that has not changed.
func still(context.Context, *costs.Calibration) (map[string]judge.Estimate, error) {
	return map[string]judge.Estimate{"runtime": exactly(1), "precise": exactly(1)}, nil
}

// chosen returns a choice that was made with a calibration.
func chosen(t *testing.T, cal *costs.Calibration, r Requirements) (*Choice, workload.Source) {
	t.Helper()
	src := profile(t, "kafka-purgatory")
	l, err := LoadOfSource(context.Background(), src, workload.Options{For: 2 * time.Second}, LoadOptions{})
	require.NoError(t, err)
	ch, err := Choose(l, cal, r)
	require.NoError(t, err)
	return ch, src
}

func TestARightModelIsConfirmed(t *testing.T) {
	m := &oracle{truth: known()}
	ch, src := chosen(t, known(), Requirements{Lateness: 20 * ms})
	proof, err := prover{m.measure, still}.prove(context.Background(), ch, known(), src, ProveOptions{For: time.Second})
	require.NoError(t, err)
	require.NotNil(t, proof.Final)
	require.Equal(t, ch.Pick.Config, proof.Final.Prediction.Config)
	require.Equal(t, [][]catalog.Config{ch.first()}, m.asked)
	require.Len(t, proof.Runs, len(ch.first()))
	for _, r := range proof.Runs {
		require.Equal(t, judge.Holds, r.Verdict.Finding(), r.Verdict.Why)
		require.InDelta(t, 1/1.05-1, r.Verdict.CPUError, 0.001)
		require.InDelta(t, 1/1.05-1, r.Verdict.LatenessError, 0.001)
	}
	require.Equal(t, 1.0, proof.Scale)
	require.Positive(t, proof.Load.Schedules)
}

// wrong returns the known calibration with all terms of some names, or the
// latencies, divided.
func wrong(by float64, latency bool, names ...string) *costs.Calibration {
	c := known()
	for i := range c.Terms {
		if t := &c.Terms[i]; slices.Contains(names, t.Name) {
			t.Seconds = judge.Estimate{Value: t.Seconds.Value / by, Low: t.Seconds.Low / by, High: t.Seconds.High / by}
		}
	}
	for _, q := range c.Latency {
		for i := range q {
			if latency {
				q[i] /= by
			}
		}
	}
	return c
}

// The proof is there to catch a model that is wrong: each of these would have the
// user believe in a configuration that does not do what is said.
func TestADeliberatelyWrongCalibrationIsCaught(t *testing.T) {
	for name, tc := range map[string]struct {
		cal   *costs.Calibration
		limit time.Duration
		says  string
	}{
		"wake-ups ten times too cheap": {wrong(10, false, costs.TermWakeup), 4 * ms, "CPU"},
		"everything ten times cheaper": {wrong(10, true, costs.TermWakeup, costs.TermKick, costs.TermInsert, costs.TermCancel, costs.TermExpire), 4 * ms, "CPU"},
		"latency ten times too short":  {wrong(10, true), ms, "lateness"},
	} {
		t.Run(name, func(t *testing.T) {
			m := &oracle{truth: known()}
			ch, src := chosen(t, tc.cal, Requirements{Lateness: tc.limit, MustNotTick: true})
			require.NotNil(t, ch.Pick)
			proof, err := prover{m.measure, still}.prove(context.Background(), ch, tc.cal, src, ProveOptions{For: time.Second, Tries: 1})
			require.NoError(t, err)
			v := proof.Runs[0].Verdict
			require.Equal(t, judge.Fails, v.Finding(), v.Why)
			require.Contains(t, v.Why, "refuted")
			require.Contains(t, v.Why, tc.says)
			require.Contains(t, v.Why, "was expected")
			require.Len(t, m.asked, 2, "another is tried")
			require.NotContains(t, ch.first(), m.asked[1][0])
			for _, r := range proof.Runs[:len(proof.Runs)-1] {
				require.False(t, alike(r.Prediction.Config, m.asked[1][0]))
			}
		})
	}
}

// A calibration by which all seems dearer and later than it is leads to no wrong promise: what
// turns out better confirms.
func TestWhatIsBetterThanPredictedConfirms(t *testing.T) {
	for name, cal := range map[string]*costs.Calibration{
		"wake-ups five times too dear":  wrong(0.2, false, costs.TermWakeup),
		"latency twice too long":        wrong(0.5, true),
		"operations ten times too dear": wrong(0.1, false, costs.TermInsert, costs.TermCancel),
	} {
		t.Run(name, func(t *testing.T) {
			m := &oracle{truth: known()}
			ch, src := chosen(t, cal, Requirements{Lateness: 12 * ms, MustNotTick: true})
			require.NotNil(t, ch.Pick)
			proof, err := prover{m.measure, still}.prove(context.Background(), ch, cal, src, ProveOptions{For: time.Second, Tries: 1})
			require.NoError(t, err)
			require.Equal(t, judge.Holds, proof.Runs[0].Verdict.Finding(), proof.Runs[0].Verdict.Why)
			require.Len(t, m.asked, 1, "nothing else is tried")
		})
	}
}

// A calibration that is wrong of one way of waiting only leads to one that is
// confirmed.
func TestTheNextIsTakenIfTheFirstAreRefuted(t *testing.T) {
	ch, src := chosen(t, known(), Requirements{Lateness: 20 * ms})
	m := &oracle{truth: known()}
	liar := func(ctx context.Context, st *Trial, configs []catalog.Config, r Requirements, p costs.Progress) ([]Measured, error) {
		all, err := m.measure(ctx, st, configs, r, p)
		for i := range all {
			if len(m.asked) == 1 {
				all[i].Lateness = always(1)
			}
		}
		return all, err
	}
	proof, err := prover{liar, still}.prove(context.Background(), ch, known(), src, ProveOptions{For: time.Second})
	require.NoError(t, err)
	require.Len(t, m.asked, 2)
	require.NotNil(t, proof.Final)
	require.Equal(t, m.asked[1][0], proof.Final.Prediction.Config)
	require.Contains(t, proof.Runs[0].Verdict.Why, "at most 20ms is allowed")

	m.asked = nil
	proof, err = prover{func(ctx context.Context, st *Trial, configs []catalog.Config, r Requirements, p costs.Progress) ([]Measured, error) {
		all, err := m.measure(ctx, st, configs, r, p)
		for i := range all {
			all[i].Lateness = always(1)
		}
		return all, err
	}, still}.prove(context.Background(), ch, known(), src, ProveOptions{For: time.Second, Tries: 3})
	require.NoError(t, err)
	require.Nil(t, proof.Final)
	require.LessOrEqual(t, len(m.asked), 4)
	require.Contains(t, proof.Notes[len(proof.Notes)-1], "broke a limit")
}

// The pick and the runner-up, and then two more, as is documented; or as many as are
// asked for, or none.
func TestSoManyAreTried(t *testing.T) {
	ch, src := chosen(t, known(), Requirements{Lateness: 20 * ms})
	for tries, more := range map[int]int{0: 2, 1: 1, 3: 3, -1: 0} {
		m := &oracle{truth: known()}
		liar := func(ctx context.Context, st *Trial, configs []catalog.Config, r Requirements, p costs.Progress) ([]Measured, error) {
			all, err := m.measure(ctx, st, configs, r, p)
			for i := range all {
				all[i].CPU = always(1)
			}
			return all, err
		}
		proof, err := prover{liar, still}.prove(context.Background(), ch, known(), src, ProveOptions{For: time.Second, Tries: tries})
		require.NoError(t, err)
		require.Len(t, m.asked, 1+more, "tries %d", tries)
		require.Len(t, proof.Runs, 2+more)
	}
}

// What is taken goes by what is known: the pick stands unless it is told to break a limit, or
// another that does not is told to take less.
func TestWhatIsTakenAfterAProof(t *testing.T) {
	run := func(scheduler string, cpu judge.Average, predicted, kept judge.Finding) Proved {
		return Proved{Measured: Measured{Config: catalog.Config{Scheduler: scheduler}, CPU: cpu}, Verdict: Verdict{CPU: predicted, Lateness: judge.Holds, Kept: kept}}
	}
	const holds, fails, open = judge.Holds, judge.Fails, judge.Undecided
	less, more, wide := always(0.02), always(0.04), judge.Mean([]float64{0.001, 0.07, 0.02, 0.05, 0.001, 0.06})
	for name, c := range map[string]struct {
		runs   []Proved
		answer judge.Answer
		taken  string // "" is nothing
	}{
		"the pick takes less":         {[]Proved{run("a", less, holds, holds), run("b", more, holds, holds)}, judge.Faster, "a"},
		"as much":                     {[]Proved{run("a", less, holds, holds), run("b", always(0.0205), holds, holds)}, judge.AsFast, "a"},
		"the runner-up, hardly less":  {[]Proved{run("a", always(0.0205), holds, holds), run("b", less, holds, holds)}, judge.AsFast, "a"},
		"the runner-up takes less":    {[]Proved{run("a", more, holds, holds), run("b", less, holds, holds)}, judge.Slower, "b"},
		"less, but too late":          {[]Proved{run("a", more, holds, holds), run("b", less, holds, fails)}, judge.Slower, "a"},
		"less, and perhaps too late":  {[]Proved{run("a", more, holds, holds), run("b", less, holds, open)}, judge.Slower, "b"},
		"perhaps less":                {[]Proved{run("a", wide, holds, holds), run("b", less, holds, holds)}, judge.CannotTell, "a"},
		"dearer than predicted":       {[]Proved{run("a", less, fails, holds), run("b", more, holds, holds)}, judge.Faster, "a"},
		"dearer than predicted, both": {[]Proved{run("a", less, fails, holds), run("b", more, fails, holds)}, judge.Faster, "a"},
		"the pick breaks a limit":     {[]Proved{run("a", less, holds, fails), run("b", more, holds, holds)}, judge.Faster, "b"},
		"both do":                     {[]Proved{run("a", less, holds, fails), run("b", more, holds, fails)}, judge.Faster, ""},
		"a third is told to be less":  {[]Proved{run("a", more, fails, holds), run("b", more, fails, holds), run("c", less, holds, holds)}, judge.AsFast, "c"},
		"a third is not":              {[]Proved{run("a", less, fails, holds), run("b", less, fails, holds), run("c", wide, holds, holds)}, judge.AsFast, "a"},
	} {
		t.Run(name, func(t *testing.T) {
			p := &Proof{Runs: c.runs}
			p.decide(2, judge.Imperceptible)
			require.Equal(t, c.answer, p.MoreThanRunnerUp.Answer)
			if c.taken == "" {
				require.Nil(t, p.Final)
				return
			}
			require.Equal(t, c.taken, p.Final.Measured.Config.Scheduler)
		})
	}
	alone := &Proof{Runs: []Proved{run("a", less, holds, holds)}}
	alone.decide(1, judge.Imperceptible)
	require.Equal(t, "a", alone.Final.Measured.Config.Scheduler)
	require.Zero(t, alone.MoreThanRunnerUp.Blocks)
}

// Two configurations of which none is better are called so in few of many draws.
func TestEqualsAreNotCalledBetter(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	const draws = 1000
	for _, scatter := range []float64{0.001, 0.01} {
		told := 0
		for range draws {
			noisy := func() judge.Average {
				var each []float64
				for range 6 {
					each = append(each, 0.02+scatter*r.NormFloat64())
				}
				return judge.Mean(each)
			}
			p := &Proof{Runs: []Proved{{Measured: Measured{CPU: noisy()}}, {Measured: Measured{CPU: noisy()}}}}
			p.decide(2, judge.Imperceptible)
			if a := p.MoreThanRunnerUp.Answer; a == judge.Faster || a == judge.Slower {
				told++
			}
		}
		require.LessOrEqual(t, float64(told)/draws, 0.05)
	}
}

func TestNothingIsProvedWithoutAPick(t *testing.T) {
	_, err := ProveChoice(context.Background(), &Choice{}, known(), workload.Source{}, ProveOptions{})
	require.ErrorIs(t, err, ErrNoPick)

	ch, src := chosen(t, known(), Requirements{})
	mine := errors.New("mine")
	_, err = prover{func(context.Context, *Trial, []catalog.Config, Requirements, costs.Progress) ([]Measured, error) {
		return nil, mine
	}, still}.prove(context.Background(), ch, known(), src, ProveOptions{For: time.Second})
	require.ErrorIs(t, err, mine)
	_, err = prover{}.prove(context.Background(), ch, known(), src, ProveOptions{For: time.Microsecond})
	require.ErrorContains(t, err, "want at least 10ms")
}

func TestADriftIsTold(t *testing.T) {
	runs := []Proved{{Prediction: Prediction{Config: catalog.Config{Scheduler: catalog.Heap}}}}
	say := func(value, low, high float64) []string {
		return sayDrift(map[string]judge.Estimate{"runtime": {Value: value, Low: low, High: high}}, runs)
	}
	require.Empty(t, sayDrift(map[string]judge.Estimate{"runtime": exactly(1.2), "precise": exactly(7)}, runs), "nobody waits precisely")
	require.Equal(t, []string{"the machine is not what it was when it was calibrated: a wake-up, with runtime waiting, costs 1.5 times what it did (1.4 to 1.6)"}, say(1.5, 1.4, 1.6))
	require.Contains(t, say(0.5, 0.4, 0.6)[0], "the machine is not what it was")
	require.Empty(t, say(1.1, 0.7, 1.6), "it seems to be what it was")
	open := say(1.5, 0.8, 2.9)
	require.Len(t, open, 1)
	require.Contains(t, open[0], "whether the machine is what it was when it was calibrated cannot be told: a wake-up, with runtime waiting, costs 1.5 times")
	require.NotContains(t, open[0], "is not what it was")
	require.Empty(t, sayDrift(nil, runs))
}
