package report

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/report/card"
)

func TestARunThatIsNotWorthTrustingSaysSo(t *testing.T) {
	for name, c := range map[string]struct {
		change        func(*rundata.Data)
		grave, others string
	}{
		"a quiet run":           {func(*rundata.Data) {}, "", ""},
		"a slow build":          {func(d *rundata.Data) { d.Env["slowed-by"] = "race detector, no optimization" }, "the program was built with: race detector, no optimization", ""},
		"others":                {func(d *rundata.Data) { d.SystemLoad[1].Others = 0.05 }, "", "other processes took 4 % of the processors' time"},
		"many others":           {func(d *rundata.Data) { d.SystemLoad[1].Others = 0.5 }, "other processes took 37.8 % of the processors' time", ""},
		"a host that takes":     {func(d *rundata.Data) { d.SystemLoad[1].Stolen, d.SystemLoad[1].Others = 6*time.Second, 0.06 }, "", "the host gave 3.75 % of the processors' time to others"},
		"a host that takes all": {func(d *rundata.Data) { d.SystemLoad[1].Stolen = 60 * time.Second }, "the host gave 37.5 % of the processors' time to others", ""},
		"a battery":             {func(d *rundata.Data) { d.SystemLoad[0].Battery = true }, "", "the machine ran on its battery"},
		"a quota":               {func(d *rundata.Data) { d.Env["cgroup-cpu-max"] = "150000 100000" }, "", "a quota leaves the run the time of 1.5 of 4 processors (cgroup)"},
		"a quota of all":        {func(d *rundata.Data) { d.Env["cgroup-cpu-max"] = "400000 100000" }, "", ""},
		"a part":                {func(d *rundata.Data) { d.Complete, d.Missing = false, []string{"a"} }, "", "the run is not complete: 1 cell is missing"},
		"nothing is known":      {func(d *rundata.Data) { d.SystemLoad, d.Env["cpus"] = nil, "" }, "", ""},
		"two things at once":    {func(d *rundata.Data) { d.SystemLoad[0].Battery, d.Complete = true, false }, "", "the machine ran on its battery; the run is not complete: some of it is missing"},
	} {
		d := wins(ahead(3, catalog.Heap))
		d.Env["cpus"] = "4"
		d.SystemLoad = []rundata.SystemLoad{{Took: 10 * time.Second, Others: 0.01}, {Took: 30 * time.Second, Others: 0.01}}
		c.change(d)
		made := Judge(d, required).Card()
		require.Equal(t, []string{c.grave, c.others}, []string{paragraph(made, "DO NOT TRUST"), paragraph(made, "CAUTION")}, name)
	}
}

// What differs from itself in too many cells is not to be trusted, and what does by chance is.
func TestHowOftenAContestantDiffersFromItself(t *testing.T) {
	cells := func(apart int) *rundata.Data {
		g := newSynthetic(0)
		for i := range 20 {
			by := 1.0
			if i < apart {
				by = 1.3
			}
			g.inserted(1000*(i+1), map[string][]float64{catalog.Hier: heap, catalog.Hier + rundata.AASuffix: scaled(by, uneven(0.001, heap)...), catalog.Heap: scaled(2, heap...)})
		}
		return g.data
	}
	for apart, want := range map[int][2]string{
		1: {}, 4: {},
		5: {"", "A/A differs in 5 of 20 cells; by chance 1 would"},
		9: {"A/A differs in 9 of 20 cells; by chance 1 would", ""},
	} {
		c := Judge(cells(apart), Options{}).Card()
		grave, others := paragraph(c, "DO NOT TRUST"), paragraph(c, "CAUTION")
		require.Equal(t, want, [2]string{grave, others}, "%d apart", apart)
	}
}

// uneven returns figures that scatter more, about the same mean.
func uneven(by float64, figures []float64) (scattered []float64) {
	for i, v := range figures {
		scattered = append(scattered, v*math.Exp(by*float64(1-2*(i%2))))
	}
	return scattered
}

// The figure of the first line is significant in half of the comparisons.
func TestWhatARunResolves(t *testing.T) {
	for scatter, most := range map[float64]float64{0.001: 0.01, 0.05: 0.3} {
		quiet := newMadeRun(equal, disturbance{layout: everywhere(scatter)}, defaultCells(), 3).draw()
		r := float64(Judge(quiet, Options{}).Card().Run.Resolves)
		require.Greater(t, r, scatter/2)
		require.Less(t, r, most)
		// A difference of twice as much is significant in most comparisons, one of a quarter in few.
		for by, wanted := range map[float64]bool{1 + 2*r: true, 1 + r/4: false} {
			d := newMadeRun(ahead(by, catalog.Heap), disturbance{layout: everywhere(scatter)}, defaultCells(), 3).draw()
			n := Judge(d, Options{Margin: 1.000001}).tally()
			require.Equal(t, wanted, n.different > n.unclear, "%g times, where %g is significant: %+v", by, r, n)
		}
	}
}

// watched makes up a run in which timers of hierwheel, of its A/A series, of a control and of
// no other's were watched, and hierwheel is the fastest.
func watched() (d *rundata.Data, of func(impl string) *rundata.Series) {
	d = wins(ahead(3, catalog.Hier))
	g := newSynthetic(6)
	found := map[string]*rundata.Series{}
	for _, impl := range []string{catalog.Hier, catalog.Hier + rundata.AASuffix, catalog.Heap, rundata.ClockControl} {
		found[impl] = g.jitter(impl, rundata.Tickless, 0)
	}
	d.Series = append(d.Series, g.data.Series...)
	return d, func(impl string) *rundata.Series { return found[impl] }
}

