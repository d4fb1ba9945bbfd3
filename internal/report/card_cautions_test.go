package report

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/harness/rundata"
)

// trusting returns the cautions of a run with something about it, as one text.
func trusting(change func(*rundata.Data)) (grave, others string) {
	d := wins(ahead(3, catalog.Heap))
	d.Env["cpus"] = "4"
	d.SystemLoad = []rundata.SystemLoad{{Block: "a", Took: 10 * time.Second, Load: 1.5, Stolen: 0, Others: 0.01}, {Block: "b", Took: 30 * time.Second, Load: 2, Stolen: 0, Others: 0.01}}
	change(d)
	c := NewCard(d, required)
	return paragraph(c, "DO NOT TRUST"), paragraph(c, "CAUTION")
}

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
		"older data": {func(d *rundata.Data) {
			for i := range d.SystemLoad {
				d.SystemLoad[i].Others, d.SystemLoad[i].Load = -1, 7.5
			}
		}, "", "7.5 threads wanted one of 4 processors when a cell began (median)"},
		"a battery":          {func(d *rundata.Data) { d.SystemLoad[0].Battery = true }, "", "the machine ran on its battery"},
		"a quota":            {func(d *rundata.Data) { d.Env["cgroup-cpu-max"] = "150000 100000" }, "", "a quota leaves the run the time of 1.5 of 4 processors (cgroup)"},
		"a quota of all":     {func(d *rundata.Data) { d.Env["cgroup-cpu-max"] = "400000 100000" }, "", ""},
		"a part":             {func(d *rundata.Data) { d.Complete, d.Missing = false, []string{"a"} }, "", "the run is not complete: 1 cell is missing"},
		"nothing is known":   {func(d *rundata.Data) { d.SystemLoad, d.Env["cpus"] = nil, "" }, "", ""},
		"two things at once": {func(d *rundata.Data) { d.SystemLoad[0].Battery, d.Complete = true, false }, "", "the machine ran on its battery; the run is not complete: some of it is missing"},
	} {
		grave, others := trusting(c.change)
		require.Equal(t, []string{c.grave, c.others}, []string{grave, others}, name)
	}
}

// What differs from itself in too many places is not to be trusted, and what does by chance is.
func TestHowOftenAContestantDiffersFromItself(t *testing.T) {
	places := func(apart int) *rundata.Data {
		g := newSynthetic(0)
		for i := range 20 {
			by := 1.0
			if i < apart {
				by = 1.3
			}
			g.inserted(1000*(i+1), map[string][]float64{catalog.Hier: heap, catalog.Hier + rundata.AASuffix: scaled(by, nearly(heap)...), catalog.Heap: scaled(2, heap...)})
		}
		return g.data
	}
	for apart, want := range map[int][2]string{
		1: {}, 4: {},
		5: {"", "measured twice, a contestant differs from itself in 5 of 20 places, where 1 are to be expected"},
		9: {"measured twice, a contestant differs from itself in 9 of 20 places, where 1 are to be expected", ""},
	} {
		c := NewCard(places(apart), Options{})
		grave, others := paragraph(c, "DO NOT TRUST"), paragraph(c, "CAUTION")
		require.Equal(t, want, [2]string{grave, others}, "%d apart", apart)
	}
}

// nearly returns figures that scatter a little more, about the same mean.
func nearly(figures []float64) (near []float64) {
	for i, v := range figures {
		near = append(near, v*math.Exp(0.001*float64(1-2*(i%2))))
	}
	return near
}

// The figure of the first line is significant in half of the comparisons.
func TestWhatARunResolves(t *testing.T) {
	for scatter, most := range map[float64]float64{0.001: 0.01, 0.05: 0.3} {
		quiet := newMadeRun(equal, disturbance{layout: everywhere(scatter)}, defaultCells(), 3).draw()
		r := float64(NewCard(quiet, Options{}).Run.Resolves)
		require.Greater(t, r, scatter/2)
		require.Less(t, r, most)
		// A difference of twice as much is significant in most comparisons, one of a quarter in few.
		for by, wanted := range map[float64]bool{1 + 2*r: true, 1 + r/4: false} {
			d := newMadeRun(ahead(by, catalog.Heap), disturbance{layout: everywhere(scatter)}, defaultCells(), 3).draw()
			n := newView(d, Options{Margin: 1.000001}).tally()
			require.Equal(t, wanted, n.different > n.unclear, "%g times, where %g is significant: %+v", by, r, n)
		}
	}
}
