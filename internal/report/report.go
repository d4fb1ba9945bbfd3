// Package report turns what a run has measured into charts, tables and a verdict in words. It measures nothing itself.
//
// It reads rundata.Data and nothing else: whatever it shows of a run, replays among it, can be shown again from the
// saved data, on another machine, years later. Any part of the data may be missing, because a run may have been
// interrupted or asked for one contestant only; a chart without anything to show is left out. [Judge] decides
// all comparisons, by package judge. [Report.Charts] then writes the charts, [Report.Tables] the figures behind them,
// [Report.Verdict] says who leads, and [Report.Card] what to choose.
//
// Each chapter is declared once, with its figure, its table and its sentence. Chapters of one subject share a file.
package report

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"schedbench/harness/rundata"
	"schedbench/internal/lists"
	"schedbench/internal/report/chart"
	"schedbench/internal/report/text"
	"schedbench/internal/tune"
	"schedbench/internal/words"
)

// chapter is what a run answers with some of its data: with charts, tables and sentences, of which any may be missing.
type chapter struct {
	// section is the section of a page that shows the chapter. heading is the heading there; "" is the title of the
	// first figure.
	section   section
	heading   string
	figures   func(*Report) []*chart.Figure
	tables    func(*Report) []*text.Table
	measures  func(*Report) []measure
	sentences func(*Report) []string

	decided []measure // its measures
}

// allChapters returns all that a run may answer, in the order in which they are shown: those of the Options come last.
func (v *Report) allChapters() []chapter {
	return slices.Concat([]chapter{regretChapter, mapChapter}, lists.Each(v.ops(), costChapter), []chapter{
		replayChapter, clockChapter, livePairChapter, parallelChapter, tailsChapter, workChapter,
		latenessChapter, slowChapter, burstChapter, drainChapter, floodChapter, waitingChapter,
		tradeoffChapter, idleChapter, systemsChapter, memoryChapter, horizonChapter, lossChapter, noiseChapter, controlChapter,
	}, lists.Each(v.opt.Chapters, Chapter.chapter))
}

// Options say how to judge and draw.
type Options struct {
	// Requirement is what a recommended tick has to meet: its limits of lateness at 99 % and of CPU while nothing is due. It is
	// drawn on the chart of the trade-off.
	Requirement tune.Requirements
	// Margin is the ratio up to which contestants count as the same: 1.1 is 10 %. 0 is judge.Margin.
	Margin float64
	// DPI is the resolution of PNG files, in dots per inch; 0 is the usual one.
	DPI int
	// Chapters are asked of experiments that a program brings with it.
	Chapters []Chapter
}

// Charts writes all charts that the data allow into a directory, made if need be, and returns the file names.
func (v *Report) Charts(dir string) ([]string, error) {
	return chart.SaveAll(v.figures(), dir)
}

// figures returns the charts that have something to show, in the order of a page.
func (v *Report) figures() (kept []*chart.Figure) {
	for _, s := range v.Sections() {
		for _, p := range s.Parts {
			kept = append(kept, p.Figures...)
		}
	}
	for _, f := range kept {
		f.DPI = v.opt.DPI
		sign(f, v.data.Env, v.data.Complete)
	}
	return kept
}

// Write draws the charts into the folder of a run, and writes tables and verdict into it and to w. Wrong answers are an error.
func (v *Report) Write(w io.Writer, dir string) error {
	if _, err := v.Charts(filepath.Join(dir, "charts")); err != nil {
		return err
	}
	var said bytes.Buffer
	err := v.Tables(&said)
	for _, line := range v.Verdict() {
		fmt.Fprintln(&said, "-", line)
	}
	_, written := w.Write(said.Bytes())
	return errors.Join(err, written, os.WriteFile(filepath.Join(dir, "report.txt"), said.Bytes(), 0o644), v.WrongAnswers())
}

// Tables writes the figures behind the charts: medians, with how far their 95 % intervals go from them.
func (v *Report) Tables(w io.Writer) error {
	for _, q := range v.chapters {
		for _, t := range ask(q.tables, v) {
			if err := t.Write(w); err != nil {
				return err
			}
		}
	}
	return nil
}

// Verdict says in sentences which contestant leads at what, which one loses to the baselines, and how much is
// noise, the most important first. Package judge decides all comparisons, by blocks and corrected for the
// comparisons of a sentence. The verdict says what is unclear, and does not take it for equal.
func (v *Report) Verdict() (lines []string) {
	for _, q := range v.chapters {
		lines = append(lines, v.sentences(q)...)
	}
	lines = append(lines, words.Said(v.checkLine())...)
	if !v.data.Complete && len(v.data.Series) > 0 {
		lines = append(lines, "The run is not complete: what is missing may change this verdict.")
	}
	return lines
}

