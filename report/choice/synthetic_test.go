package choice

import (
	"math"
	"time"

	"schedbench/catalog"
	"schedbench/judge"
	"schedbench/tune"
	"schedbench/tune/costs"
)

// ticksOfTuning are the ticks of a made-up choice.
var ticksOfTuning = []time.Duration{
	100 * time.Microsecond, 200 * time.Microsecond, 500 * time.Microsecond, time.Millisecond, 2 * time.Millisecond,
	5 * time.Millisecond, 10 * time.Millisecond, 20 * time.Millisecond, 50 * time.Millisecond, 100 * time.Millisecond,
}

// fullTuning returns a made-up choice, with a calibration and a proof. The figures
// follow rules that are simple, so that what is drawn can be judged.
func fullTuning() *Tuning {
	req := tune.Requirements{Percentile: 0.99, Lateness: 5 * time.Millisecond, CPU: 0.02, Memory: 64 << 20}
	var all []tune.Prediction
	for _, way := range ways {
		for _, s := range []string{"heapsched", "listsched"} {
			all = append(all, predicted(catalog.Config{Scheduler: s, Waiting: way.waiting, Waking: way.waking}, req))
		}
		for _, s := range []string{"singlewheel", "roundswheel", "hierwheel"} {
			for _, tick := range ticksOfTuning {
				for _, slots := range []int{64, 512} {
					all = append(all, predicted(catalog.Config{Scheduler: s, Tick: tick, Slots: slots, Waking: way.waking, Waiting: way.waiting}, req))
				}
			}
		}
	}
	t := &Tuning{Cached: costs.Cached{Calibration: madeUpCalibration(), Path: "results/calibration.json", Notice: "measured anew: the kernel is another"}}
	find := func(c catalog.Config) *tune.Prediction { p := predicted(c, req); return &p }
	t.Choice = &tune.Choice{
		Load: madeUpLoad(), Asked: req, Requirements: req, All: all,
		Pick:     find(catalog.Config{Scheduler: "hierwheel", Tick: 5 * time.Millisecond, Slots: 64, Waiting: catalog.Precise}),
		RunnerUp: find(catalog.Config{Scheduler: "roundswheel", Tick: 2 * time.Millisecond, Slots: 512}),
		Knee:     find(catalog.Config{Scheduler: "hierwheel", Tick: 5 * time.Millisecond, Slots: 64, Waiting: catalog.Precise}),
		Why:      "it takes the least CPU of all that meet the requirements",
		Lost:     "it takes 1.3× the CPU",
		Margins:  []tune.Margin{{Limit: "lateness", Allowed: 0.005, Predicted: 0.0048, Left: 0.0002}, {Limit: "cpu", Allowed: 0.02, Predicted: 0.01, Left: 0.01}, {Limit: "memory", Allowed: 1 << 26, Predicted: 1 << 20, Left: 1<<26 - 1<<20}},
		Optima:   []tune.Optimum{{Name: "enough slots", Formula: "10·c·n/(w·L·d)", Value: 1200, Unit: "slots", Applies: true, Note: "of a wheel with rounds"}, {Name: "crossover", Formula: "(c7/c6)·m·M", Unit: "ticks"}},
	}
	t.Proof = &tune.Proof{Scale: 1, Runs: []tune.Proved{
		proved(*t.Choice.Pick, 1.1, 0.95, true), proved(*t.Choice.RunnerUp, 1.6, 1.2, false)}}
	t.Proof.Final = &t.Proof.Runs[0]
	return t
}

// predicted makes up a prediction.
func predicted(c catalog.Config, r tune.Requirements) tune.Prediction {
	wake, tick := 1.1e-3, c.Tick.Seconds()
	if c.Waiting == catalog.Precise {
		wake = 1e-4
	}
	p := tune.Prediction{Config: c, Wakeups: 1 / (tick + 5e-4)}
	if c.Waking == catalog.Ticking && tick > 0 {
		p.Wakeups = 1 / tick
	}
	cost := map[string]float64{"heapsched": 1.4, "listsched": 3, "singlewheel": 1, "roundswheel": 1.2, "hierwheel": 0.95}[c.Scheduler]
	cpu := 0.002*cost + 8e-6*p.Wakeups
	p.CPU = about(cpu, 0.1)
	p.Parts = map[string]float64{"wakeup": 8e-6 * p.Wakeups, "insert": 0.001 * cost, "expire": 0.001 * cost}
	p.Lateness = about(wake+0.99*tick, 0.05)
	p.Memory = about(1<<20, 0.01)
	if c.Scheduler == "singlewheel" {
		p.Memory = about(1e5/max(tick, 1e-4), 0.01)
	}
	for _, l := range []struct {
		name     string
		is, most float64
	}{{"lateness", p.Lateness.High, r.Lateness.Seconds()}, {"cpu", p.CPU.High, r.CPU}, {"memory", p.Memory.High, float64(r.Memory)}} {
		if l.is > l.most {
			p.Misses = append(p.Misses, l.name)
		}
	}
	return p
}

