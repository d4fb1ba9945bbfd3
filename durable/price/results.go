package price

import (
	"fmt"
	"slices"
	"strconv"

	"schedbench/harness/rundata"
	"schedbench/internal/words"
	"schedbench/judge"
)

// results are what was measured, as charts, tables and sentences ask for it.
type results struct{ data *rundata.Data }

// series returns that of somebody with so many timers held, or nil.
func (r results) series(experiment string, k Keeper, held int) *rundata.Series {
	for _, s := range r.data.Select(experiment, fmt.Sprintf("held=%d", held)) {
		if keeperOf(s) == k {
			return s
		}
	}
	return nil
}

// blocks returns those of a unit, none of what was not measured.
func (r results) blocks(experiment string, k Keeper, held int, unit string) []float64 {
	return r.series(experiment, k, held).Blocks(unit)
}

// keepers returns those of an experiment, in the order in which they were measured.
func (r results) keepers(experiment string) (list []Keeper) {
	for _, s := range r.data.Select(experiment) {
		if k := keeperOf(s); !slices.Contains(list, k) {
			list = append(list, k)
		}
	}
	return list
}

// held returns the numbers of timers held in an experiment, ascending.
func (r results) held(experiment string) (counts []int) {
	for _, value := range rundata.Distinct(r.data.Select(experiment), "held") {
		if n, err := strconv.Atoi(value); err == nil {
			counts = append(counts, n)
		}
	}
	slices.Sort(counts)
	return counts
}

// compareHeld is the number of timers held with which costs are told: as many as a program of
// some size has.
const compareHeld = 100_000

// heldTold returns the number with which costs are told: that, or the most below it, or else
// the least there is; 0 if there is none.
func (r results) heldTold(experiment string) (told int) {
	for i, n := range r.held(experiment) {
		if i == 0 || n <= compareHeld {
			told = n
		}
	}
	return told
}

// mostHeldBy returns the greatest number with which somebody was measured, 0 if nobody was.
func (r results) mostHeldBy(experiment string, k Keeper) (most int) {
	for _, n := range r.held(experiment) {
		if r.series(experiment, k, n) != nil {
			most = n
		}
	}
	return most
}

// meanOf is the geometric mean of blocks of what is positive, and the other one of what may be nothing.
func meanOf(blocks []float64) judge.Average {
	if slices.ContainsFunc(blocks, func(v float64) bool { return v <= 0 }) {
		return judge.Mean(blocks)
	}
	return judge.GeometricMean(blocks)
}

// figure writes the mean of blocks of what is positive, with its interval; "" without any.
func figure(blocks []float64, f words.Format) string {
	e := meanOf(blocks)
	return words.Interval(e.Value, e.Low, e.High, words.Tidy(f))
}

// told is one comparison of a sentence: the figures of one and another in the same blocks.
type told struct {
	a, b  []float64
	than  string // who b is, or in what they are compared
	found judge.Comparison
}

// compare says of each that was measured what its first takes to its second, in so many words:
// "150× (140× to 160×) as long as hierwheel". All of it holds together.
func compare(takes string, all ...told) (said []string) {
	for _, t := range comparable(all) {
		than := " as " + t.than
		if t.found.Answer == judge.CannotTell {
			than = " from " + t.than
		}
		said = append(said, ratio(t.found, takes, than))
	}
	return said
}

// comparable returns those of which both were measured, compared so that all of it holds
// together.
func comparable(all []told) []told {
	all = slices.DeleteFunc(all, func(t told) bool { return len(t.a) == 0 || len(t.b) == 0 })
	var pairs []judge.Pair
	for _, t := range all {
		pairs = append(pairs, judge.Pair{A: t.a, B: t.b})
	}
	for i, c := range judge.CompareTogether(pairs, len(pairs)) {
		all[i].found = c
	}
	return all
}

// ratio says how two compare, with whom in words of its own: 150× (140× to 160×) as long, as long
// (1.02×, 0.98× to 1.05×), or not told apart (1.2×; 3 more blocks).
func ratio(c judge.Comparison, takes, than string) string {
	interval := fmt.Sprintf("%s to %s", words.Times(c.Low), words.Times(c.High))
	switch c.Answer {
	case judge.AsFast:
		return fmt.Sprintf("%s%s (%s, %s)", takes, than, words.Times(c.Ratio), interval)
	case judge.Slower, judge.Faster:
		return fmt.Sprintf("%s (%s) %s%s", words.Times(c.Ratio), interval, takes, than)
	}
	return fmt.Sprintf("not told apart%s (%s; %s)", than, words.Times(c.Ratio), moreBlocks(c.More()))
}

// sentence joins parts that say something after a beginning; "" if none does.
func sentence(begins string, parts ...string) string {
	parts = slices.DeleteFunc(parts, func(p string) bool { return p == "" })
	if len(parts) == 0 {
		return ""
	}
	return begins + words.List(parts) + "."
}

// timers writes how many there are: 100k timers.
func timers(n int) string { return words.Many(n, "timer") }

// moreBlocks writes how many more would tell.
func moreBlocks(n int) string { return words.More(n, judge.TooMany, "block") }