func (v *Report) sentences(q chapter) []string {
	return words.Said(append(lists.Each(q.decided, v.measureSentence), ask(q.sentences, v)...)...)
}

// sign writes on a figure the machine of a run and how to repeat the run, by its environment.
func sign(f *chart.Figure, env map[string]string, complete bool) {
	f.Subtitle, f.Footer = words.Sentences(f.Subtitle, machine(env)), provenance(env, complete)
}

// machine describes the machine of a run, by its environment.
func machine(env map[string]string) string {
	parts := known(env, []Fact{{"", "cpu"}, {"GOMAXPROCS ", "gomaxprocs"}})
	if env["goos"] != "" && env["goarch"] != "" {
		parts = append(parts, env["goos"]+"/"+env["goarch"])
	}
	return strings.Join(append(parts, known(env, []Fact{{"kernel ", "kernel"}})...), ", ")
}

// known returns what an environment has of some keys, each after its name.
func known(env map[string]string, facts []Fact) (parts []string) {
	for _, f := range facts {
		if env[f.Value] != "" {
			parts = append(parts, f.Name+env[f.Value])
		}
	}
	return parts
}

// provenance says how to make the same run again.
func provenance(env map[string]string, complete bool) string {
	parts := append([]string{"schedbench"}, known(env, []Fact{{"commit ", "commit"}, {"seed ", "seed"}, {"date ", "date"}, {"", "go-version"}, {"", "command"}})...)
	if !complete {
		parts = append(parts, "run not complete")
	}
	return strings.Join(parts, "  ·  ")
}

// section is what a reader asks of a run: its name, and the question.
type section struct{ name, title string }

var (
	whichFastest      = section{"fastest", "Which scheduler is fastest?"}
	howLate           = section{"late", "How late are timers?"}
	whatIdlingCosts   = section{"idle", "What does idling cost, and which tick is worth it?"}
	howMuchMemory     = section{"memory", "How much memory does it take?"}
	programsAsk       = section{"programs", "Which scheduler is best for which workload?"}
	whereSystemsStand = section{"systems", "How do presets of known systems compare?"}
	howFarToTrust     = section{"trust", "How far are these figures to be trusted?"}
	// sections are in the order in which readers ask.
	sections = []section{whichFastest, howLate, whatIdlingCosts, howMuchMemory, programsAsk, whereSystemsStand, howFarToTrust}
)

// Section is what a run says to something that a reader asks.
type Section struct {
	// Name is one word, and Title the question.
	Name, Title string
	Parts       []Part
}

// Part is what a run says to one chapter of a section. Any of its lists may be empty, but not all of them.
type Part struct {
	// Name is that of its first chart, "" if it has none.
	Name, Heading string
	// Sentences say what the figures come to, the most important first.
	Sentences []string
	// Figures are prepared. They do not say which machine and which command made the data: see sign.
	Figures []*chart.Figure
	Tables  []*text.Table
}

// Sections returns all that a run says, by the questions of readers and in their order. Empty sections are left out.
func (v *Report) Sections() (all []Section) {
	for _, of := range sections {
		s := Section{Name: of.name, Title: of.title}
		for _, q := range lists.Only(v.chapters, func(q chapter) bool { return q.section == of }) {
			if p := v.part(q); len(p.Sentences)+len(p.Figures)+len(p.Tables) > 0 {
				s.Parts = append(s.Parts, p)
			}
		}
		if len(s.Parts) > 0 {
			all = append(all, s)
		}
	}
	return all
}

func (v *Report) part(q chapter) Part {
	p := Part{Heading: q.heading, Sentences: v.sentences(q)}
	p.Figures = slices.DeleteFunc(ask(q.figures, v), func(f *chart.Figure) bool { return !f.Prepare() })
	p.Tables = slices.DeleteFunc(ask(q.tables, v), func(t *text.Table) bool { return t.Rows() == 0 })
	if len(p.Figures) > 0 {
		p.Name, p.Heading = p.Figures[0].Name, cmp.Or(p.Heading, p.Figures[0].Title)
	}
	if len(p.Tables) > 0 {
		p.Heading = cmp.Or(p.Heading, p.Tables[0].Title)
	}
	return p
}

// ran returns the command that measured the run, or the first of several runs.
func (v *Report) ran() string { return rundata.OfRuns(v.data.Env["command"])[0] }
