package report

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/lists"
	"schedbench/internal/words"
)

// synthetic makes up data whose answers are known.
type synthetic struct {
	data   *rundata.Data
	rounds int
	noise  float64
	rng    *rand.Rand
}

func newSynthetic(rounds int) *synthetic {
	return &synthetic{
		data: &rundata.Data{Complete: true, Env: map[string]string{
			"cpu": "Made-up CPU @ 3.00GHz", "goos": "linux", "goarch": "amd64", "kernel": "6.1.0",
			"go-version": "go1.26.0", "gomaxprocs": "2", "commit": "0123abc", "seed": "1",
			"date": "2026-01-02", "command": "bench run -rounds 12",
		}},
		rounds: rounds, noise: 0.02, rng: rand.New(rand.NewPCG(1, 2)),
	}
}

// series adds one, from a name such as Cost/op=pair/impl=hierwheel, with noisy samples about the given values.
func (g *synthetic) series(experiment, params string, values map[string]float64) *rundata.Series {
	s := &rundata.Series{Experiment: experiment, Params: paramsOf(params), Values: map[string][]float64{}}
	for range g.rounds {
		s.Iterations = append(s.Iterations, 1000)
		for _, unit := range slices.Sorted(maps.Keys(values)) { // in order: the noise has to be the same each time
			v := values[unit]
			if unit != rundata.Fired {
				v *= 1 + g.noise*g.rng.NormFloat64()
			}
			s.Values[unit] = append(s.Values[unit], v)
		}
	}
	g.data.Series = append(g.data.Series, s)
	return s
}

// paramsOf reads parameters such as op=pair impl=hierwheel.
func paramsOf(text string) []rundata.Param {
	return lists.Each(strings.Fields(text), func(p string) rundata.Param {
		key, value, _ := strings.Cut(p, "=")
		return rundata.Param{Key: key, Value: value}
	})
}

// with returns a series with another value of a parameter.
func with(s *rundata.Series, key, value string) *rundata.Series {
	other := *s
	other.Params = rundata.Set(s.Params, rundata.Param{Key: key, Value: value})
	return &other
}

// loopNs is what the loop around an operation takes in the made-up data.
const loopNs = 2

// growth is the made-up time of an operation without the loop.
var growth = map[string]func(n float64) float64{
	"heapsched":   func(n float64) float64 { return 8 + 4*math.Log2(n) },
	"listsched":   func(n float64) float64 { return 6 + 0.8*n },
	"singlewheel": func(n float64) float64 { return 11 + 2*math.Log10(n) },
	"roundswheel": func(n float64) float64 { return 14 + 2*math.Log10(n) },
	"hierwheel":   func(n float64) float64 { return 13.9 + 2*math.Log10(n) },
	"pairing":     func(n float64) float64 { return loopNs + 2*(13.9+2*math.Log10(n)) }, // twice as long as hierwheel, with the loop

	catalog.RuntimeTimer:  func(n float64) float64 { return 55 + 6*math.Log2(n) },
	catalog.ContainerHeap: func(n float64) float64 { return 30 + 12*math.Log2(n) },
	rundata.EmptyControl:  func(float64) float64 { return 0 },
}

// wheels and others in the order in which a run measures them.
var measured = []string{
	rundata.EmptyControl, "heapsched", "listsched", "singlewheel", "roundswheel", "hierwheel", "hierwheel" + rundata.AASuffix,
	catalog.RuntimeTimer, catalog.ContainerHeap,
}

func (g *synthetic) costs(ops, delays []string, pendings []int, impls ...string) {
	for _, op := range ops {
		for _, delay := range delays {
			for _, n := range pendings {
				for _, impl := range impls {
					if impl == "listsched" && n > 10_000 {
						continue
					}
					g.cost(op, delay, impl, n)
				}
			}
		}
	}
}

func (g *synthetic) cost(op, delay, impl string, n int) {
	f, ok := growth[strings.TrimSuffix(impl, rundata.AASuffix)]
	if !ok {
		f = func(float64) float64 { return 25 }
	}
	ns := f(float64(max(n, 1)))
	values := map[string]float64{rundata.NsPerOp: loopNs + ns}
	switch impl {
	case rundata.EmptyControl, catalog.RuntimeTimer:
	case "listsched":
		values[rundata.VisitsPerOp] = float64(n) / 2
	case "heapsched", catalog.ContainerHeap:
		values[rundata.LevelsPerOp] = math.Log2(float64(n)) / 2
		values[rundata.MovesPerOp] = math.Log2(float64(n)) / 2
		values[rundata.VisitsPerOp] = 2 * math.Log2(float64(n))
	default:
		values[rundata.SlotsPerOp] = 0
		if op == "expire" {
			values[rundata.SlotsPerOp], values[rundata.CascadesPerOp] = 0.7, 1.5
		}
	}
	g.series(rundata.Cost, fmt.Sprintf("op=%s impl=%s pending=%d delay=%s", op, impl, n, delay), values)
}

