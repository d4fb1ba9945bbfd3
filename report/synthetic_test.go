package report

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/HdrHistogram/hdrhistogram-go"

	"schedbench/catalog"
	"schedbench/harness"
	"schedbench/internal/words"
)

// synthetic makes up data whose answers are known.
type synthetic struct {
	data   *harness.Data
	rounds int
	noise  float64
	rng    *rand.Rand
}

func newSynthetic(rounds int) *synthetic {
	return &synthetic{
		data: &harness.Data{Complete: true, Env: map[string]string{
			"cpu": "Made-up CPU @ 3.00GHz", "goos": "linux", "goarch": "amd64", "kernel": "6.1.0",
			"go-version": "go1.26.0", "gomaxprocs": "2", "commit": "0123abc", "seed": "1",
			"date": "2026-01-02", "command": "bench run -rounds 12",
		}},
		rounds: rounds, noise: 0.02, rng: rand.New(rand.NewPCG(1, 2)),
	}
}

// series adds one, from a name such as Cost/op=pair/impl=hierwheel, with noisy
// samples about the given values.
func (g *synthetic) series(experiment, params string, values map[string]float64) *harness.Series {
	s := &harness.Series{Experiment: experiment, Values: map[string][]float64{}}
	for p := range strings.FieldsSeq(params) {
		key, value, _ := strings.Cut(p, "=")
		s.Params = append(s.Params, harness.Param{Key: key, Value: value})
	}
	for range g.rounds {
		s.Iterations = append(s.Iterations, 1000)
		for _, unit := range slices.Sorted(maps.Keys(values)) { // in order: the noise has to be the same each time
			v := values[unit]
			if unit != harness.Fired {
				v *= 1 + g.noise*g.rng.NormFloat64()
			}
			s.Values[unit] = append(s.Values[unit], v)
		}
	}
	g.data.Series = append(g.data.Series, s)
	return s
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

	"hierwheel" + harness.AgainSuffix: func(n float64) float64 { return 13.9 + 2*math.Log10(n) },

	catalog.RuntimeTimer:  func(n float64) float64 { return 55 + 6*math.Log2(n) },
	catalog.ContainerHeap: func(n float64) float64 { return 30 + 12*math.Log2(n) },
	harness.EmptyControl:  func(float64) float64 { return 0 },
}

// wheels and others in the order in which a run measures them.
var measured = []string{
	harness.EmptyControl, "heapsched", "listsched", "singlewheel", "roundswheel", "hierwheel", "hierwheel" + harness.AgainSuffix,
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
	f, ok := growth[impl]
	if !ok {
		f = func(float64) float64 { return 25 }
	}
	ns := f(float64(max(n, 1)))
	values := map[string]float64{harness.NsPerOp: loopNs + ns}
	switch impl {
	case harness.EmptyControl, catalog.RuntimeTimer:
	case "listsched":
		values[harness.VisitsPerOp] = float64(n) / 2
	case "heapsched", catalog.ContainerHeap:
		values[harness.LevelsPerOp] = math.Log2(float64(n)) / 2
		values[harness.MovesPerOp] = math.Log2(float64(n)) / 2
		values[harness.VisitsPerOp] = 2 * math.Log2(float64(n))
	default:
		values[harness.SlotsPerOp] = 0
		if op == "expire" {
			values[harness.SlotsPerOp], values[harness.CascadesPerOp] = 0.7, 1.5
		}
	}
	g.series(harness.Cost, fmt.Sprintf("op=%s impl=%s pending=%d delay=%s", op, impl, n, delay), values)
}

// live makes up calls on the real clock.
func (g *synthetic) live(op string, pendings []int, impls ...string) {
	for _, goroutines := range []int{1, 2} {
		for _, n := range pendings {
			for _, impl := range impls {
				ns := 90*float64(goroutines) + growth[impl](float64(n))
				g.series(harness.Cost,
					fmt.Sprintf("op=%s impl=%s pending=%d goroutines=%d", op, impl, n, goroutines),
					map[string]float64{harness.NsPerOp: ns, harness.CPUPerOp: ns*1.2 + 40})
			}
		}
	}
}

// wakings of the made-up data: tick in nanoseconds by label.
var wakings = map[string]float64{harness.Tickless: 0, "1ms": 1e6, "5ms": 5e6, "10ms": 10e6, "100ms": 100e6}