// What an A/A series gets wrong is wrong of its contestant, on every line of the card.
func TestWhatAnAASeriesGetsWrongCounts(t *testing.T) {
	for unit, did := range map[string]string{
		rundata.Lost: "lost 3 timers", rundata.Early: "fired 3 timers early", rundata.Doubled: "fired 3 timers twice",
	} {
		d, of := watched()
		sound := cardText(t, Judge(d, Options{}).Card())
		has(t, sound, "TAKE          hierwheel", "timers fired once and not early")
		lacks(t, sound, "WRONG")
		require.NoError(t, Judge(d, Options{}).WrongAnswers())

		of(catalog.Hier + rundata.AASuffix).Values[unit][2] = 3
		wrong := cardText(t, Judge(d, Options{}).Card())
		has(t, wrong, "WRONG         hierwheel "+did+": do not take it")
		lacks(t, wrong, "TAKE          hierwheel", "fired once")
		require.EqualError(t, Judge(d, Options{}).WrongAnswers(), "answers were wrong: hierwheel "+did)

		of(catalog.Hier).Values[unit][0] = 2
		of(catalog.Heap).Values[rundata.Lost][0] = 1
		require.ErrorContains(t, Judge(d, Options{}).WrongAnswers(), "timer")
		require.Len(t, Judge(d, Options{}).Card().Wrong, 2, "hierwheel and its A/A series are one")
	}
}

// What is lost of a control makes the run worthless, and no contestant.
func TestWhatAControlGetsWrongCounts(t *testing.T) {
	d, of := watched()
	of(rundata.ClockControl).Values[rundata.Lost][1] = 1
	said := cardText(t, Judge(d, Options{}).Card())
	has(t, said, "WRONG         the control "+rundata.ClockControl+" lost 1 timer: do not trust this run", "TAKE          hierwheel")
	lacks(t, said, "fired once")
	require.ErrorContains(t, Judge(d, Options{}).WrongAnswers(), rundata.ClockControl+" lost 1 timer")
}

func TestAWrongReplayOfAnAASeriesCounts(t *testing.T) {
	d := replayData()
	for range 2 {
		s := newSynthetic(6).given(rundata.Profiles, "profile=heartbeat impl=hierwheel"+rundata.AASuffix+" tick=1ms", rundata.NsPerOp, heap...)
		s.Note = rundata.Wrong + ": it fired a timer that was cancelled"
		d.Series = append(d.Series, s)
	}
	require.EqualError(t, Judge(d, Options{}).WrongAnswers(), "answers were wrong: hierwheel gave other answers than the model in heartbeat")
}

// A card that has no room for all that was wrong does not say that all was right.
func TestNoRoomIsNoProof(t *testing.T) {
	d, of := watched()
	of(catalog.Heap).Values[rundata.Lost][0] = 1
	c := Judge(d, Options{}).Card()
	replay := card.Wrong{Name: "x", Replays: []string{"heartbeat"}}
	c.Wrong = append(slices.Repeat([]card.Wrong{replay}, card.Lines), c.Wrong...)
	require.NotContains(t, cardText(t, c), "fired once")
}

func TestWhatIsEarlyByDesignIsSaid(t *testing.T) {
	g := newSynthetic(6)
	g.jitters(catalog.Hier)
	require.Regexp(t, `^every one of \S+ timers fired once and not early$`, Judge(g.data, Options{}).Card().Checked())

	s := g.jitter("jdk-timer", rundata.PresetWaking, 0)
	s.Values[rundata.EarlyByDesign] = make([]float64, len(s.Values[rundata.Fired]))
	s.Values[rundata.EarlyByDesign][0] = s.Values[rundata.Fired][0]
	card := Judge(g.data, Options{}).Card()
	require.Empty(t, card.Wrong)
	require.Contains(t, card.Checked(), "once and not early, except those that are early by design (jdk-timer)")

	s.Values[rundata.Early][0] = 1
	require.Len(t, Judge(g.data, Options{}).Card().Wrong, 1)
}

// scattered are figures that scatter too much to compare.
var scattered = []float64{50, 400, 90, 800, 20, 300}

// More processors than called at once are an open question, up to a usual number.
func TestMoreProcessorsAreNotAnswered(t *testing.T) {
	for _, c := range []struct {
		cpus       string
		goroutines int
		most       string
	}{
		{"2", 0, ""}, {"2", 1, "1 goroutine at once"}, {"2", 2, "2 processors, on a machine that has them"},
		{"2", 8, "2 processors, on a machine that has them"}, {"16", 4, "4 goroutines at once"}, {"8", 8, ""},
	} {
		g := newSynthetic(6)
		g.data.Env["cpus"] = c.cpus
		g.inserted(1000, map[string][]float64{catalog.Hier: heap, catalog.Heap: heap})
		if c.goroutines > 0 {
			g.given(rundata.Cost, fmt.Sprintf("op=%s impl=%s pending=1000 goroutines=%d", rundata.OpLivePair, catalog.Hier, c.goroutines), rundata.NsPerOp, heap...)
		}
		said := cardText(t, Judge(g.data, Options{}).Card())
		if c.most == "" {
			require.NotContains(t, said, "parallel")
			continue
		}
		require.Contains(t, said, "more than "+c.most+": bench --experiments parallel\n")
	}
}
