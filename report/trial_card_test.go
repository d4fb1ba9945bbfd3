package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/harness"
	"schedbench/judge"
)

// The lines of a card that say who takes more, each a sentence that may be false: a column of
// its table, and what speaks for and against the choice.
const (
	cardColumn  = "column "
	cardBecause = "because"
	cardUnless  = "unless "
	cardChoice  = "take"
)

// holdCard holds the card of a made-up run to the truth, and returns the lines that are
// false and how many claims there were of each.
func (r *madeRun) holdCard(t require.TestingT, c Card) (wrong map[string]bool, said map[string]int) {
	h := &heard{madeRun: r}
	wrong, said = map[string]bool{}, map[string]int{}
	say := func(line string, holds bool) {
		said[line]++
		wrong[line] = wrong[line] || !holds
	}
	for _, row := range c.Worst.Rows {
		for i, cell := range row.Cells {
			line := cardColumn + c.Worst.Columns[i]
			switch cell.State {
			case CellBehind:
				at := h.spotted(cell.Worst)
				say(line, inside(h.of(row.Name, at.n)/h.best(at), cell.Worst))
			case CellSame:
				say(line, r.asGood(row.Name, c.Worst.Columns[i]))
			}
		}
	}
	if f := c.Because.AfterFunc; f != nil && f.Answer == judge.Slower.String() {
		say(cardBecause, inside(h.ratio(f.Name, f.Against, h.spotted(f)), f))
	}
	for _, u := range c.Unless {
		say(cardUnless+u.Group, inside(h.ratio(u.Worst.Name, u.Worst.Against, h.spotted(&u.Worst)), &u.Worst))
	}
	if c.Take.Kind == TakeOne || c.Take.Kind == TakeSeveral {
		require.NotEqual(t, catalog.RuntimeTimer, c.Take.Names[0])
		say(cardChoice, r.onAverage(c.Take.Names[0]) <= 1.25*r.leastOnAverage(c.Take.Out))
	}
	return wrong, said
}

// spotted returns the cell of a factor's question.
func (h *heard) spotted(f *CardFactor) madeCell {
	topic, place, _ := strings.Cut(strings.TrimSuffix(f.Question, " pending"), " with ")
	return h.cell(topic, place)
}

// inside reports whether a ratio is more than 1, and in the interval of a factor.
func inside(ratio float64, f *CardFactor) bool {
	return ratio > 1 && float64(f.Low) <= ratio && ratio <= float64(f.High)
}

// groupOf are the groups of the operations of made-up runs.
var groupOf = map[string]string{harness.OpInsert: "insert", harness.OpLivePair: "pair"}

// asGood reports whether somebody really takes no more than the margin above the best in all
// cells of a group.
func (r *madeRun) asGood(name, group string) bool {
	h := &heard{madeRun: r}
	for _, c := range r.cells {
		if groupOf[c.op] == group && h.of(name, c.n)/h.best(c) > judge.Margin*1.000001 {
			return false
		}
	}
	return true
}

// onAverage is what a contestant really takes on average, by the rule of the card.
func (r *madeRun) onAverage(name string) float64 {
	h := &heard{madeRun: r}
	sum, n := 0.0, 0.0
	for _, c := range r.cells {
		if c.op == harness.OpLivePair {
			sum, n = sum+math.Log(h.of(name, c.n)/h.best(c)), n+1
		}
	}
	return math.Exp(sum / n)
}

// leastOnAverage is what the best really costs of those that there are to choose from.
func (r *madeRun) leastOnAverage(out []CardLeft) float64 {
	least := 1e300
	for _, name := range []string{catalog.Heap, catalog.List, catalog.Single, catalog.Rounds, catalog.Hier} {
		if !slices.ContainsFunc(out, func(l CardLeft) bool { return l.Name == name }) {
			least = min(least, r.onAverage(name))
		}
	}
	return least
}

// The lines of cards are held to the truth, in runs of which it is known.
func TestTrialOfCards(t *testing.T) {
	draws := 200
	if testing.Short() {
		draws = 40
	}
	for _, tr := range trials() {
		if tr.on.onePopulation {
			continue
		}
		t.Run(tr.on.name+", "+tr.truth.name, func(t *testing.T) {
			t.Parallel()
			r := newMadeRun(tr.truth, tr.on, defaultCells(), 17)
			false_, said := map[string]int{}, map[string]int{}
			for range draws {
				c := NewCard(r.draw(), Options{})
				wrong, claims := r.holdCard(t, c)
				for line, is := range wrong {
					if is {
						false_[line]++
					}
				}
				for line, n := range claims {
					said[line] += n
				}
			}
			t.Log(fmt.Sprint(false_), said)
			for line, n := range false_ {
				require.LessOrEqual(t, float64(n)/float64(draws), tolerated(draws), line)
			}
			if tr.truth.name == mixed.name {
				for _, line := range []string{cardColumn + "insert", cardColumn + "pair", cardBecause, cardChoice} {
					require.Positive(t, said[line], "nothing is said of %q", line)
				}
			}
		})
	}
}

// What is false in a card is seen.
func TestFalseCardsAreSeen(t *testing.T) {
	r := newMadeRun(mixed, layout3, defaultCells(), 1)
	factor := func(name, against string, low, ratio, high Figure) CardFactor {
		return CardFactor{Name: name, Against: against, Question: "insert with 1k pending", Ratio: ratio, Low: low, High: high, Answer: "slower"}
	}
	right, lie := factor(catalog.Single, catalog.Hier, 1.1, 1.25, 1.3), factor(catalog.Single, catalog.Hier, 1.3, 1.5, 1.6)
	table := func(state string, f CardFactor) CardTable {
		return CardTable{Columns: []string{"insert"}, Rows: []CardRow{{Name: catalog.Single, Cells: []CardCell{{State: state, Worst: &f}}}}}
	}
	for line, c := range map[string][2]Card{
		cardColumn + "insert": {{Worst: table(CellBehind, right)}, {Worst: table(CellBehind, lie)}},
		cardUnless + "insert": {{Unless: []CardUnless{{Group: "insert", Worst: right}}}, {Unless: []CardUnless{{Group: "insert", Worst: lie}}}},
		cardBecause:           {{Because: CardBecause{AfterFunc: &right}}, {Because: CardBecause{AfterFunc: &lie}}},
		cardChoice:            {{Take: CardTake{Kind: TakeOne, Names: []string{catalog.Heap}}}, {Take: CardTake{Kind: TakeOne, Names: []string{catalog.List}}}},
	} {
		wrong, said := r.holdCard(t, c[0])
		require.Equal(t, []any{map[string]bool{line: false}, map[string]int{line: 1}}, []any{wrong, said}, line)
		wrong, _ = r.holdCard(t, c[1])
		require.True(t, wrong[line], line)
	}
	wrong, _ := r.holdCard(t, Card{Worst: table(CellSame, right)})
	require.True(t, wrong[cardColumn+"insert"], "it takes a quarter more")
}
