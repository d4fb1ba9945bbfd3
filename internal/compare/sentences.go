package compare

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"schedbench/internal/judge"
	"schedbench/internal/lists"
	"schedbench/internal/report/text"
	"schedbench/internal/words"
)

// Write writes some lines, with tables a table for each experiment, and what the comparison comes to.
func (r *Result) Write(w io.Writer, before []string, tables bool) error {
	p, listed := &text.Page{W: w}, 4 // series that each paragraph names
	for _, l := range before {
		p.Paragraph(l)
	}
	p.Printf("\n")
	if tables {
		listed = 12
		for _, t := range r.tables() {
			p.Err = cmp.Or(p.Err, t.Write(w))
		}
	}
	p.Labelled("ANSWER", r.conclusion()+" "+r.counts())
	p.Labelled("WORSE", most(r.with(Worse), listed))
	p.Labelled("BETTER", most(r.with(Better), listed))
	p.Labelled("UNCLEAR", r.openLine(listed))
	p.Labelled("TO KNOW", strings.Join(words.Said(r.equalsLine(), r.identicalLine(), r.chanceLine(), r.onlyLine()), "\n"))
	return p.Err
}

func (r *Result) margin() string { return words.Share(r.Margin - 1) }

func (r *Result) conclusion() string {
	said := map[Answer]string{Worse: "Something is", Unclear: "It is unclear whether something is", Same: "Nothing is"}
	return said[r.Conclusion()] + " worse by more than " + r.margin() + "."
}

func (r *Result) counts() string {
	parts := lists.Each([]Answer{Worse, Better, Same, Unclear}, func(a Answer) string { return fmt.Sprintf("%d %s", len(r.with(a)), a) })
	parts[2] += " within " + r.margin()
	if same := len(r.where(func(row Row) bool { return row.Answer == Unclear && row.constant })); same > 0 {
		parts[3] += fmt.Sprintf(" (%d of them the same code in OLD and NEW)", same)
	}
	return fmt.Sprintf("Of %d series %s.", len(r.Rows), words.List(parts))
}

// most names so many series, by change, the greatest first: those without figures, then ratios, then shares.
func most(rows []Row, listed int) string {
	if len(rows) == 0 {
		return ""
	}
	rank := func(row Row) int {
		switch {
		case row.Why != "":
			return 0
		case row.Share:
			return 2
		}
		return 1
	}
	far := func(row Row) float64 {
		if row.Share {
			return math.Abs(row.Value.Value)
		}
		return math.Abs(math.Log(row.Value.Value))
	}
	slices.SortStableFunc(rows, func(a, b Row) int { return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(far(b), far(a))) })
	said := lists.Each(rows[:min(listed, len(rows))], func(row Row) string { return row.Name + " " + row.said() })
	if n := len(rows) - listed; n > 0 {
		said = append(said, fmt.Sprintf("%d more", n))
	}
	return strings.Join(said, "; ") + "."
}

func (r *Row) said() string {
	if r.Why != "" {
		return r.Why
	}
	of := ""
	if r.Share {
		of = " of a core"
	}
	said := fmt.Sprintf("%s%s (%s)", r.change(r.Value.Value), of, r.interval())
	if r.Answer == Unclear && r.Blocks > 1 {
		said += r.moreWords()
	}
	return said
}

// openLine says how many more blocks would decide what is unclear, and names so many series that may be worse.
func (r *Result) openLine(listed int) string {
	unclear := r.where(func(row Row) bool { return row.Answer == Unclear && !row.constant })
	rows := lists.Only(unclear, func(row Row) bool { return row.Why == "" })
	if len(rows) == 0 {
		return ""
	}
	more := slices.Sorted(slices.Values(lists.Each(rows, func(row Row) int { return row.More })))
	half, sample := more[(len(rows)-1)/2], samples(r.Paired)
	decide := fmt.Sprintf("about %s would decide half of them", words.Many(half, "more "+sample))
	if single := lists.Only(rows, func(row Row) bool { return row.Blocks < 2 }); len(single) > 0 {
		decide = fmt.Sprintf("%d have one %s, and no interval", len(single), sample)
	} else if half >= judge.TooMany {
		decide = fmt.Sprintf("more %ss do not help most of them", sample)
	}
	said := fmt.Sprintf("%d unclear series whose code may differ: %s.", len(unclear), decide)
	open := r.open()
	if len(open) == 0 {
		return said + fmt.Sprintf(" None of them is worse by more than %s.", r.margin())
	}
	return said + fmt.Sprintf(" May be worse by more than %s: ", r.margin()) + most(open, listed)
}

func (r *Result) chanceLine() string {
	asked := r.where(Row.asked)
	if len(asked) == 0 {
		return ""
	}
	said := fmt.Sprintf("One in %.0f of those called worse or better may be so by chance: each interval is corrected for %s",
		1/(1-judge.Confidence), words.Many(r.Counted, "comparison"))
	if alone := r.where(func(row Row) bool { return row.Alone != Unclear }); len(alone) > 0 {
		said += fmt.Sprintf("; without this correction %d more would be called worse or better", len(alone))
	}
	return said + "."
}

// equalsLine says by how much unchanged code differs, and which changes that hides.
func (r *Result) equalsLine() string {
	least, most, without := math.Inf(1), 0.0, 0
	for _, row := range r.Rows {
		switch {
		case len(row.equals) >= fewestEquals:
			far := row.noiseLimit(r.Counted)
			least, most = min(least, far), max(most, far)
		case r.OneMachine && row.asked() && !row.constant && !row.Share:
			without++
		}
	}
	left := ""
	if without > 0 {
		left = fmt.Sprintf("%s fewer than %d of unchanged code to be held against: the machine or the linker may look like a change there. "+
			"More contestants, operations or delays help.", words.Verb(without, "series has", "series have"), fewestEquals)
	}
	if most == 0 {
		return left
	}
	by := words.FromTo(words.Times(least), words.Times(most))
	return strings.TrimSpace(fmt.Sprintf("Comparisons of code that is the same in both (%s) show what the machine and the linker do. "+
		"Only a change by more than %s is called better or worse. %s", words.List(r.equalNames()), by, left))
}

// equalNames lists the contestants whose code is the same in both, of those that are held against what is compared.
func (r *Result) equalNames() (names []string) {
	for _, row := range slices.Concat(r.Rows, r.others) {
		beside := slices.ContainsFunc(r.Rows, func(c Row) bool { return c.Unit == row.Unit && len(c.equals) >= fewestEquals })
		if row.constant && row.asked() && !row.Share && beside && !slices.Contains(names, row.impl) {
			names = append(names, row.impl)
		}
	}
	return names
}

func (r *Result) identicalLine() string {
	n := len(r.where(func(row Row) bool { return row.Identical }))
	switch {
	case n == 0:
		return ""
	case n == len(r.Rows):
		return "OLD and NEW are the same measurements, to the last digit: they say nothing of whether anything has changed."
	}
	return fmt.Sprintf("In %d series OLD and NEW are the same to the last digit: one measurement, or what does not vary.", n)
}

func (r *Result) onlyLine() string {
	few := func(where string, names []string) string {
		if len(names) == 0 {
			return ""
		}
		return where + " " + words.Few(3, names)
	}
	parts := words.Said(few("only OLD has", r.OnlyOld), few("only NEW has", r.OnlyNew), few("no comparable figures:", r.Unjudged))
	if len(parts) == 0 {
		return ""
	}
	return "Not compared: " + strings.Join(parts, "; ") + "."
}
