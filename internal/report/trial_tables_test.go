package report

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/lists"
	"schedbench/internal/must"
	"schedbench/internal/words"
)

func markdown(rows [][]string) string {
	var b strings.Builder
	for i, row := range rows {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			fmt.Fprintf(&b, "|%s\n", strings.Repeat(" --- |", len(row)))
		}
	}
	return b.String()
}

// share100 writes a rate in percent: rare ones to a tenth.
func share100(rate float64) string {
	if rate < 0.0995 {
		return fmt.Sprintf("%.1f %%", 100*rate)
	}
	return fmt.Sprintf("%.0f %%", 100*rate)
}

// falseTable says for each machine how often sentences of each kind are false, with the worst truth.
func falseTable(all []*scenario) string {
	head := []string{"machine", "truths"}
	for _, k := range kinds {
		head = append(head, string(k))
	}
	rows := [][]string{append(head, "any of them", "itself")}
	for _, of := range lists.Groups(all, func(s *scenario) string { return s.on.name }) {
		row := []string{of[0].on.name, strconv.Itoa(len(of))}
		highest := func(rate func(s *scenario) float64) {
			worst := 0.0
			for _, s := range of {
				worst = max(worst, rate(s))
			}
			row = append(row, share100(worst))
		}
		for _, k := range kinds {
			highest(func(s *scenario) float64 { return s.rate(k) })
		}
		highest(func(s *scenario) float64 { return float64(s.spoilt) / float64(s.draws) })
		highest(func(s *scenario) float64 { return float64(s.seems) / float64(s.aa) })
		rows = append(rows, row)
	}
	return markdown(rows)
}

// looked are the cells for which the table says how often differences are seen.
func looked() []madeCell {
	return slices.DeleteFunc(defaultCells(), func(c madeCell) bool { return c.n == 10_000 || c.n == 1_000 && c.op == rundata.OpLivePair })
}

func seenTable(all []*scenario) string {
	head := []string{"difference", "machine"}
	for _, verb := range []string{"leads", "loses"} {
		for _, c := range looked() {
			live := ""
			if c.op == rundata.OpLivePair {
				live = "live, "
			}
			head = append(head, fmt.Sprintf("%s, %s%s", verb, live, words.Count(float64(c.n))))
		}
	}
	rows := [][]string{head}
	for _, s := range all {
		if s.truth.goAhead == 0 {
			continue
		}
		row := []string{words.Times(s.truth.goAhead), s.on.name}
		for _, seen := range []map[string]float64{s.leads, s.losses} {
			for _, c := range looked() {
				row = append(row, fmt.Sprintf("%.0f %%", 100*seen[c.named()]))
			}
		}
		rows = append(rows, row)
	}
	return markdown(rows)
}

// checkSeen holds how often a difference is seen to what may be expected of blocks that scatter by so much.
func (s *scenario) checkSeen(t *testing.T) {
	for _, c := range looked() {
		layout, least := s.on.layoutOf(c.n), 0.0
		switch by := s.truth.goAhead; {
		case by == 0 || s.on.round > 0.02 || s.on.stalledBlock || s.on.stalledRound:
		case by >= 15 || by >= 1.25 && layout <= 0.01:
			least = 1
		case by >= 2 && layout <= 0.1 || by >= 1.1 && layout <= 0.01 && c.op == rundata.OpInsert:
			least = 0.95
		case by >= 1.5 && layout <= 0.1, by >= 2:
			least = 0.8
		}
		for seen, rate := range map[string]float64{"leads": s.leads[c.named()], "loses": s.losses[c.named()]} {
			require.GreaterOrEqual(t, rate, least-1e-9, "%s %v times with a layout of %v at %s", seen, s.truth.goAhead, layout, c.named())
		}
	}
}

// moreTable says what the announced number of further blocks is worth.
func moreTable() string {
	const draws = 100
	rows := [][]string{{"difference, as here", "unclear at first", "announced: a quarter up to", "half up to", "three quarters up to", "significant with so many more"}}
	for i, f := range []float64{1.25, 1.5} {
		for cell, c := range defaultCells() {
			if c.op != rundata.OpInsert || c.n < 100_000 {
				continue
			}
			r := newMadeRun(goAhead(f), asHere, defaultCells(), uint64(100+i))
			about := c.named()
			var announced []int
			significant := 0
			for range draws {
				n := r.hear(r.draw()).more[about]
				if n == 0 {
					continue
				}
				announced = append(announced, n)
				r.measure(cell, n)
				if r.hear(r.data).more[about] == 0 {
					significant++
				}
			}
			slices.Sort(announced)
			row := []string{fmt.Sprintf("%s with %s pending", words.Times(f), words.Count(float64(c.n))), share100(float64(len(announced)) / draws)}
			if len(announced) == 0 {
				rows = append(rows, append(row, "-", "-", "-", "-"))
				continue
			}
			for _, q := range []int{1, 2, 3} {
				row = append(row, strconv.Itoa(announced[len(announced)*q/4]))
			}
			rows = append(rows, append(row, share100(float64(significant)/float64(len(announced)))))
		}
	}
	return markdown(rows)
}

// The lines between which documents have what a test writes.
const fromTrial, toTrial = "<!-- the trial: go test ./internal/report -run Trial -update -->", "<!-- end of the trial -->"

