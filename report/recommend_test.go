package report

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"schedbench/harness"
)

// gives are what the ticks of a made-up contestant give, exactly.
type gives struct {
	waking string
	p99    time.Duration
	share  float64
}

func ticking(impl string, all ...gives) *harness.Data {
	g := newSynthetic(8)
	g.noise = 0
	for _, give := range all {
		if give.p99 > 0 {
			g.series(harness.Jitter, fmt.Sprintf("impl=%s waking=%s rate=100", impl, give.waking),
				map[string]float64{harness.P99Late: float64(give.p99)})
		}
		if give.share >= 0 {
			g.series(harness.Idle, fmt.Sprintf("impl=%s waking=%s pending=1000", impl, give.waking),
				map[string]float64{harness.CPUPerSecond: 1e9*give.share + 1e6})
		}
	}
	g.series(harness.Idle, "impl=process waking=none pending=1000", map[string]float64{harness.CPUPerSecond: 1e6})
	return g.data
}

const ms = time.Millisecond

var usual = []gives{
	{harness.Tickless, 1 * ms, 0.05}, {"1ms", 2 * ms, 0.031}, {"5ms", 6 * ms, 0.004}, {"10ms", 11 * ms, 0.002}, {"100ms", 101 * ms, 0.0001},
}

func TestRecommendation(t *testing.T) {
	better := append([]gives{{harness.Tickless, 1 * ms, 0}}, usual[1:]...)
	for _, c := range []struct {
		name           string
		data           *harness.Data
		req            Requirement
		waking         string
		feasible, free bool
		words          []string
	}{
		{"the least CPU that is in time", ticking("hierwheel", usual...), Requirement{10 * ms, 0.01}, "5ms", true, false,
			[]string{"Tick for hierwheel: 5ms", "p99 6 ms (at most 10 ms allowed)", "0.4 % (at most 1 % allowed)",
				"10ms gives p99 11 ms, 1 ms too late", "1ms gives p99 2 ms, and idle CPU 3.1 %, more than allowed", "Tickless gives p99 1 ms"}},
		{"tickless is better", ticking("hierwheel", better...), Requirement{10 * ms, 0.01}, "5ms", true, true,
			[]string{"meets the requirement for less, so take it unless something needs a tick"}},
		{"lateness binds", ticking("hierwheel", usual[1:]...), Requirement{1 * ms, 0.01}, "", false, false,
			[]string{"No measured tick", "lateness binds: at most 1 ms", "nearest is 2 ms at 1ms"}},
		{"CPU binds", ticking("hierwheel", usual[1:]...), Requirement{time.Second, 0.00001}, "", false, false,
			[]string{"idle CPU binds: at most 0.001 %", "nearest is 0.01 % at 100ms"}},
		{"both bind", ticking("hierwheel", usual...), Requirement{5 * ms, 0.01}, "", false, false,
			[]string{"not both at once", "1ms gives p99 2 ms, and idle CPU 3.1 %", "5ms gives p99 6 ms, 1 ms too late"}},
		{"only tickless", ticking("hierwheel", better...), Requirement{5 * ms, 0.01}, harness.Tickless, true, false,
			[]string{"not both at once", "Tickless gives", "so take it"}},
		{"any other wheel", ticking("roundswheel", usual...), Requirement{P99: 10 * ms}, "5ms", true, false,
			[]string{"Tick for roundswheel: 5ms"}},
		{"only the CPU matters", ticking("hierwheel", usual...), Requirement{CPUShare: 0.01}, "100ms", true, false, nil},
		{"no requirement", ticking("hierwheel", usual...), Requirement{}, "", false, false, []string{"No requirement"}},
		{"no ticks", ticking("hierwheel", usual[0]), Requirement{P99: ms}, "", false, false, []string{"No contestant was measured with a tick"}},
		{"lateness not measured", ticking("hierwheel", gives{"5ms", 0, 0.01}), Requirement{P99: ms}, "", false, false,
			[]string{"Lateness was not measured"}},
		{"CPU not measured", ticking("hierwheel", gives{"5ms", ms, -1}, gives{"10ms", 2 * ms, -1}), Requirement{P99: 3 * ms}, "10ms", true, false, nil},
		{"nothing", nil, Requirement{P99: ms}, "", false, false, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Verdict(c.data, Options{Requirement: c.req}).Recommendation
			if r.Waking != c.waking || r.Feasible != c.feasible || r.TicklessBetter != c.free {
				t.Errorf("got %q, feasible %v, tickless better %v: %s", r.Waking, r.Feasible, r.TicklessBetter, r.Reason)
			}
			if tick, _ := time.ParseDuration(c.waking); r.Tick != tick {
				t.Errorf("tick %v", r.Tick)
			}
			for _, w := range c.words {
				if !strings.Contains(r.Reason, w) {
					t.Errorf("%q is not in: %s", w, r.Reason)
				}
			}
		})
	}
}

// The upper end of the interval decides, not the median.
func TestRecommendationAllowsForTheInterval(t *testing.T) {
	d := ticking("hierwheel", usual...)
	for _, s := range d.Select(harness.Jitter, "waking=5ms") {
		copy(s.Values[harness.P99Late], []float64{12e6, 12e6})
	}
	if r := Verdict(d, Options{Requirement: Requirement{P99: 10 * ms}}).Recommendation; r.Waking != "1ms" {
		t.Errorf("got %q: %s", r.Waking, r.Reason)
	}
}
