package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg/draw"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/lists"
	"schedbench/internal/quantile"
	"schedbench/internal/report/chart"
	"schedbench/internal/report/text"
	"schedbench/internal/words"
)

// latenessChapter is the whole distribution of lateness: of all contestants without ticks, of one contestant by tick,
// with delays so short that the worker has to be woken for them, and of known systems as they are.
var latenessChapter = chapter{
	section: howLate,
	figures: func(v *Report) []*chart.Figure {
		f := &chart.Figure{
			Name: "lateness-spectrum", Named: true, Alike: true,
			Title: "How late do timers fire?",
			Subtitle: "Lateness after the planned deadline, from the median to the latest timer, " + trimmed(v.data.Select(rundata.Jitter)) + "; " +
				"marks at 50 %, 90 %, 99 %, 99.9 % and so on" + atRate(v.rate()),
			Width: chart.Inches(10.6), Height: chart.Inches(5.6),
		}
		ticking := v.ticking()
		more := append(v.data.Select(rundata.Jitter, "waking="+rundata.PresetWaking), v.shortDelays()...)
		if ticking != "" && len(more) > 0 {
			f.Height = chart.Inches(9.4)
		}
		f.Rows = chart.InRows([]*chart.Panel{
			v.spectraAt("sleeping until due, and baselines", v.usually(), rundata.Tickless, rundata.RuntimeWaking, rundata.NoWaking),
			v.byTickPanel(ticking),
			v.spectraAt("sleeping until due, delays up to 5 ms", []string{"delays=" + rundata.ShortDelays}, rundata.Tickless, rundata.RuntimeWaking),
			v.spectraAt("known systems, each with a tick of its own", v.usually(), rundata.PresetWaking),
		}, 2)
		return []*chart.Figure{f}
	},
	tables: func(v *Report) []*text.Table {
		late := []column{contestant, param("waking", "waking"), param("rate", "rate"), late50, late90, late99, lateWorst}
		usual := tableOf("Lateness after the planned deadline, and whether every timer fired once and not early", 2,
			v.ordered(v.data.Select(rundata.Jitter, "waiting=", "delays=")), late, answers, []column{cpuShare, wakeups})
		short := tableOf("Lateness with delays up to 5 ms, each timer armed when it arrives", 2, v.shortDelays(), late,
			[]column{
				median("armed late by, 50 %", rundata.ArmedP50Late, words.Nanos), median("99 %", rundata.ArmedP99Late, words.Nanos),
				kicks, wakeups, cpuShare, {"CPU of arriving", func(s *rundata.Series) string {
					return within(summarize(shareIn(s, rundata.ArmingCPU)), words.Percent)
				}},
			}, answers)
		short.Notes = []string{"A kick wakes a driver's worker for a deadline that is earlier than those it sleeps for. " +
			"Lateness counts from the planned arrival plus the delay: it contains how late a timer was armed. " +
			"CPU of arriving is that of the thread that arms timers. It spins to be on time, and the CPU beside it leaves it out."}
		return []*text.Table{usual, short}
	},
	// Who is least late without ticks, by the 99th percentile.
	measures: func(v *Report) []measure {
		t := measure{name: "lateness without ticks, 99th percentile", group: "lateness", takes: "as long", where: "with %s", baseline: catalog.RuntimeTimer, votes: true,
			noticed: noticedLate}
		add := func(name string, series []*rundata.Series) {
			t.add(name, 0, v.tickless(), func(params []string) []float64 { return blocksOf(first(series, params...), rundata.P99Late) })
		}
		add("delays of 1 to 100 ms", v.data.Select(rundata.Jitter, v.usually()...))
		add("delays up to 5 ms", v.data.Select(rundata.Jitter, "delays="+rundata.ShortDelays))
		return []measure{t}
	},
}

// trimmed says what share of timers is not in the lateness: those that fired while the machine stalled.
func trimmed(series []*rundata.Series) string {
	held, fired := 0.0, 0.0
	for _, s := range series {
		held, fired = held+total(s, rundata.HeldUp), fired+total(s, rundata.Fired)
	}
	if held == 0 {
		return "nothing trimmed"
	}
	return "without the " + words.Share(held/fired) + " that fired while the machine stalled"
}

// noticedLate is the difference of lateness, in ns, that counts as none: systems round a sleep to more.
const noticedLate = 100_000

// withoutTicks returns the waking of a contestant that sleeps until something is due.
func withoutTicks(name string) string {
	if strings.TrimSuffix(name, rundata.AASuffix) == catalog.RuntimeTimer {
		return rundata.RuntimeWaking
	}
	return rundata.Tickless
}

func (v *Report) shortDelays() []*rundata.Series {
	return v.ordered(v.data.Select(rundata.Jitter, "delays="+rundata.ShortDelays))
}