// live makes up calls on the real clock.
func (g *synthetic) live(op string, pendings []int, impls ...string) {
	for _, goroutines := range []int{1, 2} {
		for _, n := range pendings {
			for _, impl := range impls {
				ns := 90*float64(goroutines) + growth[impl](float64(n))
				g.series(rundata.Cost,
					fmt.Sprintf("op=%s impl=%s pending=%d goroutines=%d", op, impl, n, goroutines),
					map[string]float64{rundata.NsPerOp: ns, rundata.CPUPerOp: ns*1.2 + 40})
			}
		}
	}
}

// wakings are those of the made-up data, with their ticks in nanoseconds.
var wakings = []struct {
	label string
	tick  float64
}{{rundata.Tickless, 0}, {"1ms", 1e6}, {"5ms", 5e6}, {"10ms", 10e6}, {"100ms", 100e6}}

func (g *synthetic) jitters(impls ...string) {
	for _, impl := range impls {
		for _, w := range wakings {
			g.jitter(impl, w.label, w.tick)
		}
	}
	g.jitter(catalog.RuntimeTimer, rundata.RuntimeWaking, 0)
	for _, impl := range impls {
		g.short(impl, rundata.Tickless)
	}
	g.short(catalog.RuntimeTimer, rundata.RuntimeWaking)
	g.jitter(rundata.SleepControl, rundata.NothingControl, 0)
}

// jitter makes up lateness that is even over the tick, with a tail.
func (g *synthetic) jitter(impl, waking string, tick float64) *rundata.Series {
	return g.late(rundata.Jitter, fmt.Sprintf("impl=%s waking=%s rate=1000", impl, waking), 20_000, func(int) float64 {
		ns := 60e3 + g.rng.Float64()*(tick+900e3) + 30e3*g.rng.ExpFloat64()
		if g.rng.IntN(2000) == 0 {
			ns += 4e6 * g.rng.Float64()
		}
		return ns
	}, map[string]float64{rundata.WakeupsPerSecond: 900})
}

// late makes up so many timers, each late by some nanoseconds, with which nothing has gone wrong, and what else was
// measured of them.
func (g *synthetic) late(experiment, params string, timers int, by func(i int) float64, values map[string]float64) *rundata.Series {
	late, early := rundata.NewHistogram(), rundata.NewHistogram()
	for i := range timers {
		_ = late.RecordValue(int64(by(i)))
	}
	all := map[string]float64{
		rundata.P50Late: float64(late.ValueAtQuantile(50)), rundata.P90Late: float64(late.ValueAtQuantile(90)),
		rundata.P99Late: float64(late.ValueAtQuantile(99)), rundata.MaxLate: float64(late.Max()),
		rundata.Fired: 2000, rundata.Early: 0, rundata.Lost: 0, rundata.Doubled: 0, rundata.CPUPerSecond: 5e6,
	}
	maps.Copy(all, values)
	s := g.series(experiment, params, all)
	s.Late, s.Early = late, early
	return s
}

// short makes up lateness with short delays, for some of which a driver is kicked.
func (g *synthetic) short(impl, waking string) *rundata.Series {
	s := g.jitter(impl, waking, 0)
	s.Params = append(s.Params, rundata.Param{Key: "delays", Value: rundata.ShortDelays})
	for unit, v := range map[string]float64{rundata.ArmedP50Late: 3e3, rundata.ArmedP99Late: 40e3, rundata.ArmingCPU: 120e6, rundata.KicksPerSecond: 150} {
		if unit != rundata.KicksPerSecond || impl != catalog.RuntimeTimer {
			s.Values[unit] = slices.Repeat([]float64{v}, g.rounds)
		}
	}
	return s
}

func (g *synthetic) idles(pendings []int, impls ...string) {
	for _, n := range pendings {
		for _, impl := range impls {
			for _, w := range wakings {
				perSecond := 0.0
				if w.tick > 0 {
					perSecond = 1e9 / w.tick
				}
				g.series(rundata.Idle, fmt.Sprintf("impl=%s waking=%s pending=%d", impl, w.label, n), map[string]float64{
					rundata.CPUPerSecond: 200e3 + 12e3*perSecond, rundata.WakeupsPerSecond: perSecond,
					rundata.SwitchesPerSecond: 20 + perSecond,
				})
			}
		}
	}
	s := g.series(rundata.Idle, fmt.Sprintf("impl=process waking=none pending=%d", pendings[0]),
		map[string]float64{rundata.CPUPerSecond: 200e3, rundata.WakeupsPerSecond: 0, rundata.SwitchesPerSecond: 20})
	for _, n := range pendings[1:] {
		g.data.Series = append(g.data.Series, with(s, "pending", strconv.Itoa(n)))
	}
}