func (g *synthetic) jitters(impls ...string) {
	for _, impl := range impls {
		for _, waking := range []string{harness.Tickless, "1ms", "5ms", "10ms", "100ms"} {
			g.jitter(impl, waking, wakings[waking])
		}
	}
	g.jitter(catalog.RuntimeTimer, harness.RuntimeWaking, 0)
	for _, impl := range impls {
		g.short(impl, harness.Tickless)
	}
	g.short(catalog.RuntimeTimer, harness.RuntimeWaking)
	g.jitter(harness.SleepControl, harness.NothingControl, 0)
}

// jitter makes up lateness that is even over the tick, with a tail.
func (g *synthetic) jitter(impl, waking string, tick float64) *harness.Series {
	late, early := hdrhistogram.New(1, 60e9, 3), hdrhistogram.New(1, 60e9, 3)
	for range 20_000 {
		ns := 60e3 + g.rng.Float64()*(tick+900e3) + 30e3*g.rng.ExpFloat64()
		if g.rng.IntN(2000) == 0 {
			ns += 4e6 * g.rng.Float64()
		}
		_ = late.RecordValue(int64(ns))
	}
	s := g.series(harness.Jitter, fmt.Sprintf("impl=%s waking=%s rate=1000", impl, waking), map[string]float64{
		harness.P50Late: float64(late.ValueAtQuantile(50)), harness.P90Late: float64(late.ValueAtQuantile(90)),
		harness.P99Late: float64(late.ValueAtQuantile(99)), harness.MaxLate: float64(late.Max()),
		harness.Fired: 2000, harness.Early: 0, harness.Lost: 0, harness.Doubled: 0,
		harness.CPUPerSecond: 5e6, harness.WakeupsPerSecond: 900,
	})
	s.Late, s.Early = late, early
	return s
}

// short makes up lateness with short delays, for some of which a driver is kicked.
func (g *synthetic) short(impl, waking string) *harness.Series {
	s := g.jitter(impl, waking, 0)
	s.Params = append(s.Params, harness.Param{Key: "delays", Value: harness.ShortDelays})
	for range g.rounds {
		for unit, v := range map[string]float64{harness.ArmedP50Late: 3e3, harness.ArmedP99Late: 40e3, harness.ArmingCPU: 120e6} {
			s.Values[unit] = append(s.Values[unit], v)
		}
		if impl != catalog.RuntimeTimer {
			s.Values[harness.KicksPerSecond] = append(s.Values[harness.KicksPerSecond], 150)
		}
	}
	return s
}

func (g *synthetic) idles(pendings []int, impls ...string) {
	for _, n := range pendings {
		for _, impl := range impls {
			for _, waking := range []string{harness.Tickless, "1ms", "5ms", "10ms", "100ms"} {
				perSecond := 0.0
				if tick := wakings[waking]; tick > 0 {
					perSecond = 1e9 / tick
				}
				g.series(harness.Idle, fmt.Sprintf("impl=%s waking=%s pending=%d", impl, waking, n), map[string]float64{
					harness.CPUPerSecond: 200e3 + 12e3*perSecond, harness.WakeupsPerSecond: perSecond,
					harness.SwitchesPerSecond: 20 + perSecond,
				})
			}
		}
	}
	s := g.series(harness.Idle, fmt.Sprintf("impl=process waking=none pending=%d", pendings[0]),
		map[string]float64{harness.CPUPerSecond: 200e3, harness.WakeupsPerSecond: 0, harness.SwitchesPerSecond: 20})
	for _, n := range pendings[1:] {
		other := *s
		other.Params = append(slices.Clone(s.Params[:2]), harness.Param{Key: "pending", Value: strconv.Itoa(n)})
		g.data.Series = append(g.data.Series, &other)
	}
}

