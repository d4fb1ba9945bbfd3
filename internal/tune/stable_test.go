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
	"go.uber.org/goleak"

	"schedbench/catalog"
	"schedbench/internal/judge"
	"schedbench/internal/must"
	"schedbench/workload"
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
	for _, name := range simplicity() {
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
			one := Sample{CPU: machine * about(w.cost(c), w.noise), Took: 2, Late: hdrhistogram.New(1000, int64(time.Second), 3)}
			if rng.Float64() < 0.03 {
				one.CPU *= 1.5
			}
			_ = one.Late.RecordValues(int64(1e9*about(w.late(c)+stall, 0.02)), 200)
			all = append(all, one)
		}
		return all, nil
	}
	_, err := ch.play(context.Background(), Options{Play: play, Progress: silent}, nil, time.Now().Add(42*time.Second))
	if err != nil {
		panic(err)
	}
	ch.Decide()
	return ch
}

// tally counts, over fabricated workloads, what choices come to.
type tally struct {
	pairs, apart     int // pairs of picks for one workload, and those that differ by more than counts
	picks, dear      int // picks, and those that take more than counts beyond the least of all
	sentences, wrong int // comparisons with the pick, and those that are not true
}

// add compares a choice with earlier picks for the same workload.
func (n *tally) add(w *world, ch *Choice, earlier []*Candidate) {
	least := math.Inf(1)
	for _, c := range ch.Candidates {
		if c.Ruled == "" && w.late(c) <= clearance*w.limit.Seconds() {
			least = min(least, w.cost(c))
		}
	}
	counts, pick := max(judge.Imperceptible, near*least), w.cost(ch.Pick)
	n.picks++
	if pick-least > counts {
		n.dear++
	}
	for _, p := range earlier {
		n.pairs++
		if math.Abs(w.cost(p)-pick) > counts {
			n.apart++
		}
	}
	for _, c := range ch.Candidates {
		if c.Final == nil || c == ch.Pick {
			continue
		}
		n.sentences++
		more, said := w.cost(c)-pick, ch.MoreThan(c, ch.Pick).Answer
		if said == judge.Slower && more <= 0 || said == judge.Faster && more >= 0 || said == judge.AsFast && math.Abs(more) > 1.1*ch.Band {
			n.wrong++
		}
	}
}

// TestPicksOfFiveRunsDifferByNoMoreThanCounts has tune choose five times for each of many fabricated workloads, with noise in
// the heat and in each block.
func TestPicksOfFiveRunsDifferByNoMoreThanCounts(t *testing.T) {
	worlds, runs := 16, 5
	if testing.Short() {
		worlds = 8
	}
	for noise, most := range map[float64]float64{0.03: 0, 0.1: 0.01} {
		var n tally
		for seed := range uint64(worlds) {
			synctest.Test(t, func(t *testing.T) {
				w, picks := worldOf(seed, noise), []*Candidate(nil)
				for run := range uint64(runs) {
					ch := w.run(run)
					require.NotNil(t, ch.Pick)
					n.add(w, ch, picks)
					picks = append(picks, ch.Pick)
				}
			})
		}
		t.Logf("noise of %g %%: %+v", 100*noise, n)
		require.LessOrEqual(t, float64(n.apart), most*float64(n.pairs))
		require.LessOrEqual(t, float64(n.dear), most*float64(n.picks))
		require.LessOrEqual(t, float64(n.wrong), 0.001*float64(n.sentences))
	}
}

func TestTheSteadyStateOfAProfileIsFound(t *testing.T) {
	for name, want := range map[string][2]time.Duration{
		"idle-keepalive":  {25 * time.Second, 300 * time.Second}, // connections come in within 30 s
		"kafka-purgatory": {0, 2 * time.Second},
		"mixed-horizon":   {450 * time.Second, 500 * time.Second}, // half of it at most
		"idle":            {0, time.Minute},
		"rpc-timeout":     {5 * time.Millisecond, 500 * time.Millisecond}, // calls come in within 5 ms
	} {
		s := sourceOf(t, name)
		require.GreaterOrEqual(t, s.Steady, want[0], name)
		require.LessOrEqual(t, s.Steady, want[1], name)
	}
}

func TestAProfileIsMadeLongEnough(t *testing.T) {
	p := must.Get(workload.Find("idle"))(t)
	short := must.Get(longEnoughSource(p, workload.Options{Seed: 1}, 0))(t)
	require.Greater(t, must.Get(longEnoughSource(p, workload.Options{Seed: 1}, int(10*short.Ops)+1000))(t).Length, short.Length)
	require.Equal(t, time.Second, must.Get(longEnoughSource(p, workload.Options{Seed: 1, For: time.Second}, int(10*short.Ops)+1000))(t).Length, "as long as it is said to be")
}

func TestTheHeatReplaysASteadyPart(t *testing.T) {
	for name, pending := range map[string]float64{"rpc-timeout": 10_000, "kafka-purgatory": 300, "heartbeat": 200} {
		s := segmentNamed(t, name)
		require.InEpsilon(t, pending, s.Pending, 0.3, name)
		require.Greater(t, len(s.ops), map[bool]int{true: aloneOps / 2, false: 5000}[s.Scale < 1], name)
	}
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const ms = time.Millisecond
