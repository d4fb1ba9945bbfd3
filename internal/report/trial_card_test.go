package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/lists"
	"schedbench/internal/report/card"
	"schedbench/internal/words"
)

// The lines of a card that say who takes more, each a sentence that may be false: a column of
// its table, and what speaks for and against the choice.
const (
	cardColumn  kind = "column "
	cardUnless  kind = "unless "
	cardChoice  kind = "take"
	cardAverage kind = "average"
	cardNeeded  kind = "needed"
)

// cardCells are those of the verdict, and more of what programs ask: workloads, two goroutines and Timer.Reset.
func cardCells() []madeCell {
	cells := defaultCells()
	for _, profile := range []string{"heartbeat", "kafka-purgatory", "rpc-timeout"} {
		cells = append(cells, madeCell{profile: profile, n: 10_000, names: bare, blocks: 8, rounds: 4})
	}
	for _, n := range []int{1_000, 100_000} {
		cells = append(cells,
			madeCell{op: rundata.OpLivePair, more: "delay=uniform goroutines=2", n: n, names: behind, blocks: 8, rounds: 1},
			madeCell{op: rundata.OpLiveReset, more: "delay=uniform goroutines=1", n: n, names: behind, blocks: 8, rounds: 1})
	}
	return cells
}

// named is the cell as a verdict and a card name it.
func (c madeCell) named() string {
	if c.profile != "" {
		return "replays in " + c.profile
	}
	goroutines := ""
	if strings.Contains(c.more, "goroutines=2") {
		goroutines = " by 2 goroutines"
	}
	return OperationOf(c.op).Word + goroutines + " with " + words.Count(float64(c.n)) + " pending"
}

// group is the column of the table that a cell is in.
func (c madeCell) group() string {
	return cmp.Or(map[string]string{rundata.OpInsert: "insert", rundata.OpLivePair: "pair", rundata.OpLiveReset: "reset"}[c.op], "replay")
}

// holdCard holds the card of a made-up run to the truth: each of its lines is a sentence.
func (r *madeRun) holdCard(t require.TestingT, c card.Card) *heard {
	h := r.claims()
	say := func(line kind, holds bool) { h.say(line, "", holds) }
	for _, row := range c.Worst.Rows {
		for i, cell := range row.Cells {
			line := cardColumn + kind(c.Worst.Columns[i])
			switch cell.State {
			case card.CellBehind:
				at := r.cell(cell.Worst.Cell)
				say(line, r.of(row.Name, at.n) > r.best(at) && r.inside(*cell.Worst))
			case card.CellSame:
				say(line, r.asGood(row.Name, c.Worst.Columns[i]))
			}
		}
	}
	for _, u := range c.Unless {
		say(cardUnless+kind(u.Group), r.inside(u.Worst))
	}
	for _, n := range c.Needed {
		say(cardNeeded, holds(n, r.truth))
	}
	r.holdChoice(t, c, say)
	return h
}

// holdChoice holds what a card takes to the truth: that those left out cost more on average, and what that is of the
// first and of the next. Of a baseline it says that it costs no more than the margin.
func (r *madeRun) holdChoice(t require.TestingT, c card.Card, say func(line kind, holds bool)) {
	if c.Take.Kind == card.TakeGo {
		for _, a := range c.Take.Averages {
			say(cardChoice, r.onAverage(c.Take.Names[0], behind) <= judge.Margin*r.onAverage(a.Name, behind))
		}
		return
	}
	if len(c.Take.Averages) < 2 {
		return
	}
	require.NotEqual(t, catalog.RuntimeTimer, c.Take.Names[0])
	able := lists.Each(c.Take.Averages, func(a card.Average) string { return a.Name })
	least, next := able[0], false
	for _, a := range c.Take.Averages {
		taken := slices.Contains(c.Take.Names, a.Name)
		if !taken {
			say(cardChoice, r.onAverage(a.Name, able) > r.onAverage(least, able))
		}
		if a.Name == c.Take.Names[0] || !taken && !next {
			is := r.onAverage(a.Name, able)
			say(cardAverage, float64(a.Low) <= is*1.000001 && is <= float64(a.High)*1.000001)
		}
		next = next || !taken
	}
}

