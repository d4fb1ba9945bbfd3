package tune

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/internal/judge"
)

// world is a fabricated workload on a fabricated machine: it knows what each candidate truly takes.
type world struct {
	seed         uint64
	rate, fires  float64 // a second
	price, perOp map[string]float64
	limit        time.Duration
	noise        float64 // of a block, as a part
}

func worldOf(seed uint64, noise float64) *world {
	rng := rand.New(rand.NewPCG(seed, 1))
	between := func(low, high float64) float64 { return low * math.Pow(high/low, rng.Float64()) }
	w := &world{seed: seed, rate: between(50, 50_000), noise: noise, price: map[string]float64{}, perOp: map[string]float64{}}
	w.fires = w.rate * between(0.01, 0.5)
	w.limit = []time.Duration{2 * ms, 5 * ms, 20 * ms, 50 * ms, 200 * ms}[rng.IntN(5)]
	for _, waiting := range catalog.Waitings() {
		w.price[fmt.Sprint(waiting)] = between(8e-6, 20e-6)
	}
	for _, name := range simplicity {
		w.perOp[name] = between(150e-9, 500e-9)
	}
	return w
}

// cost is the true share of a core.
func (w *world) cost(c *Candidate) float64 {
	tick := max(c.Config.Tick.Seconds(), 1e-3)
	wakeups := (1 - math.Exp(-w.fires*tick)) / tick
	if c.ticks() {
		wakeups = 1 / tick
	}
	work := w.rate * w.perOp[c.Config.Scheduler]
	if c.Config.Scheduler == catalog.Rounds {
		work += 2e-9 * 5000 / tick // visits
	}
	return 0.0005 + work + wakeups*w.price[fmt.Sprint(c.Config.Waiting)]
}

// late is the true lateness at the percentile.
func (w *world) late(c *Candidate) float64 {
	sleep := 1.08e-3
	if c.Config.Waiting == catalog.Precise {
		sleep = 0.12e-3
	}
	return 0.99*c.Config.Tick.Seconds() + sleep
}

// run has tune choose, with noise of its own.
func (w *world) run(run uint64) *Choice {
	rng := rand.New(rand.NewPCG(w.seed, 100+run))
	about := func(v, noise float64) float64 { return v * math.Exp(noise*rng.NormFloat64()) }
	r := Requirements{Lateness: w.limit}
	s := &Segment{Rate: w.rate, Pending: 5000, Horizon: 30 * time.Second, Length: 20 * time.Second, Scale: 1}
	ch := &Choice{Segment: s, Requirements: r, Candidates: Candidates(s, r)}
	heat := about(1, 2*w.noise)
	for _, c := range ch.Candidates {
		c.Heat = &Figures{CPU: exactly(heat * about(w.cost(c), w.noise)), Lateness: exactly(r.assumed(c.Config).Seconds())}
	}
	play := func(_ context.Context, m Match) (all []Sample, err error) {
		time.Sleep(m.Slice + 700*time.Millisecond)
		machine, stall := about(1, w.noise), 0.0
		if rng.Float64() < 0.1 {
			stall = 0.05
		}
		for _, c := range m.Candidates {
			one := Sample{CPU: machine * about(w.cost(c), w.noise), Fired: 200, Took: 2, Late: hdrhistogram.New(1000, int64(time.Second), 3)}
			if rng.Float64() < 0.03 {
				one.CPU *= 1.5
			}
			_ = one.Late.RecordValues(int64(1e9*about(w.late(c)+stall, 0.02)), 200)
			all = append(all, one)
		}
		return all, nil
	}
	if _, err := ch.play(context.Background(), Options{Play: play, Progress: func(string, int, int) {}}, nil, time.Now().Add(42*time.Second)); err != nil {
		panic(err)
	}
	ch.Decide()
	return ch
}

// TestThePickIsStable has tune choose five times for each of many fabricated workloads. It counts how often two of five picks
// differ by more than what is worth it, how often a pick takes more than that beyond the least of all, and how
// often a sentence on the runner-up is wrong.
func TestThePickIsStable(t *testing.T) {
	const worlds, runs = 60, 5
	for _, noise := range []float64{0.03, 0.1} {
		t.Run(fmt.Sprint(noise), func(t *testing.T) {
			var pairs, differ, apart, regret, sentences, wrong, unclear, blocks int
			for seed := range uint64(worlds) {
				synctest.Test(t, func(t *testing.T) {
					w := worldOf(seed, noise)
					var picks []*Candidate
					for run := range uint64(runs) {
						ch := w.run(run)
						require.NotNil(t, ch.Pick)
						least := math.Inf(1)
						for _, c := range ch.Candidates {
							if c.Ruled == "" && w.late(c) <= clearance*w.limit.Seconds() {
								least = min(least, w.cost(c))
							}
						}
						band := max(judge.Imperceptible, near*least)
						if w.cost(ch.Pick)-least > band {
							regret++
						}
						for _, p := range picks {
							pairs++
							if p.Config != ch.Pick.Config {
								differ++
							}
							if math.Abs(w.cost(p)-w.cost(ch.Pick)) > band {
								apart++
							}
						}
						picks = append(picks, ch.Pick)
						blocks += len(ch.Pick.blocks)
						for _, c := range ch.Candidates {
							if c.Final == nil || c == ch.Pick || len(c.blocks) < 2 {
								continue
							}
							sentences++
							more := w.cost(c) - w.cost(ch.Pick)
							switch ch.MoreThan(c, ch.Pick).Answer {
							case judge.Slower:
								wrong += map[bool]int{more <= 0: 1}[true]
							case judge.Faster:
								wrong += map[bool]int{more >= 0: 1}[true]
							case judge.AsFast:
								wrong += map[bool]int{math.Abs(more) > ch.Band*1.1: 1}[true]
							default:
								unclear++
							}
						}
					}
				})
			}
			t.Logf("pairs %d: other pick %d, apart beyond worth %d; runs %d: regret beyond worth %d, blocks %.1f; sentences %d: wrong %d, unclear %d",
				pairs, differ, apart, worlds*runs, regret, float64(blocks)/worlds/runs, sentences, wrong, unclear)
		})
	}
}
