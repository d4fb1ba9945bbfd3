package report

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"schedbench/harness/rundata"
)

// measuredAgain is the full data with a second measurement of one contestant wherever it
// was measured.
func measuredAgain() *rundata.Data {
	d := fullData()
	for _, s := range d.Select("", "impl=hierwheel") {
		other := *s
		other.Params = slices.Clone(s.Params)
		for i, p := range other.Params {
			if p.Key == "impl" {
				other.Params[i].Value += rundata.AASuffix
			}
		}
		if len(d.Select(s.Experiment, append(cellOf(s), "impl=hierwheel"+rundata.AASuffix)...)) == 0 {
			d.Series = append(d.Series, &other)
		}
	}
	return d
}

func TestSecondMeasurementsAreNoContenders(t *testing.T) {
	d := measuredAgain()
	v := newView(d, Options{})
	for _, f := range v.figures() {
		var c recorder.Canvas
		f.Draw(draw.NewCanvas(&c, f.Width, f.Height))
		for _, a := range c.Actions {
			if s, ok := a.(*recorder.FillString); ok {
				require.NotContains(t, s.String, rundata.AASuffix, "on the chart %s", f.Name)
			}
		}
	}
	for _, q := range questions() {
		if q.tables == nil {
			continue
		}
		for _, table := range q.tables(v) {
			for _, name := range firstWords(t, table) {
				require.NotContains(t, name, rundata.AASuffix, table.Title)
			}
		}
	}
	for _, line := range Verdict(d, Options{}) {
		require.NotContains(t, line, rundata.AASuffix)
	}
}