// holds reports whether it is true what time.AfterFunc takes more.
func holds(n card.Need, t truth) bool {
	more := baseNs * (t.of(catalog.RuntimeTimer, n.Pending) - t.of(n.Name, n.Pending))
	if n.Answer == judge.Slower.String() && more <= 0 || n.Answer == judge.Faster.String() && more >= 0 {
		return false
	}
	return !n.Low.Known() || float64(n.Low) <= more && more <= float64(n.High)
}

// inside reports whether the ratio of a factor really is more than 1, and in its interval.
func (r *madeRun) inside(f card.Factor) bool {
	ratio := r.ratio(f.Name, f.Against, r.cell(f.Cell))
	return ratio > 1 && float64(f.Low) <= ratio && ratio <= float64(f.High)
}

// asGood reports whether a contestant really takes no more than the margin above the best in
// all cells of a group in which it takes part.
func (r *madeRun) asGood(name, group string) bool {
	return !slices.ContainsFunc(r.cells, func(c madeCell) bool {
		return c.group() == group && slices.Contains(c.names, name) && r.of(name, c.n)/r.best(c) > judge.Margin*1.000001
	})
}

// onAverage is what a contestant really takes on average where it takes part, as a multiple of the best of
// some, by the weights of the card.
func (r *madeRun) onAverage(name string, able []string) float64 {
	votes := lists.Only(r.cells, func(c madeCell) bool { return c.op != rundata.OpInsert && slices.Contains(c.names, name) })
	measure := func(c madeCell) string {
		if c.profile != "" {
			return "replays"
		}
		named, _, _ := strings.Cut(c.named(), " with ")
		return named
	}
	ofCell := func(c madeCell) float64 {
		best := slices.Min(lists.Each(able, func(other string) float64 { return r.of(other, c.n) }))
		return math.Log(r.of(name, c.n) / best)
	}
	ofMeasure := func(cells []madeCell) float64 { return mean(cells, ofCell) }
	ofGroup := func(cells []madeCell) float64 { return mean(lists.Groups(cells, measure), ofMeasure) }
	return math.Exp(mean(lists.Groups(votes, madeCell.group), ofGroup))
}

func mean[T any](list []T, of func(T) float64) (mean float64) {
	for _, v := range list {
		mean += of(v) / float64(len(list))
	}
	return mean
}

// Whole cards are held to the truth, in runs of which it is known: at most one card in twenty has a false statement.
func TestTrialOfCards(t *testing.T) {
	draws := 10
	if *whole {
		draws = 200
	}
	for _, tr := range trials() {
		if tr.on.onePopulation {
			continue
		}
		t.Run(tr.on.name+", "+tr.truth.name, func(t *testing.T) {
			t.Parallel()
			r := newMadeRun(tr.truth, tr.on, cardCells(), 17)
			r.budget = 12
			for range draws {
				tr.count(r.holdCard(t, Judge(r.draw(), Options{}).Card()))
			}
			t.Log(tr.spoilt, "of", draws, tr.wrong, tr.said)
			require.LessOrEqual(t, float64(tr.spoilt)/float64(draws), tolerated(draws), "%v", tr.wrong)
			if tr.truth.name == mixed.name {
				for _, line := range []kind{cardColumn + "insert", cardColumn + "pair", cardColumn + "replay", cardChoice, cardAverage, cardNeeded} {
					require.Positive(t, tr.said[line], "nothing is said of %q", line)
				}
			}
		})
	}
}

