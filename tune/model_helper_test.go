package tune

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/driver"
	"schedbench/judge"
	"schedbench/live"
	"schedbench/schedulers"
	"schedbench/tune/costs"
	"schedbench/workload"
	"schedbench/workload/workloadtest"
)

// stretch is a workload that is small enough to be played by real drivers in
// virtual time.
type stretch struct {
	name   string
	scale  float64
	length time.Duration
	// together says that timers are armed at the very instant at which others fire. In
	// virtual time it is open which comes first, and without ticks it matters.
	together bool
}

// stretches are of profiles that ask different things: many cancelled, few, none;
// short delays and long ones; periodic, random, and a single timer.
func stretches() []stretch {
	return []stretch{
		{name: "kafka-purgatory", scale: 0.1, length: 20 * time.Second},
		{name: "rpc-timeout", scale: 0.001, length: time.Minute},
		{name: "idle-keepalive", scale: 0.01, length: 3 * time.Minute},
		{name: "tcp-rto", scale: 0.02, length: 2 * time.Minute},
		{name: "long-uniform", scale: 0.002, length: 2 * time.Minute},
		{name: "heartbeat", scale: 0.5, length: time.Minute},
		{name: "pacing", scale: 0.001, length: 10 * time.Second},
		{name: "delayed-message", scale: 0.02, length: 10 * time.Minute},
		{name: "cache-ttl", scale: 0.002, length: 2 * time.Minute},
		{name: "business-ack", scale: 0.02, length: 4 * time.Minute},
		{name: "sub-ms", scale: 0.1, length: 500 * time.Millisecond, together: true},
		{name: "idle", scale: 1, length: 10 * time.Minute, together: true},
	}
}

// ops returns all operations of a stretch.
func (s stretch) ops(t testing.TB) []workload.Op {
	p, err := workload.Find(s.name)
	require.NoError(t, err)
	stream, err := p.Stream(workload.Options{Seed: 1, Scale: s.scale, For: s.length})
	require.NoError(t, err)
	all, err := workloadtest.ReadAll(stream)
	require.NoError(t, err)
	return all
}

// load returns the load of a stretch from its very beginning.
func (s stretch) load(t testing.TB) *Load {
	l, err := s.read()
	require.NoError(t, err)
	return l
}

func (s stretch) read() (*Load, error) {
	p, err := workload.Find(s.name)
	if err != nil {
		return nil, err
	}
	src := workload.Source{Name: s.name, Open: p.Stream, Scalable: true}
	return LoadOfSource(context.Background(), src, workload.Options{Seed: 1, Scale: s.scale, For: s.length}, LoadOptions{})
}

// happened is what a driver has done in a stretch, in a second.
type happened struct {
	wakeups, kicks, fired float64
	visits, cascades      float64
	late                  *histogram
}

// act has a real driver play operations in virtual time, in which nothing takes any
// time and sleeps end on time.
func act(t *testing.T, c catalog.Config, ops []workload.Op, length time.Duration) (h happened) {
	h.late = newHistogram()
	synctest.Test(t, func(t *testing.T) {
		s, err := catalog.New[driver.Task](c)
		require.NoError(t, err)
		d, err := driver.Start(s, c.Options()...)
		require.NoError(t, err)
		start := time.Now()
		var timers []driver.Timer
		var before schedulers.Work
		meter, metered := s.(schedulers.Meter)
		for _, op := range ops {
			if op.At >= length {
				break
			}
			if wait := op.At - time.Since(start); wait > 0 {
				if time.Since(start) == 0 && metered {
					synctest.Wait()       // until the worker sleeps
					before = meter.Work() // of the population that it begins with
					d.Len()               // takes the lock of the scheduler, so that the worker comes after this
				}
				time.Sleep(wait)
			}
			for int(op.Timer) >= len(timers) {
				timers = append(timers, driver.Timer{})
			}
			deadline := op.At + op.Delay
			note := func() { h.late.add(time.Since(start)-deadline, 1) }
			switch op.Kind {
			case workload.Cancel:
				timers[op.Timer].Stop()
			case workload.Reset:
				if old := timers[op.Timer]; old.Stop() { // and not Reset, so that each notes its own deadline
					timers[op.Timer], err = d.AfterFunc(op.Delay, note)
				}
			default:
				timers[op.Timer], err = d.AfterFunc(op.Delay, note)
			}
			require.NoError(t, err)
		}
		time.Sleep(length - time.Since(start))
		synctest.Wait()
		st := d.Stats()
		var work schedulers.Work
		if metered {
			work = meter.Work().Sub(before)
		}
		_, err = d.Close(context.Background())
		require.NoError(t, err)
		per := length.Seconds()
		h.wakeups, h.kicks, h.fired = float64(st.Wakeups)/per, float64(st.Kicks)/per, float64(st.Fired)/per
		h.visits, h.cascades = float64(work.Visits)/per, float64(work.Cascades)/per
	})
	return h
}

// flat returns a calibration of a machine on which each thing takes a round time,
// and sleeps end on time.
func flat() *costs.Calibration {
	c := &costs.Calibration{Latency: map[string][]float64{"runtime": {0}, "precise": {0}}}
	term := func(name, of string, seconds float64) {
		c.Terms = append(c.Terms, costs.Term{Name: name, Of: of, Batch: 1, Every: time.Millisecond, Seconds: around(seconds)})
	}
	for _, w := range []string{"runtime", "precise"} {
		term(costs.TermWakeup, w, 5e-6)
		term(costs.TermKick, w, 6e-6)
	}
	for _, s := range catalog.Schedulers() {
		term(costs.TermTick, s, 50e-9)
		term(costs.TermInsert, s, 200e-9)
		term(costs.TermReset, s, 300e-9)
		term(costs.TermCancel, s, 150e-9)
		term(costs.TermExpire, s, 250e-9)
	}
	term(costs.TermVisit, catalog.Rounds, 1e-9)
	term(costs.TermVisit, catalog.List, 3e-9)
	term(costs.TermCascade, catalog.Hier, 20e-9)
	return c
}

// predict returns what a model of its own says of a configuration.
func predict(l *Load, c *costs.Calibration, cfg catalog.Config, r Requirements) Prediction {
	return NewModel(l, c).Predict(cfg, r)
}

// around returns an estimate that is known to a twentieth.
func around(v float64) judge.Estimate { return judge.Estimate{Value: v, Low: v * 0.95, High: v * 1.05} }

// exactly is an estimate without doubt.
func exactly(v float64) judge.Estimate { return judge.Estimate{Value: v, Low: v, High: v} }

func needCPUTime(t *testing.T) {
	t.Helper()
	if _, ok := live.ReadUsage(); !ok {
		t.Skip(costs.ErrNoCPUTime)
	}
}
