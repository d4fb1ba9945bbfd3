// Package compare says what has changed between two measurements of the same cells: of two commits, two machines or two
// configurations.
//
// Cells are paired by the names of their series, and each is better, the same, worse, or unclear. [Folders] compares two
// runs, whose blocks are independent samples. [Processes] compares processes that were measured by turns, two and two:
// each is one block, since a process has its memory and code in one place.
//
// A difference is significant only if it is greater than the margin, than what A/A shows in the cell and, on one machine,
// than the differences of unchanged code. Among many cells, at most one in twenty of those called better or worse is so by
// chance (see judge.Counted).
package compare

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/lists"
)

// ErrNothing means that two measurements have nothing in common.
var ErrNothing = errors.New("nothing to compare")

// Terms say how two measurements are compared.
type Terms struct {
	// Margin is the ratio up to which figures count as the same; 0 is judge.Margin. For shares see judge.Imperceptible.
	Margin float64
	// Only reports whether a series is compared, by its name; nil is all of them.
	Only func(name string) bool
	// Untouched reports whether a contestant's code is the same in both; nil is container/heap only. time.AfterFunc always is.
	Untouched func(impl string) bool
}

// constant reports whether a contestant's code is the same in both.
func (t Terms) constant(impl string) bool {
	switch {
	case impl == catalog.RuntimeTimer:
		return true
	case t.Untouched == nil:
		return impl == catalog.ContainerHeap
	}
	return t.Untouched(impl)
}

func (t Terms) margin() float64 { return cmp.Or(t.Margin, judge.Margin) }

// Result is how two measurements compare.
type Result struct {
	// Rows are in the order of the new measurement.
	Rows []Row
	// OnlyOld and OnlyNew name series that one of them has, Unjudged those without figures to compare contestants by.
	OnlyOld, OnlyNew, Unjudged []string
	// Margin is the ratio up to which figures count as the same.
	Margin float64
	// Counted is as how many comparisons each was counted for better and worse.
	Counted int
	// Paired says that pairs of processes were compared, and not blocks.
	Paired bool
	// OneMachine says that both have one version of Go, and one machine or two that describe themselves alike.
	OneMachine bool

	others []Row // the rows of unchanged code that Terms.Only leaves out
}

// with returns the rows that have an answer.
func (r *Result) with(a Answer) []Row { return r.where(func(row Row) bool { return row.Answer == a }) }

// open returns the rows of which it is unclear whether a change has made them worse by more than the margin.
func (r *Result) open() []Row { return r.where(Row.open) }

// Conclusion is Worse if a row is worse, Unclear if one may be, and else Same.
func (r *Result) Conclusion() Answer {
	switch {
	case len(r.with(Worse)) > 0:
		return Worse
	case len(r.open()) > 0:
		return Unclear
	}
	return Same
}

func (r Row) open() bool { return r.Answer == Unclear && !r.constant && !(r.Value.High <= r.most) }

func (r *Result) where(holds func(Row) bool) []Row { return lists.Only(r.Rows, holds) }

// Folders compares two runs.
func Folders(old, new *rundata.Data, t Terms) (*Result, error) {
	return measurements{
		before: old.Series, series: new.Series,
		old:        newMeasuredRun(old).figures,
		new:        newMeasuredRun(new).figures,
		oneMachine: oneMachine(old, new),
	}.compare(t)
}

// Processes compares pairs of processes, an old and a new one that were measured one right after the other.
func Processes(old, new []*rundata.Data, t Terms) (*Result, error) {
	m := measurements{paired: true, oneMachine: true}
	var was, is []measuredRun
	for i, d := range new[:min(len(old), len(new))] {
		was, is = append(was, newMeasuredRun(old[i])), append(is, newMeasuredRun(d))
		m.before = append(m.before, lacking(m.before, old[i].Series)...)
		m.series = append(m.series, lacking(m.series, d.Series)...)
		m.oneMachine = m.oneMachine && oneMachine(old[i], d)
	}
	m.old = func(name string) figures { return figuresOfAll(was, name) }
	m.new = func(name string) figures { return figuresOfAll(is, name) }
	return m.compare(t)
}

