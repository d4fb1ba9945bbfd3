package report

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/harness"
	"schedbench/internal/words"
)

// madeTail is how long calls of somebody take in made-up data: the slowest of 10,000, in
// nanoseconds.
type madeTail struct {
	impl, op string
	pending  int
	holding  string
	calls    int
	ns       float64
}

// tail makes up blocks of calls, of which the figures scatter.
func (g *synthetic) tail(m madeTail, scatter float64) {
	params := fmt.Sprintf("op=%s impl=%s pending=%d", m.op, m.impl, m.pending)
	if m.holding != "" {
		params += " holding=" + m.holding
	}
	s := g.series(harness.Tails, params, nil)
	for i := range s.Iterations {
		s.Iterations[i] = m.calls
		ns := m.ns * math.Exp(scatter*g.rng.NormFloat64())
		for unit, share := range map[string]float64{harness.P50Took: 0.01, harness.P99Took: 0.05, harness.P999Took: 0.2, harness.P9999Took: 1, harness.MaxTook: 20} {
			s.Values[unit] = append(s.Values[unit], share*ns)
		}
		s.Values[harness.Collections] = append(s.Values[harness.Collections], 1)
	}
	s.Took, s.Collecting = hdrhistogram.New(1, 60e9, 2), hdrhistogram.New(1, 60e9, 2)
	_ = s.Took.RecordValues(int64(m.ns/2), 3*int64(m.calls)/4)
	_ = s.Collecting.RecordValues(int64(m.ns), int64(m.calls)/4)
	for _, phase := range []string{"grow", "shrink"} {
		g.series(harness.Tails, params+" during="+phase, map[string]float64{harness.P9999Took: m.ns, harness.MaxTook: 3 * m.ns})
	}
}

// tails makes up calls of some contestants that take so many times as long as others, by
// name, and of the clock.
func (g *synthetic) tails(pending, calls int, scatter float64, takes map[string]float64) {
	of := func(holding string, ops []string, names ...string) {
		for _, op := range ops {
			for _, name := range append(names, catalog.Hier, catalog.Hier+harness.AgainSuffix) {
				by, special := takes[name]
				if !special {
					by = 1
				}
				g.tail(madeTail{name, op, pending, holding, calls, 5e3 * by}, scatter)
			}
			g.tail(madeTail{harness.ClockControl, op, pending, holding, calls, 500}, scatter)
			if pending > 100_000 {
				g.tail(madeTail{harness.MemoryControl, op, pending, holding, calls, 30_000}, scatter)
			}
		}
	}
	of("", harness.Calls(), catalog.Heap, catalog.Rounds, catalog.ContainerHeap)
	of(harness.HoldingFunctions, harness.Calls()[:3], catalog.RuntimeTimer)
}

// saidOfTails are the lines of a verdict that are about single calls.
func saidOfTails(lines []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return !strings.Contains(l, "10,000") }), "\n")
}

func TestSingleCallsAreToldApart(t *testing.T) {
	g := newSynthetic(8)
	g.tails(100_000, 20_000, 0.1, map[string]float64{catalog.ContainerHeap: 10, catalog.RuntimeTimer: 4, catalog.Heap: 0.5})
	lines := Verdict(g.data, Options{}).Lines
	said(t, lines, "The slowest of 10,000 single calls with 100k pending: heapsched leads in Schedule, Cancel, Reset and Expire, and the next (")
	said(t, lines, "The slowest of 10,000 single calls with 100k timers on the real clock: hierwheel leads in AfterFunc, Stop and Reset, and the next (time.AfterFunc) takes ")
	said(t, lines, "So long is the slowest of 10,000 single calls with 100k pending, at best and at worst, as far as they are told apart: Schedule 2.",
		" µs with heapsched and ", " µs with container-heap; Cancel 2.", "; of two readings of the clock with nothing between them 5")
}

// What the machine needs to touch as much memory is said where it was measured.
func TestMemoryStandsBesideSingleCallsOfMany(t *testing.T) {
	for pending, there := range map[int]bool{100_000: false, 1_000_000: true} {
		g := newSynthetic(8)
		g.tails(pending, 20_000, 0.1, map[string]float64{catalog.ContainerHeap: 10})
		if lines := Verdict(g.data, Options{}).Lines; there {
			said(t, lines, "; with one cell of as much memory touched between them 3")
		} else {
			silent(t, lines, "memory touched")
		}
	}
}

func TestSingleCallsThatAreAlikeAreNotToldApart(t *testing.T) {
	g := newSynthetic(8)
	g.tails(100_000, 20_000, 0.02, nil)
	lines := Verdict(g.data, Options{}).Lines
	require.NotRegexp(t, leadsIn, saidOfTails(lines))
	silent(t, lines, "So long is the slowest")
	said(t, lines, "The slowest of 10,000 single calls with 100k pending: ", " are within 10 % of it, in Expire")
}