func about(v, by float64) judge.Estimate {
	return judge.Estimate{Value: v, Low: v * (1 - by), High: v * (1 + by)}
}

// rounds makes up what six rounds come to that scatter by a share of a figure.
func rounds(v, by float64) judge.Average {
	var each []float64
	for _, z := range []float64{-1.2, 0.4, 1.1, -0.6, 0.8, -0.5} {
		each = append(each, v*(1+by*z))
	}
	return judge.Mean(each)
}

// proved makes up a measurement of so many times what was predicted.
func proved(p tune.Prediction, cpu, late float64, confirmed bool) tune.Proved {
	known := map[bool]judge.Finding{true: judge.Holds, false: judge.Fails}[confirmed]
	return tune.Proved{
		Prediction: p,
		Measured: tune.Measured{Config: p.Config, For: 10 * time.Second, Fired: 12345,
			CPU: rounds(p.CPU.Value*cpu, 0.15), Lateness: rounds(p.Lateness.Value*late, 0.1), Wakeups: p.Wakeups},
		Verdict: tune.Verdict{CPU: known, Lateness: judge.Holds, Kept: judge.Holds, CPUError: 1/cpu - 1, LatenessError: 1/late - 1,
			Why: map[bool]string{true: "confirmed: both within", false: "refuted: CPU 2 %"}[confirmed]},
	}
}

func madeUpLoad() *tune.Load {
	return &tune.Load{
		Name: "made-up", Span: 30 * time.Second, Schedules: 1000, Cancels: 880, Fires: 120, Pending: 4321, MostPending: 5000,
		Horizon: time.Minute, MeanDelay: 12345678 * time.Microsecond,
	}
}

// madeUpCalibration has terms of all kinds.
func madeUpCalibration() *costs.Calibration {
	c := &costs.Calibration{
		Made:    time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		Env:     map[string]string{"cpu": "Made-up CPU", "gomaxprocs": "2", "goos": "linux", "goarch": "amd64", "kernel": "6.1", "commit": "0123abc"},
		Latency: map[string][]float64{},
		Terms: []costs.Term{
			{Name: "wakeup", Of: "runtime", Every: time.Millisecond, Seconds: about(8e-6, 0.1), Residual: 0.03},
			{Name: "wakeup", Of: "runtime", Every: 5 * time.Millisecond, Seconds: about(9e-6, 0.1), Residual: 0.04},
			{Name: "insert", Of: "hierwheel", Pending: 100, Seconds: about(30e-9, 0.1), Residual: 0.05},
			{Name: "insert", Of: "hierwheel", Pending: 10_000, Seconds: about(40e-9, 0.1), Residual: 0.07},
		},
	}
	for _, way := range []string{"runtime", "precise"} {
		for i := range 1001 {
			c.Latency[way] = append(c.Latency[way], 1e-3*math.Pow(float64(i)/1000, 2))
		}
	}
	return c
}

// fullExplanation returns a made-up explanation.
func fullExplanation() *tune.Explanation {
	p := predicted(catalog.Config{Scheduler: "roundswheel", Tick: 100 * time.Millisecond, Slots: 512, Waking: catalog.Ticking}, tune.Requirements{})
	o := &tune.Occupancy{Slots: 512, Timers: 4321, Mean: 4321.0 / 512, Max: 31, EmptyShare: 0.02, CV: 0.6, Dispersion: 3.1}
	for i := range 512 {
		o.Along = append(o.Along, max(0, math.Round(8.4+6*math.Sin(float64(i)/40)+3*math.Sin(float64(i)*1.7))))
	}
	for i := range 32 {
		o.Shares = append(o.Shares, math.Exp(-math.Pow(float64(i)-8.4, 2)/40)/11)
	}
	return &tune.Explanation{
		System:     catalog.System{Name: "netty", About: "Netty's HashedWheelTimer", Config: p.Config},
		Prediction: p, Idle: about(0.001, 0.1), Late: []float64{0.05, 0.09, 0.099, 0.0999, 0.1},
		Revolution: 51200 * time.Millisecond, ScanEntries: 4321, ScanCPU: 1e-4, Occupancy: o,
		Says: []string{"it wakes up 10 times a second with nothing due"},
	}
}