// lacking returns those of others whose names no series has.
func lacking(series, others []*rundata.Series) []*rundata.Series {
	names := map[string]bool{}
	for _, s := range series {
		names[s.Name()] = true
	}
	return lists.Only(others, func(s *rundata.Series) bool { return !names[s.Name()] })
}

type measurements struct {
	series, before []*rundata.Series // of the new and of the old one
	old, new       func(name string) figures
	paired         bool
	oneMachine     bool // and one version of Go
}

func (m measurements) compare(t Terms) (*Result, error) {
	r := &Result{Margin: t.margin(), Paired: m.paired, OneMachine: m.oneMachine}
	born := lacking(m.before, m.series)
	for _, s := range m.series {
		row, judged := m.row(s, t)
		switch {
		case !wanted(s, t):
			if judged && contestant(s) && row.constant {
				r.others = append(r.others, row)
			}
		case slices.Contains(born, s):
			r.OnlyNew = append(r.OnlyNew, s.Name())
		case !judged:
			r.Unjudged = append(r.Unjudged, s.Name())
		default:
			r.Rows = append(r.Rows, row)
		}
	}
	for _, s := range lacking(m.series, m.before) {
		if wanted(s, t) {
			r.OnlyOld = append(r.OnlyOld, s.Name())
		}
	}
	if len(r.Rows) == 0 {
		return nil, ErrNothing
	}
	r.scatter()
	r.answer()
	return r, nil
}

func wanted(s *rundata.Series, t Terms) bool {
	return contestant(s) && (t.Only == nil || t.Only(s.Name()))
}

// answer sets the answer of each row. More significant rows count as fewer comparisons each: see judge.Counted.
func (r *Result) answer() {
	asked, alone := 0, map[*Row]verdict{}
	for i := range r.Rows {
		if row := &r.Rows[i]; row.asked() {
			asked++
			alone[row] = row.compared(1)
		}
	}
	r.Counted = judge.Counted(asked, func(comparisons int) (significant int) {
		for row, v := range alone {
			if v.significant() && row.compared(comparisons).significant() {
				significant++
			}
		}
		return significant
	})
	for row, v := range alone {
		row.answer(v, r.Counted)
	}
}

// machine are the keys, and names, of what figures depend on besides the program, the most important first.
var machine = []struct{ key, name string }{
	{"cpu", "CPU"}, {"kernel", "kernel"}, {"go-version", "Go version"}, {"gomaxprocs", "GOMAXPROCS"},
	{"cpus", "number of CPUs"}, {"goos", "system"}, {"goarch", "architecture"},
	{"governor", "governor"}, {"cgroup-cpu-max", "limit of CPU time"}, {"slowed-by", "what slows the build"}, {"clocksource", "clock"},
	{"timer-slack-ns", "timer slack"}, {"transparent-hugepage", "huge pages"},
}

// Heading says, before all else, what differs of the machines and of Go. What one of them does not say is "unknown".
func Heading(old, new *rundata.Data) (lines []string) {
	for _, m := range machine {
		if a, b := cmp.Or(old.Env[m.key], "unknown"), cmp.Or(new.Env[m.key], "unknown"); a != b {
			lines = append(lines, fmt.Sprintf("%s differs: OLD %s, NEW %s", m.name, a, b))
		}
	}
	if len(lines) > 0 {
		lines = append(lines, "These may be the causes of what is worse or better.")
	}
	return lines
}

func oneMachine(old, new *rundata.Data) bool {
	return !slices.ContainsFunc(machine[:7], func(m struct{ key, name string }) bool { return old.Env[m.key] != new.Env[m.key] })
}
