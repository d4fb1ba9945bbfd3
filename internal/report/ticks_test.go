package report

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/words"
)

// gives are what the ticks of a made-up contestant give, and by how much that differs from
// block to block: 0 is not at all.
type gives struct {
	waking  string
	p99     time.Duration
	share   float64
	scatter float64
}

// idling is what an idle process takes of a core.
const idling = 0.001

// ticking makes up what each waking gives in eight blocks.
func ticking(impl string, all ...gives) *rundata.Data {
	g := newSynthetic(8)
	g.noise = 0
	around := func(give gives, v float64) (blocks []float64) {
		for range g.rounds {
			blocks = append(blocks, v*math.Exp(give.scatter*g.rng.NormFloat64()))
		}
		return blocks
	}
	add := func(experiment, params, unit string, blocks []float64) {
		s := g.series(experiment, params, map[string]float64{unit: 0})
		s.Values[unit] = blocks
	}
	for _, give := range all {
		if give.p99 > 0 {
			add(rundata.Jitter, fmt.Sprintf("impl=%s waking=%s rate=100", impl, give.waking), rundata.P99Late, around(give, float64(give.p99)))
		}
		if give.share >= 0 {
			net := around(give, give.share)
			for i := range net {
				net[i] = 1e9 * (net[i] + idling)
			}
			add(rundata.Idle, fmt.Sprintf("impl=%s waking=%s pending=1000", impl, give.waking), rundata.CPUPerSecond, net)
		}
	}
	add(rundata.Idle, "impl=process waking=none pending=1000", rundata.CPUPerSecond, around(gives{}, 1e9*idling))
	return g.data
}

const ms = time.Millisecond

var usual = []gives{
	{rundata.Tickless, 1 * ms, 0.05, 0.01}, {"1ms", 2 * ms, 0.031, 0.01}, {"5ms", 6 * ms, 0.004, 0.01}, {"10ms", 11 * ms, 0.002, 0.01}, {"100ms", 101 * ms, 0.0001, 0.01},
}

func TestTheLongestTickThatKeepsTheLimitsIsChosen(t *testing.T) {
	at := func(tick string, p99 time.Duration, scatter float64) gives { return gives{tick, p99, 0.004, scatter} }
	one := ticking("hierwheel", usual...)
	for _, s := range one.Series {
		s.Block = make([]int, len(s.Iterations))
	}
	for _, c := range []struct {
		name string
		data *rundata.Data
		req  Requirement
		want time.Duration
	}{
		{"the longest that is in time", ticking("hierwheel", usual...), Requirement{12 * ms, 0.01}, 10 * ms},
		{"the shorter one keeps them too", ticking("hierwheel", usual...), Requirement{10 * ms, 0.05}, 5 * ms},
		{"the longest of all", ticking("hierwheel", usual...), Requirement{time.Second, 0.05}, 100 * ms},
		{"lateness binds", ticking("hierwheel", usual[1:]...), Requirement{1 * ms, 0.01}, 0},
		{"CPU binds", ticking("hierwheel", usual[1:]...), Requirement{time.Second, 0.00001}, 0},
		{"only tickless", ticking("hierwheel", append([]gives{{rundata.Tickless, ms, 0, 0}}, usual[1:]...)...), Requirement{5 * ms, 0.01}, 0},
		{"any other wheel", ticking("roundswheel", usual...), Requirement{P99: 10 * ms}, 5 * ms},
		{"only the CPU matters", ticking("hierwheel", usual...), Requirement{CPUShare: 0.01}, 100 * ms},
		{"no requirement", ticking("hierwheel", usual...), Requirement{}, 0},
		{"no ticks", ticking("hierwheel", usual[0]), Requirement{P99: ms}, 0},
		{"lateness not measured", ticking("hierwheel", gives{"5ms", 0, 0.01, 0}), Requirement{P99: ms}, 0},
		{"CPU not measured", ticking("hierwheel", gives{"5ms", ms, -1, 0}, gives{"10ms", 2 * ms, -1, 0}), Requirement{P99: 3 * ms}, 10 * ms},
		{"a limit that may be broken", ticking("hierwheel", at("1ms", 2*ms, 0.01), at("5ms", 9*ms, 0.3)), Requirement{P99: 10 * ms}, 1 * ms},
		{"each limit may be broken", ticking("hierwheel", at("5ms", 9*ms, 0.3)), Requirement{P99: 10 * ms}, 0},
		{"one block says nothing", one, Requirement{P99: 10 * ms}, 0},
		{"nothing", nil, Requirement{P99: ms}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			opt := Options{Requirement: c.req}
			require.Equal(t, c.want, newView(c.data, opt).recommended())
			tick := ""
			if c.want > 0 {
				tick = words.Span(float64(c.want))
			}
			if of := NewCard(c.data, opt).Tick; of != nil {
				require.Equal(t, tick, of.Tick)
			}
		})
	}
}

// What the A/A series of a contestant differ by is no difference.
func TestWhatAAShowsIsNoDifference(t *testing.T) {
	d := ticking("hierwheel", gives{rundata.Tickless, ms, 0.002, 0.01}, gives{"5ms", 6 * ms, 0.004, 0.01})
	require.InDelta(t, judge.Imperceptible, newView(d, Options{}).sameIdle("hierwheel"), 1e-9)
	d.Series = append(d.Series, ticking("hierwheel"+rundata.AASuffix, gives{rundata.Tickless, 0, 0.005, 0.01}).Series[0])
	require.InDelta(t, 0.003, newView(d, Options{}).sameIdle("hierwheel"), 0.0002)
}
