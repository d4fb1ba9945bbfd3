package experiments

import (
	"fmt"
	"slices"
	"time"

	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/internal/lists"
)

// functionsCell returns the cell that weighs timers of functions, n pending: what they take up, and how long a garbage
// collection takes. The timers of one contestant are alive at a time.
func functionsCell(p *harness.Plan, n int) []harness.Cell {
	variants := harness.WithAA(slices.DeleteFunc(pairVariants(p, n), func(r variant) bool { return r.Preset }))
	cell := harness.Cell{Experiment: rundata.Memory, Name: fmt.Sprintf("memory-functions-%d", n), Most: weighedBlocks, Pending: n, Memory: harness.MemoryOf(n, 2)}
	cell.Make = harness.Made(func(s *harness.Session) []*harness.Turns {
		return lists.Each(variants, func(r variant) *harness.Turns {
			t := &pairsTurn{s: s, r: r, n: n, goroutines: 1, crew: newCrew(1, false)}
			series := rundata.NewSeries(rundata.Memory, "impl", r.Name, "pending", n, "holding", rundata.HoldingFunctions)
			return &harness.Turns{Series: series, Holds: r.burden(s, n, 0, costTick, t.horizon()), Turn: func(int) (int, rundata.Values, error) {
				if r.Launch != nil {
					return weighElsewhere(s, r.Contestant, n)
				}
				return t.weigh(series)
			}}
		})
	})
	return played{Cell: cell, variants: variants, turn: time.Duration(2*n)*perLivePair + 20*time.Millisecond}.cells(p)
}

// weigh makes a population and weighs it, for a series.
func (t *pairsTurn) weigh(series *rundata.Series) (int, rundata.Values, error) {
	t.seed = t.s.Random(fmt.Sprint("memory", t.n)).Uint64()
	defer t.close()
	w := newScales(t.s, series, t.n, heapTaken)
	err := t.fill(t.n, 1, w)
	if err == nil && !t.r.LinearInsert {
		err = t.age()
	}
	if err != nil {
		return 0, nil, err
	}
	values := w.churned()
	if values == nil {
		values = rundata.Values{}
	}
	values[rundata.GCNs] = collect(t.s)
	return t.n, values, nil
}