// document checks that docs/judging.md has some tables, or writes them there.
func document(t *testing.T, tables string) {
	path := filepath.Join("..", "..", "docs", "judging.md")
	before, rest, begins := strings.Cut(string(must.Get(os.ReadFile(path))(t)), fromTrial)
	had, after, ends := strings.Cut(rest, toTrial)
	require.True(t, begins && ends, "%s has no place for the tables", path)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(before+fromTrial+"\n\n"+tables+"\n"+toTrial+after), 0o644))
		return
	}
	sameTables(t, tables, had)
}

var anyNumber = regexp.MustCompile(`[\d.]+`)

// sameTables fails unless tables are the same but for the last digits: another kind of
// processor may round differently, and judge one run in a thousand otherwise.
func sameTables(t *testing.T, want, had string) {
	const hint = "docs/judging.md has other tables: go test ./internal/report -run Trial -update"
	require.Equal(t, strings.TrimSpace(anyNumber.ReplaceAllString(want, "#")), strings.TrimSpace(anyNumber.ReplaceAllString(had, "#")), hint)
	is := anyNumber.FindAllString(had, -1)
	for i, n := range anyNumber.FindAllString(want, -1) {
		require.InDelta(t, number(n), number(is[i]), 1, hint)
	}
}

// kind is one of the kinds of claims that compare contestants.
type kind string

const (
	leads kind = "leads"   // or is in front together with others
	open  kind = "unclear" // who leads, and between what the ratio lies
	loses kind = "loses"   // to the baselines
)

// sentence is one of a kind: about a measure, or about a baseline, since all losses to it hold together.
type sentence struct {
	kind  kind
	about string
}

// heard is what a verdict of a made-up run claims, held to the truth.
type heard struct {
	*madeRun
	// wrong are the false sentences: of which kind, and about what.
	wrong map[sentence]bool
	// said is how many claims of a kind there are.
	said map[kind]int
	// leads are who is said to lead, by measure and cell, and lost who is said to lose, by name, measure and cell.
	leads map[string]string
	lost  map[string]bool
	// more are the most blocks that would decide it, by measure and cell.
	more map[string]int
	// seems is in how many of aa cells a contestant seems to differ from itself.
	seems, aa int
}

func (r *madeRun) claims() *heard {
	return &heard{madeRun: r, wrong: map[sentence]bool{}, said: map[kind]int{}, leads: map[string]string{}, lost: map[string]bool{}, more: map[string]int{}}
}

// hear holds all that the sentences of a verdict are made of to the truth.
func (r *madeRun) hear(d *rundata.Data) *heard {
	v, h := Judge(d, Options{}), r.claims()
	h.seems, h.aa = v.aa()
	for t, p := range v.cells() {
		if len(p.Standings) > 1 {
			h.contest(t, p)
		}
	}
	for _, group := range v.lost() {
		h.losses(group)
	}
	return h
}

// say notes a claim that is to be true, as part of a sentence.
func (h *heard) say(k kind, about string, holds bool) {
	h.said[k]++
	if !holds {
		h.wrong[sentence{k, about}] = true
	}
}

// cell returns the cell that a verdict or a card calls by a name.
func (r *madeRun) cell(name string) madeCell {
	return r.cells[slices.IndexFunc(r.cells, func(c madeCell) bool { return c.named() == name })]
}

// ratio is how many times as long as another a contestant really takes.
func (r *madeRun) ratio(a, b string, c madeCell) float64 { return r.of(a, c.n) / r.of(b, c.n) }

// best is what the best really takes, of all but some.
func (r *madeRun) best(c madeCell, but ...string) float64 {
	least := 1e300
	for _, name := range c.names {
		if !slices.Contains(but, name) {
			least = min(least, r.of(name, c.n))
		}
	}
	return least
}

// contest holds who leads, who is in front together, and where that is unclear.
func (h *heard) contest(t measure, p cell) {
	c, first := h.cell(t.named(p.name)), p.First().Name
	front := append(namesOf(p.Others(judge.AsFast)), first)
	unclear := p.Others(judge.Unclear)
	switch {
	case p.Won():
		h.leads[c.named()] = first
		h.say(leads, t.name, h.of(first, c.n) < h.best(c, first))
	case len(unclear) == 0:
		for _, name := range front {
			r := h.ratio(name, first, c)
			h.say(leads, t.name, 1/judge.Margin < r*1.000001 && r < judge.Margin*1.000001)
		}
		h.say(leads, t.name, len(front) == len(c.names) || h.of(first, c.n) < h.best(c, front...))
	default:
		for _, s := range unclear {
			h.say(open, t.name, s.ToFirst.Blocks < 2 || inInterval(h.ratio(s.Name, first, c), s.ToFirst))
			h.more[c.named()] = max(h.more[c.named()], min(s.ToFirst.More(), judge.TooMany))
		}
		h.say(open, t.name, slices.ContainsFunc(append(front, namesOf(unclear)...), func(name string) bool { return h.of(name, c.n) == h.best(c) }))
	}
}

// losses holds what one contestant loses to the baselines, the largest loss first: of that the interval is stated.
func (h *heard) losses(group []*versus) {
	for i, a := range group {
		c := h.cell(a.named())
		r := h.ratio(a.name, a.measure.baseline, c)
		h.lost[a.name+" "+c.named()] = true
		h.say(loses, a.measure.baseline, r > 1 && (i > 0 || inInterval(r, a.Comparison)))
	}
}

func inInterval(v float64, c judge.Comparison) bool { return c.Low <= v && v <= c.High }