// Of 9,999 calls the slowest of 10,000 is none.
func TestFewCallsTellNothing(t *testing.T) {
	g := newSynthetic(8)
	g.tails(1_000, 9_999, 0.1, map[string]float64{catalog.ContainerHeap: 10})
	require.Empty(t, saidOfTails(Verdict(g.data, Options{}).Lines))
}

// Whoever differs from itself by as much tells nothing.
func TestTailsAreToldBeyondNoise(t *testing.T) {
	g := newSynthetic(8)
	g.tails(100_000, 20_000, 0.05, map[string]float64{catalog.ContainerHeap: 3, catalog.RuntimeTimer: 3, catalog.Hier + harness.AgainSuffix: 4})
	lines := Verdict(g.data, Options{}).Lines
	require.NotRegexp(t, leadsIn, saidOfTails(lines))
	silent(t, lines, "So long is the slowest")
}

// leadsIn reads that somebody is said to lead.
var leadsIn = regexp.MustCompile(`(wheel|heap|heapsched|AfterFunc) leads in`)

// soLong reads who is said to be how slow.
var soLong = regexp.MustCompile(`([A-Z]\w+) [\d.]+ [nµm]?s with ([\w.-]+) and [\d.]+ [nµm]?s with ([\w.-]+)`)

// Sentences about single calls are held to the truth: figures of tails scatter, and now and
// then a block is stalled.
func TestTrialOfTails(t *testing.T) {
	draws := 300
	if testing.Short() {
		draws = 60
	}
	for _, c := range []struct {
		takes   map[string]float64
		scatter float64
		seen    float64 // in how many verdicts at least it is said of every call
	}{
		{nil, 0.1, 0}, {nil, 0.4, 0},
		{map[string]float64{catalog.ContainerHeap: 10}, 0.4, 0.8},
		{map[string]float64{catalog.ContainerHeap: 3, catalog.Heap: 1.5}, 0.1, 0.95},
	} {
		wrong, told := map[string]int{}, 0 // by kind of sentence, and in how many verdicts enough is said
		g := newSynthetic(8)
		for range draws {
			g.data.Series = nil
			g.tails(100_000, 20_000, c.scatter, c.takes)
			of := func(name string) float64 {
				if by, special := c.takes[name]; special {
					return by
				}
				return 1
			}
			all := 0
			for _, l := range Verdict(g.data, Options{}).Lines {
				if !strings.HasPrefix(l, "So long is ") {
					continue
				}
				said := soLong.FindAllStringSubmatch(l, -1)
				all += len(said)
				if slices.ContainsFunc(said, func(m []string) bool { return of(m[2]) >= of(m[3]) }) {
					kind, _, _ := strings.Cut(l, ", at best")
					wrong[kind]++
				}
			}
			if all >= 4 {
				told++
			}
		}
		for kind, n := range wrong {
			require.LessOrEqual(t, float64(n)/float64(draws), tolerated(draws), "%s: %v, scatter %v", kind, c.takes, c.scatter)
		}
		t.Logf("false, %v, scatter %v: %v of %d", c.takes, c.scatter, wrong, draws)
		require.GreaterOrEqual(t, float64(told)/float64(draws), c.seen, "%v, scatter %v", c.takes, c.scatter)
	}
}

func TestTablesOfSingleCalls(t *testing.T) {
	g := newSynthetic(8)
	g.tails(100_000, 20_000, 0.01, map[string]float64{catalog.ContainerHeap: 10})
	var b strings.Builder
	require.NoError(t, Tables(&b, g.data, Options{}))
	for _, title := range []string{
		"Single calls of bare schedulers\n", "Single calls of timers on the real clock\n",
		"Single calls of bare schedulers, 99.99 % and the worst, by what happens to the timers\n",
	} {
		require.Contains(t, b.String(), title)
	}
	for _, form := range []string{
		`Schedule +heapsched +100k +160k .* 8 +25\.0 % +2\.5\d? µs +2\.5\d? µs`,
		`AfterFunc +time\.AfterFunc +100k`, `Expire +clock +100k`,
		`Cancel +container-heap +100k +[45]\d\.\d µs / 15\d µs +[45]\d\.\d µs / 15\d µs`,
	} {
		require.Regexp(t, form, b.String())
	}
	require.NotContains(t, b.String(), harness.AgainSuffix)
}

func TestTheWorstCallIsOfAllBlocks(t *testing.T) {
	g := newSynthetic(3)
	g.given(harness.Tails, "op=cancel impl=hierwheel pending=100000", harness.MaxTook, 1e3, 9e6, 2e3)
	s := g.data.Series[0]
	require.Equal(t, 9e6, worstCall(s))
	require.Equal(t, "9 ms", words.Time(worstCall(s)))
	v := newView(g.data, Options{})
	p := v.tailPanel(tailKinds[0], harness.CallCancel, 100_000)
	points := p.Lines[0].Points
	require.Equal(t, 9e6, points[len(points)-1].Y)
}