func (g *synthetic) memories(pendings []int, impls ...string) {
	for _, n := range pendings {
		for i, impl := range impls {
			if impl == catalog.RuntimeTimer {
				g.memory(impl, n, i, 0, " holding="+harness.HoldingFunctions)
			} else {
				g.memory(impl, n, i, 0, "")
			}
		}
		g.series(harness.Memory, fmt.Sprintf("impl=none pending=%d", n), map[string]float64{harness.GCNs: 110e3})
	}
	for i, horizon := range []string{"1m0s", "1h0m0s", "24h0m0s", "720h0m0s"} {
		g.series(harness.Memory, "impl=singlewheel horizon="+horizon, map[string]float64{harness.BytesPerWheel: 200e3 * math.Pow(40, float64(i))})
		g.series(harness.Memory, "impl=roundswheel horizon="+horizon, map[string]float64{harness.BytesPerWheel: 4096})
		g.series(harness.Memory, "impl=hierwheel horizon="+horizon, map[string]float64{harness.BytesPerWheel: 2048 * float64(i+1)})
	}
}

// holding makes up what drivers take that hold functions.
func (g *synthetic) holding(pendings []int, impls ...string) {
	for _, n := range pendings {
		for i, impl := range impls {
			g.memory(impl, n, i, 16, " holding="+harness.HoldingFunctions)
		}
		g.series(harness.Memory, fmt.Sprintf("impl=none pending=%d holding=%s", n, harness.HoldingFunctions), map[string]float64{harness.GCNs: 111e3})
	}
}

func (g *synthetic) memory(impl string, n, i int, more float64, params string) {
	fresh := 32 + 8*float64(i) + 4000/float64(n) + more
	s := g.series(harness.Memory, fmt.Sprintf("impl=%s pending=%d%s", impl, n, params), map[string]float64{
		harness.BytesPerTimer: fresh, harness.ChurnedPerTimer: fresh * 1.3, harness.GCNs: 120e3 + float64(n*i)*1.5,
	})
	s.Values[harness.NamePerTimer] = slices.Repeat([]float64{8}, g.rounds)
}

func (g *synthetic) controls() {
	g.series(harness.Control, "what=clock-read", map[string]float64{harness.NsPerOp: 41})
	g.series(harness.Control, "what=histogram-record", map[string]float64{harness.NsPerOp: 9})
	for what, sizes := range map[string][]float64{"spin": {50, 500, 5000}, "lateness": {1e6, 1e7}, "burn": {1e7, 1e8}} {
		for _, size := range sizes {
			known := words.Span(size)
			s := g.series(harness.Control, fmt.Sprintf("what=%s known=%s", what, known), map[string]float64{harness.ReadNs: size * 1.01})
			for range g.rounds {
				s.Values[harness.KnownNs] = append(s.Values[harness.KnownNs], size)
			}
		}
	}
}

// fullData has every experiment for everybody.
func fullData() *harness.Data {
	g := newSynthetic(15)
	pendings := []int{10, 100, 1000, 10_000, 100_000, 1_000_000}
	g.costs([]string{"insert", "pair", "reset", "expire"}, []string{"uniform"}, pendings, measured...)
	g.costs([]string{"pair"}, []string{"exponential", "constant", "bimodal"}, pendings[1:5], measured...)
	g.costs([]string{"tick"}, []string{"uniform"}, []int{0, 1000, 100_000}, measured[:7]...)
	contestants := measured[1:6]
	g.live(harness.OpLivePair, []int{10, 1000, 100_000}, "heapsched", "hierwheel", "roundswheel", catalog.RuntimeTimer)
	g.jitters(contestants...)
	g.idles([]int{0, 100_000}, contestants...)
	g.memories([]int{1000, 100_000, 1_000_000}, slices.Concat(contestants, []string{catalog.RuntimeTimer})...)
	g.controls()
	g.parallels("hierwheel")
	g.slows("hierwheel")
	g.bursts(slices.Concat(contestants, []string{catalog.RuntimeTimer})...)
	g.systems()
	g.pauses(slices.Concat(contestants, []string{catalog.RuntimeTimer})...)
	g.waits("hierwheel", "heapsched")
	// What was added later comes last: the noise of the others stays what it was.
	g.live(harness.OpLiveReset, []int{10, 1000, 100_000}, "heapsched", "hierwheel", "roundswheel", catalog.RuntimeTimer)
	g.holding([]int{1000, 100_000, 1_000_000}, append(contestants, "hierwheel"+harness.AgainSuffix)...)
	g.tails(100_000, 20_000, 0.05, map[string]float64{catalog.ContainerHeap: 3, catalog.RuntimeTimer: 2})
	g.mapped(parted)
	return g.data
}
