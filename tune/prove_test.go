package tune

import (
	"context"
	"errors"
	"math"
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
		around := func(v float64) judge.Estimate { return judge.Estimate{Value: 1.05 * v, Low: 1.02 * v, High: 1.08 * v} }
		all = append(all, Measured{
			Config: c, For: 6 * time.Second, Fired: 1000, CPU: around(p.CPU.Value), Lateness: around(p.Lateness.Value),
			Resolution: 0.0001, Wakeups: p.Wakeups,
		})
	}
	return all, nil
}

// still is a machine that has not changed.
func still(context.Context, *costs.Calibration) (map[string]float64, error) {
	return map[string]float64{"runtime": 1, "precise": 1}, nil
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
		require.True(t, r.Verdict.Confirmed, r.Verdict.Why)
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
		"wake-ups ten times too cheap":  {wrong(10, false, costs.TermWakeup), 4 * ms, "CPU"},
		"wake-ups five times too dear":  {wrong(0.2, false, costs.TermWakeup), 4 * ms, "CPU"},
		"everything ten times cheaper":  {wrong(10, true, costs.TermWakeup, costs.TermKick, costs.TermInsert, costs.TermCancel, costs.TermExpire), 4 * ms, "CPU"},
		"latency ten times too short":   {wrong(10, true), ms, "lateness"},
		"latency ten times too long":    {wrong(0.1, true), 12 * ms, "lateness"},
		"operations ten times too dear": {wrong(0.1, false, costs.TermInsert, costs.TermCancel), 4 * ms, "CPU"},
	} {
		t.Run(name, func(t *testing.T) {
			m := &oracle{truth: known()}
			ch, src := chosen(t, tc.cal, Requirements{Lateness: tc.limit, MustNotTick: true})
			require.NotNil(t, ch.Pick)
			proof, err := prover{m.measure, still}.prove(context.Background(), ch, tc.cal, src, ProveOptions{For: time.Second, Tries: 1})
			require.NoError(t, err)
			v := proof.Runs[0].Verdict
			require.False(t, v.Confirmed, v.Why)
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

// A calibration that is wrong of one way of waiting only leads to one that is
// confirmed.
func TestTheNextIsTakenIfTheFirstAreRefuted(t *testing.T) {
	ch, src := chosen(t, known(), Requirements{Lateness: 20 * ms})
	m := &oracle{truth: known()}
	liar := func(ctx context.Context, st *Trial, configs []catalog.Config, r Requirements, p costs.Progress) ([]Measured, error) {
		all, err := m.measure(ctx, st, configs, r, p)
		for i := range all {
			if len(m.asked) == 1 {
				all[i].Lateness = exactly(1)
			}
		}
		return all, err
	}
	proof, err := prover{liar, still}.prove(context.Background(), ch, known(), src, ProveOptions{For: time.Second})
	require.NoError(t, err)
	require.Len(t, m.asked, 2)
	require.NotNil(t, proof.Final)
	require.Equal(t, m.asked[1][0], proof.Final.Prediction.Config)
	require.Contains(t, proof.Runs[0].Verdict.Why, "at most 20ms allowed")

	m.asked = nil
	proof, err = prover{func(ctx context.Context, st *Trial, configs []catalog.Config, r Requirements, p costs.Progress) ([]Measured, error) {
		all, err := m.measure(ctx, st, configs, r, p)
		for i := range all {
			all[i].CPU = exactly(1)
		}
		return all, err
	}, still}.prove(context.Background(), ch, known(), src, ProveOptions{For: time.Second, Tries: 3})
	require.NoError(t, err)
	require.Nil(t, proof.Final)
	require.LessOrEqual(t, len(m.asked), 4)
	require.Contains(t, proof.Notes[len(proof.Notes)-1], "was confirmed")
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
	require.Empty(t, sayDrift(map[string]float64{"runtime": 1.2, "precise": 7}, runs), "nobody waits precisely")
	require.Contains(t, sayDrift(map[string]float64{"runtime": 1.5}, runs)[0], "with runtime waiting, costs 1.5 times")
	require.Len(t, sayDrift(map[string]float64{"runtime": 0.5}, runs), 1)
	require.Empty(t, sayDrift(nil, runs))
}

func TestVerdicts(t *testing.T) {
	p := Prediction{CPU: exactly(0.010), Lateness: exactly(0.0010)}
	m := Measured{Fired: 100, CPU: exactly(0.010), Lateness: exactly(0.0010), Resolution: 0.0005}
	for name, tc := range map[string]struct {
		change func(p *Prediction, m *Measured)
		limits Requirements
		says   string
		refuse bool
	}{
		"exact":              {func(*Prediction, *Measured) {}, Requirements{}, "confirmed", false},
		"a fifth more CPU":   {func(_ *Prediction, m *Measured) { m.CPU = exactly(0.0124) }, Requirements{}, "confirmed", false},
		"half more CPU":      {func(_ *Prediction, m *Measured) { m.CPU = exactly(0.015) }, Requirements{}, "CPU 1.5 % of a core where 1 %", true},
		"half less CPU":      {func(_ *Prediction, m *Measured) { m.CPU = exactly(0.005) }, Requirements{}, "CPU", true},
		"too little to tell": {func(p *Prediction, m *Measured) { p.CPU, m.CPU = exactly(0.0001), exactly(0.0005) }, Requirements{}, "cannot be told from noise", false},
		"later by 140 µs":    {func(_ *Prediction, m *Measured) { m.Lateness = exactly(0.00114) }, Requirements{}, "confirmed", false},
		"later by half":      {func(_ *Prediction, m *Measured) { m.Lateness = exactly(0.0015) }, Requirements{}, "lateness 1.5 ms where 1 ms", true},
		"nothing fired":      {func(_ *Prediction, m *Measured) { m.Fired, m.Lateness = 0, exactly(math.NaN()) }, Requirements{}, "no timer fired", false},
		"beyond a limit":     {func(_ *Prediction, m *Measured) { m.Lateness = exactly(0.0011) }, Requirements{Lateness: ms}, "at most 1ms allowed", true},
		"perhaps beyond": {func(_ *Prediction, m *Measured) {
			m.Lateness = judge.Estimate{Value: 0.0011, Low: 0.0009, High: 0.0012}
		}, Requirements{Lateness: ms}, "confirmed", false},
		"too few to tell": {func(_ *Prediction, m *Measured) {
			m.Fired, m.Lateness = 19, judge.Estimate{Value: 0.0003, Low: 0.0002, High: math.Inf(1)}
		}, Requirements{}, "19 timers fired, too few", false},
		"later, of few": {func(_ *Prediction, m *Measured) {
			m.Lateness = judge.Estimate{Value: 0.003, Low: 0.002, High: math.Inf(1)}
		}, Requirements{}, "lateness 3 ms where 1 ms", true},
		"too much CPU":  {func(*Prediction, *Measured) {}, Requirements{CPU: 0.009}, "at most 0.9 % of a core allowed", true},
		"cannot be had": {func(p *Prediction, _ *Measured) { p.Impossible = "no room" }, Requirements{}, "no room", true},
		"late beyond all bound": {func(_ *Prediction, m *Measured) {
			m.Lateness = judge.Estimate{Value: 0.001, Low: 0.001, High: math.Inf(1)}
		}, Requirements{}, "confirmed", false},
	} {
		t.Run(name, func(t *testing.T) {
			p, m := p, m
			tc.change(&p, &m)
			v := verdictOf(p, m, tc.limits)
			require.Equal(t, !tc.refuse, v.Confirmed, v.Why)
			require.Contains(t, v.Why, tc.says)
		})
	}
}