func (g *synthetic) memories(pendings []int, impls ...string) {
	for _, n := range pendings {
		for i, impl := range impls {
			g.memory(impl, n, i, 0, map[string]string{catalog.RuntimeTimer: " holding=" + rundata.HoldingFunctions}[impl])
		}
		g.series(rundata.Memory, fmt.Sprintf("impl=none pending=%d", n), map[string]float64{rundata.GCNs: 110e3})
	}
	for i, horizon := range []string{"1m0s", "1h0m0s", "24h0m0s", "720h0m0s"} {
		g.series(rundata.Memory, "impl=singlewheel horizon="+horizon, map[string]float64{rundata.BytesPerWheel: 200e3 * math.Pow(40, float64(i))})
		g.series(rundata.Memory, "impl=roundswheel horizon="+horizon, map[string]float64{rundata.BytesPerWheel: 4096})
		g.series(rundata.Memory, "impl=hierwheel horizon="+horizon, map[string]float64{rundata.BytesPerWheel: 2048 * float64(i+1)})
	}
}

// holding makes up what drivers take that hold functions.
func (g *synthetic) holding(pendings []int, impls ...string) {
	for _, n := range pendings {
		for i, impl := range impls {
			g.memory(impl, n, i, 16, " holding="+rundata.HoldingFunctions)
		}
		g.series(rundata.Memory, fmt.Sprintf("impl=none pending=%d holding=%s", n, rundata.HoldingFunctions), map[string]float64{rundata.GCNs: 111e3})
	}
}

func (g *synthetic) memory(impl string, n, i int, more float64, params string) {
	fresh := 32 + 8*float64(i) + 4000/float64(n) + more
	s := g.series(rundata.Memory, fmt.Sprintf("impl=%s pending=%d%s", impl, n, params), map[string]float64{
		rundata.BytesPerTimer: fresh, rundata.ChurnedPerTimer: fresh * 1.3, rundata.GCNs: 120e3 + float64(n*i)*1.5,
	})
	s.Values[rundata.NamePerTimer] = slices.Repeat([]float64{8}, g.rounds)
}

func (g *synthetic) controls() {
	g.series(rundata.Control, "what=clock-read", map[string]float64{rundata.NsPerOp: 41})
	g.series(rundata.Control, "what=histogram-record", map[string]float64{rundata.NsPerOp: 9})
	for what, sizes := range map[string][]float64{"spin": {50, 500, 5000}, "lateness": {1e6, 1e7}, "burn": {1e7, 1e8}} {
		for _, size := range sizes {
			s := g.series(rundata.Control, fmt.Sprintf("what=%s known=%s", what, words.Span(size)), map[string]float64{rundata.ReadNs: size * 1.01})
			s.Values[rundata.KnownNs] = slices.Repeat([]float64{size}, g.rounds)
		}
	}
}

// fullData has every experiment for every contestant.
func fullData() *rundata.Data {
	g := newSynthetic(15)
	pendings := []int{10, 100, 1000, 10_000, 100_000, 1_000_000}
	g.costs([]string{"insert", "pair", "reset", "expire"}, []string{"uniform"}, pendings, measured...)
	g.costs([]string{"pair"}, []string{"exponential", "constant", "bimodal"}, pendings[1:5], measured...)
	g.costs([]string{"tick"}, []string{"uniform"}, []int{0, 1000, 100_000}, measured[:7]...)
	contestants := measured[1:6]
	g.live(rundata.OpLivePair, []int{10, 1000, 100_000}, "heapsched", "hierwheel", "roundswheel", catalog.RuntimeTimer)
	g.jitters(contestants...)
	g.idles([]int{0, 100_000}, contestants...)
	g.memories([]int{1000, 100_000, 1_000_000}, slices.Concat(contestants, []string{catalog.RuntimeTimer})...)
	g.controls()
	g.parallels("hierwheel")
	g.slows("hierwheel")
	g.bursts(slices.Concat(contestants, []string{catalog.RuntimeTimer})...)
	g.systems()
	g.waits("hierwheel", "heapsched")
	// What was added later comes last: the noise of the others stays what it was.
	g.live(rundata.OpLiveReset, []int{10, 1000, 100_000}, "heapsched", "hierwheel", "roundswheel", catalog.RuntimeTimer)
	g.holding([]int{1000, 100_000, 1_000_000}, append(contestants, "hierwheel"+rundata.AASuffix)...)
	g.tails(100_000, 20_000, 0.05, map[string]float64{catalog.ContainerHeap: 3, catalog.RuntimeTimer: 2})
	g.mapped(parted)
	return g.data
}
