package report

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"

	"gonum.org/v1/plot/vg/draw"

	"schedbench/catalog"
	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/lists"
	"schedbench/internal/report/card"
	"schedbench/internal/report/chart"
)

// Report is a run with all its comparisons decided, as charts, tables and the verdict ask for it.
type Report struct {
	data *rundata.Data
	// names are the contestants, in the order in which they are shown.
	names    []string
	wrong    []card.Wrong // those whose answers were wrong
	styles   map[string]chart.Style
	chapters []chapter
	measures []measure // all that have something to compare
	opt      Options
}

// Judge decides all comparisons of a run. Any part of the data may be missing, or all.
func Judge(d *rundata.Data, opt Options) *Report {
	if d == nil {
		d = &rundata.Data{}
	}
	names := contestants(d)
	v := &Report{data: d, names: names, wrong: wrongAnswers(d, names), styles: stylesOf(names, besides(d, names)), opt: opt}
	v.chapters = v.allChapters()
	for i, q := range v.chapters {
		decided := lists.Each(ask(q.measures, v), v.decide)
		v.chapters[i].decided = decided
		v.measures = append(v.measures, lists.Only(decided, func(t measure) bool { return len(t.names()) > 1 })...)
	}
	return v
}

// ask returns what a chapter has of something, where it has a function for that.
func ask[T any](of func(*Report) []T, v *Report) []T {
	if of == nil {
		return nil
	}
	return of(v)
}

// one returns the first series that has the parameters, or nil.
func (v *Report) one(experiment string, params ...string) *rundata.Series {
	return first(v.data.Select(experiment), params...)
}

// first returns the first of some series that has the parameters, or nil.
func first(series []*rundata.Series, params ...string) *rundata.Series {
	d := rundata.Data{Series: series}
	if found := d.Select("", params...); len(found) > 0 {
		return found[0]
	}
	return nil
}

// samples returns the samples of a unit; a missing series has none.
func samples(s *rundata.Series, unit string) []float64 {
	if s == nil {
		return nil
	}
	return s.Values[unit]
}

// summarize is judge.SummarizeFinite, which is said often.
func summarize(values []float64) judge.Summary { return judge.SummarizeFinite(values) }

func summary(s *rundata.Series, unit string) judge.Summary { return summarize(s.Blocks(unit)) }

func total(s *rundata.Series, unit string) float64 {
	var sum float64
	for _, v := range samples(s, unit) {
		if !math.IsNaN(v) {
			sum += v
		}
	}
	return sum
}

// byPrevalence returns the values of a parameter, the one first that most of the series have.
func byPrevalence(series []*rundata.Series, key string) []string {
	often := map[string]int{}
	for _, s := range series {
		often[s.Get(key)]++
	}
	values := rundata.Distinct(series, key)
	slices.SortStableFunc(values, func(a, b string) int { return cmp.Compare(often[b], often[a]) })
	return values
}

// prevalent returns the value of a parameter that most of the series have, "" if none has it.
func prevalent(series []*rundata.Series, key string) string {
	return cmp.Or(byPrevalence(series, key)...)
}

// last returns the last of some values, "" if there are none.
func last(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[len(values)-1]
}