// rate returns the rate of timers that most of the series have. All that is shown together was measured alike.
func (v *Report) rate() string { return prevalent(v.data.Select(rundata.Jitter), "rate") }

// usually are the parameters of jitter at that rate, with the usual way of waiting and the usual delays.
func (v *Report) usually() []string { return []string{"rate=" + v.rate(), "waiting=", "delays="} }

// jitter returns the series of a contestant and a waking, or nil.
func (v *Report) jitter(impl, waking string) *rundata.Series {
	return v.one(rundata.Jitter, append(v.usually(), "impl="+impl, "waking="+waking)...)
}

// ticking returns the contestant whose ticks are shown: hierwheel, or else the first wheel, or the first that ticked.
func (v *Report) ticking() string {
	for _, wanted := range []string{catalog.Hier, "wheel", ""} {
		for _, name := range v.names {
			series := append(v.data.Select(rundata.Jitter, "impl="+name), v.data.Select(rundata.Idle, "impl="+name)...)
			if strings.Contains(name, wanted) && len(values(series, "waking")) > 0 {
				return name
			}
		}
	}
	return ""
}

// spectrumPanel has the percentiles on its x axis, the last ones spread out: a panel for lines that spectrum makes.
func spectrumPanel(title string) *chart.Panel {
	return &chart.Panel{
		Title: title, Y: nanosAxis("late by, lower is better"),
		X: chart.Axis{
			Label: "share of timers that were no later", Log: true, Format: percentile,
			At: []float64{2, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7},
		},
	}
}

// percentile writes 1/(1-p) as p: 100 as 99 %.
func percentile(x float64) string {
	return fmt.Sprintf("%.*f %%", max(0, int(math.Round(math.Log10(x)))-2), 100*(1-1/x))
}

// spectraAt shows each contestant with the first of some wakings that it has in the series with some parameters.
func (v *Report) spectraAt(title string, params []string, wakings ...string) *chart.Panel {
	p := spectrumPanel(title)
	for _, name := range v.names {
		for _, waking := range wakings {
			if s := v.one(rundata.Jitter, slices.Concat(params, []string{"impl=" + name, "waking=" + waking})...); s != nil {
				p.Lines = append(p.Lines, spectrum(name, v.styles[name], s))
				break
			}
		}
	}
	return p
}

// spectra has a panel of some cells for each value of their parameter; title is a format that takes the value.
func (c grid) spectra(title string) []*chart.Panel {
	return lists.Each(c.values(), func(value string) *chart.Panel {
		p := spectrumPanel(fmt.Sprintf(title, c.nameOf(value)))
		p.Lines = lists.Each(c.ways, func(w way) chart.Line { return spectrum(w.name, w.style, c.at(w.params, value)) })
		return p
	})
}

// byTickPanel shows one contestant, its colour the paler the longer the tick.
func (v *Report) byTickPanel(name string) *chart.Panel {
	p := spectrumPanel(name + " by tick")
	ticks := values(v.data.Select(rundata.Jitter, "impl="+name), "waking")
	if len(ticks) == 0 {
		return p
	}
	glyphs := []draw.GlyphDrawer{
		draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{},
	}
	tickless := chart.Style{Colour: chart.Ink, Glyph: draw.PlusGlyph{}, Dashes: chart.Dash(1.5, 2)}
	p.Lines = append(p.Lines, spectrum("sleeping until due", tickless, v.jitter(name, rundata.Tickless)))
	for i, tick := range ticks {
		own := v.styles[name]
		own.Colour = chart.Faded(own.Colour, 0.6*float64(i)/float64(len(ticks)))
		own.Glyph = glyphs[i%len(glyphs)]
		p.Lines = append(p.Lines, spectrum(valueWords(tick)+" tick", own, v.jitter(name, tick)))
	}
	return p
}

// spectrum returns lateness from the median to the latest timer as a line, without points if the series has no timers.
func spectrum(name string, as chart.Style, s *rundata.Series) chart.Line {
	l := chart.Line{Name: name, Style: as, Marked: []chart.Point{}}
	if s == nil || s.Late == nil || s.Late.TotalCount() == 0 {
		return l
	}
	early := 0.0
	if s.Early != nil {
		early = float64(s.Early.TotalCount())
	}
	late := float64(s.Late.TotalCount())
	// The last point is at the one timer that was the latest.
	end := math.Log10(early + late)
	const perDecade = 40
	for i := perDecade * 3 / 10; ; i++ { // from the median on
		x := min(float64(i)/perDecade, end)
		share := (1 - math.Pow(10, -x)) * (early + late)
		if share >= early {
			q := min((share-early)/late, 1)
			pt := chart.At(math.Pow(10, x), float64(quantile.Of(s.Late, q)))
			l.Points = append(l.Points, pt)
			if i == perDecade*3/10 || i%perDecade == 0 {
				l.Marked = append(l.Marked, pt)
			}
		}
		if x >= end {
			return l
		}
	}
}