// With 24 blocks a card of the size of the default run sees that a contestant takes a quarter
// more, up to 100k pending, in more than 95 of 100 cells.
func TestACardSeesAQuarter(t *testing.T) {
	var cells []madeCell
	for _, op := range []string{rundata.OpInsert, rundata.OpPair, rundata.OpReset, rundata.OpExpire} {
		for _, n := range []int{1_000, 10_000, 100_000, 1_000_000} {
			cells = append(cells, madeCell{op: op, more: "delay=uniform", n: n, names: bare, blocks: 24, rounds: 1})
		}
	}
	for _, op := range []string{rundata.OpLivePair, rundata.OpLiveReset} {
		for _, goroutines := range []string{"1", "2"} {
			for _, n := range []int{1_000, 10_000, 100_000} {
				cells = append(cells, madeCell{op: op, more: "delay=uniform goroutines=" + goroutines, n: n, names: behind, blocks: 24, rounds: 1})
			}
		}
	}
	for i := range 14 {
		cells = append(cells, madeCell{profile: fmt.Sprint("p", i), n: 10_000, names: bare, blocks: 24, rounds: 1})
	}
	draws, seen, of := 6, 0, 0
	if *whole {
		draws = 40
	}
	r := newMadeRun(slowest(1.25, catalog.Hier), asHere, cells, 23)
	for range draws {
		for _, s := range stands(catalog.Hier, Judge(r.draw(), Options{}).family().cells) {
			if s.cell != "1M" {
				of++
				if s.behind() {
					seen++
				}
			}
		}
	}
	t.Log(seen, "of", of)
	require.Greater(t, float64(seen), 0.95*float64(of))
}

func TestFalseCardsAreSeen(t *testing.T) {
	r := newMadeRun(mixed, layout3, cardCells(), 1)
	factor := func(name, against string, low, ratio, high card.Figure) card.Factor {
		return card.Factor{Name: name, Against: against, Cell: "insert with 1k pending", Ratio: ratio, Low: low, High: high, Answer: "slower"}
	}
	right, lie := factor(catalog.Single, catalog.Hier, 1.1, 1.25, 1.3), factor(catalog.Single, catalog.Hier, 1.3, 1.5, 1.6)
	table := func(state string, f card.Factor) card.Table {
		return card.Table{Columns: []string{"insert"}, Rows: []card.Row{{Name: catalog.Single, Cells: []card.Cell{{State: state, Worst: &f}}}}}
	}
	for line, c := range map[kind][2]card.Card{
		cardColumn + "insert": {{Worst: table(card.CellBehind, right)}, {Worst: table(card.CellBehind, lie)}},
		cardUnless + "insert": {{Unless: []card.Unless{{Group: "insert", Worst: right}}}, {Unless: []card.Unless{{Group: "insert", Worst: lie}}}},
		cardNeeded: {{Needed: []card.Need{{Name: catalog.Hier, Pending: 1000, Low: 100, High: 210, Answer: "slower"}}},
			{Needed: []card.Need{{Name: catalog.Hier, Pending: 1000, Low: -10, High: 190, Answer: "unclear"}}}},
	} {
		h := r.holdCard(t, c[0])
		require.Empty(t, h.wrong)
		require.Equal(t, map[kind]int{line: 1}, h.said)
		require.Equal(t, map[sentence]bool{{kind: line}: true}, r.holdCard(t, c[1]).wrong)
	}
	average := func(name string, low, high card.Figure) card.Average {
		return card.Average{Name: name, Low: low, High: high}
	}
	take := func(first, second card.Average) card.Card {
		return card.Card{Take: card.Take{Kind: card.TakeOne, Names: []string{first.Name}, Averages: []card.Average{first, second}}}
	}
	h := r.holdCard(t, take(average(catalog.Hier, 1, 1.1), average(catalog.Heap, 1.05, 1.2)))
	require.Empty(t, h.wrong)
	require.Equal(t, map[kind]int{cardChoice: 1, cardAverage: 2}, h.said)
	for line, c := range map[kind]card.Card{
		cardChoice:            take(average(catalog.Heap, 1, 1.2), average(catalog.Hier, 1, 1.05)),
		cardAverage:           take(average(catalog.Hier, 1, 1.1), average(catalog.Heap, 1.15, 1.2)),
		cardColumn + "insert": {Worst: table(card.CellSame, right)}, // it takes a quarter more
	} {
		require.Equal(t, map[sentence]bool{{kind: line}: true}, r.holdCard(t, c).wrong)
	}
}
