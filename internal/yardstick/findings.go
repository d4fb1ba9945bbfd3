package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"schedbench/internal/judge"
	"schedbench/internal/report/text"
	"schedbench/internal/words"
)

// findings are what was measured.
type findings struct {
	rows   []row
	rounds int
	// about says what was measured on.
	about string
}

// row is what a wheel in C and a scheduler showed of one exercise, round by round.
type row struct {
	exercise
	c, scheduler string // their names
	inC, inGo    []shown
}

// compared is what is known of a row: how Go compares with C without the loop around the
// operation, and with it.
type compared struct {
	row
	net, whole against
}

// against is a pair, the scheduler first, and what is known of it.
type against struct {
	judge.Pair
	judge.Comparison
}

// compare compares all rows. All intervals hold together.
func (f findings) compare() (all []compared) {
	var pairs []judge.Pair
	for _, r := range f.rows {
		pairs = append(pairs, judge.Pair{A: netOf(r.inGo), B: netOf(r.inC)}, judge.Pair{A: withOf(r.inGo), B: withOf(r.inC)})
	}
	answers := judge.CompareTogether(pairs, len(pairs))
	for i, r := range f.rows {
		all = append(all, compared{r, against{pairs[2*i], answers[2*i]}, against{pairs[2*i+1], answers[2*i+1]}})
	}
	return all
}

func withOf(rounds []shown) []float64 {
	return figuresOf(rounds, func(s shown) float64 { return s.with })
}

func netOf(rounds []shown) []float64 {
	return judge.NetTime(withOf(rounds), figuresOf(rounds, func(s shown) float64 { return s.alone }))
}

func figuresOf(rounds []shown, of func(shown) float64) (all []float64) {
	for _, s := range rounds {
		all = append(all, of(s))
	}
	return all
}

// write prints the tables and what they come to.
func (f findings) write(w io.Writer) error {
	p := &text.Page{W: w}
	p.Heading("HOW FAR FROM THE METAL: " + f.about)
	all := f.compare()
	f.tables(p, all)
	for _, s := range sentences(all) {
		p.Item(s)
	}
	return p.Err
}

// tables writes a table for each scheduler.
func (f findings) tables(p *text.Page, all []compared) {
	for len(all) > 0 {
		who, c := all[0].scheduler, all[0].c
		t := &text.Table{
			Title: fmt.Sprintf("%s beside %s: time of an operation, medians of %s, less is better", who, c, words.Many(f.rounds, "round")), Names: 2,
			Header: []string{"operation", who + " is", "pending", "C", "Go", "Go / C", "interval", "C, loop too", "Go, loop too", "Go / C", "interval"},
		}
		for len(all) > 0 && all[0].scheduler == who {
			r := all[0]
			all = all[1:]
			t.Add(slices.Concat([]string{r.op, r.net.Answer.String(), words.Count(float64(r.pending))}, r.net.cells(), r.whole.cells())...)
		}
		p.Table(t)
	}
}

// cells writes the figures of both, their ratio, and its interval.
func (a against) cells() []string {
	return []string{
		words.Nanos(judge.Median(a.B).Value), words.Nanos(judge.Median(a.A).Value),
		words.Times(a.Ratio), a.interval(),
	}
}

// interval writes that of the ratio, unless it goes beyond all that is possible.
func (a against) interval() string {
	const hopeless = 100
	if math.IsInf(a.High, 0) || a.High > hopeless*a.Ratio {
		return "unknown"
	}
	return words.Times(a.Low) + " to " + words.Times(a.High)
}

// sentences say how Go compares with C, without the loop, for each operation of each
// scheduler.
func sentences(all []compared) (said []string) {
	for len(all) > 0 {
		n := slices.IndexFunc(all, func(c compared) bool { return c.op != all[0].op || c.scheduler != all[0].scheduler })
		if n < 0 {
			n = len(all)
		}
		said = append(said, fmt.Sprintf("%s: %s.", words.Capital(all[0].op), strings.Join(clauses(all[:n]), "; ")))
		all = all[n:]
	}
	return said
}

// clauses say of one operation of a scheduler where it is behind C, as fast, or ahead, and
// where that is unclear.
func clauses(all []compared) (said []string) {
	who := all[0].scheduler
	ratios := func(as string) func(int, compared) string {
		return func(i int, c compared) string {
			if i > 0 {
				as = ""
			}
			return words.Times(c.net.Ratio) + as + " " + c.place()
		}
	}
	for _, kind := range []struct {
		answer judge.Answer
		begins string
		format func(int, compared) string
	}{
		{judge.Slower, who + " takes ", ratios(" as long as C")},
		{judge.AsFast, fmt.Sprintf("%s is as fast as C within %s ", who, words.Share(judge.Margin-1)), func(_ int, c compared) string { return c.place() }},
		{judge.Faster, who + " is ahead of C and takes ", ratios(" as long")},
		{judge.Unclear, "it is unclear whether C or " + who + " is ahead ", func(_ int, c compared) string { return c.open() }},
	} {
		var parts []string
		for _, c := range all {
			if c.net.Answer == kind.answer {
				parts = append(parts, kind.format(len(parts), c))
			}
		}
		if len(parts) > 0 {
			said = append(said, kind.begins+words.List(parts))
		}
	}
	return said
}

func (c compared) place() string { return "with " + words.Count(float64(c.pending)) + " pending" }

// open says what is known where it is unclear.
func (c compared) open() string {
	if c.net.Blocks < 2 {
		return c.place() + " from " + words.Many(c.net.Blocks, "round")
	}
	return fmt.Sprintf("%s (%s, interval %s; %s)", c.place(), words.Times(c.net.Ratio), c.net.interval(),
		words.More(c.net.More(), judge.TooMany, "round"))
}