// including appends to a list the values that it lacks.
func including(list []string, values ...string) []string {
	for _, v := range values {
		if !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

// ordered returns series sorted by the values of keys: numbers and durations ascending, others in the order of the data. Where all
// keys agree, series come in the order of the charts, controls last. It leaves out A/A.
func (v *Report) ordered(series []*rundata.Series, keys ...string) []*rundata.Series {
	series = lists.Only(series, func(s *rundata.Series) bool { return !isAA(s.Get("impl")) })
	values := lists.Each(keys, func(key string) []string { return rundata.Distinct(series, key) })
	return slices.SortedStableFunc(slices.Values(series), func(a, b *rundata.Series) int {
		for i, key := range keys {
			a, b := a.Get(key), b.Get(key)
			if c := cmp.Or(cmp.Compare(coordinate(a), coordinate(b)), cmp.Compare(slices.Index(values[i], a), slices.Index(values[i], b))); c != 0 {
				return c
			}
		}
		return placeIn(v.names, a.Get("impl")) - placeIn(v.names, b.Get("impl"))
	})
}

// placeIn returns the place of a name in a list, after all others if it is not there.
func placeIn(list []string, name string) int {
	if i := slices.Index(list, name); i >= 0 {
		return i
	}
	return len(list)
}

// share returns the blocks of the CPU time of the process as shares of one core.
func share(s *rundata.Series) []float64 { return shareIn(s, rundata.CPUPerSecond) }

// shareIn returns the blocks of CPU time for each second as shares of one core.
func shareIn(s *rundata.Series, unit string) []float64 { return inSeconds(s.Blocks(unit)) }

// standing are styles of contestants of every run; others have one of the reserve. The colours are Okabe
// and Ito's, which readers with any colour vision distinguish; greys are for baselines.
var standing = map[string]chart.Style{
	catalog.Heap:          {Colour: chart.RGB(0xD55E00), Glyph: draw.PyramidGlyph{}},
	catalog.List:          {Colour: chart.RGB(0xE69F00), Glyph: draw.CrossGlyph{}, Dashes: chart.Dash(5, 2)},
	catalog.Single:        {Colour: chart.RGB(0x009E73), Glyph: draw.SquareGlyph{}, Dashes: chart.Dash(8, 2)},
	catalog.Rounds:        {Colour: chart.RGB(0xCC79A7), Glyph: draw.BoxGlyph{}, Dashes: chart.Dash(6, 2, 1.5, 2)},
	catalog.Hier:          {Colour: chart.RGB(0x0072B2), Glyph: draw.CircleGlyph{}},
	catalog.FIFO:          {Colour: chart.RGB(0x882255), Glyph: draw.RingGlyph{}, Dashes: chart.Dash(10, 3)},
	catalog.ContainerHeap: {Colour: chart.RGB(0xA8A8A8), Glyph: draw.TriangleGlyph{}, Dashes: chart.Dash(3, 3)},
	catalog.RuntimeTimer:  {Colour: chart.RGB(0x707070), Glyph: draw.RingGlyph{}},
	rundata.SleepControl:  {Colour: chart.RGB(0x909090), Glyph: draw.PlusGlyph{}, Dashes: chart.Dash(1.5, 2.5)},
}

// baseline reports whether a name is of something measured for comparison only.
func baseline(name string) bool {
	return name == catalog.RuntimeTimer || name == catalog.ContainerHeap || name == rundata.SleepControl
}

func control(name string) bool { return slices.Contains(rundata.Controls(), name) }

// contestants returns the names of all measured but controls and A/A series, in the order in which they are shown.
func contestants(d *rundata.Data) []string {
	seen := rundata.Distinct(d.Series, "impl")
	own := lists.Only(seen, func(name string) bool { return !control(name) && !isAA(name) && !standard(name) })
	last := []string{catalog.ContainerHeap, catalog.RuntimeTimer, rundata.SleepControl}
	return lists.Only(slices.Concat(schedulers(), own, last), func(name string) bool { return slices.Contains(seen, name) })
}

// schedulers are the contestants of every run, in the order in which they are shown.
var schedulers = sync.OnceValue(func() []string {
	return lists.Each(catalog.Contestants(), func(c harness.Contestant) string { return c.Name })
})

func standard(name string) bool { return baseline(name) || slices.Contains(schedulers(), name) }

// stylesOf returns the style of each name: its standing style, or the next of the reserve. A contestant that is drawn
// beside another (see besides) has that one's colour, with rings and dashes.
func stylesOf(names []string, beside map[string]string) map[string]chart.Style {
	given, spare := map[string]chart.Style{}, 0
	for _, name := range names {
		if given[name] = standing[name]; given[name].Glyph == nil && beside[name] == "" {
			given[name] = chart.Reserve[spare%len(chart.Reserve)]
			spare++
		}
	}
	for name, other := range beside {
		given[name] = chart.Style{Colour: given[other].Colour, Glyph: chart.Ring{}, Dashes: chart.Dash(2, 2)}
	}
	return given
}

// besides maps each contestant that shares the colour of another to that one: originals to presets.
func besides(d *rundata.Data, names []string) map[string]string {
	found := map[string]string{}
	for pair := range strings.FieldsSeq(d.Env[rundata.BesideKey]) {
		if name, other, _ := strings.Cut(pair, "="); slices.Contains(names, name) && slices.Contains(names, other) {
			found[name] = other
		}
	}
	return found
}

// isAA reports whether a name is that of an A/A series: a contestant measured a second time.
func isAA(name string) bool { return strings.HasSuffix(name, rundata.AASuffix) }
