package price

import (
	"fmt"
	"slices"
	"time"

	"schedbench/harness/rundata"
	"schedbench/internal/words"
	"schedbench/judge"
)

// changeSentences say what becomes of timers while the server that leads is killed and comes back.
func (r results) changeSentences() []string {
	return []string{r.changeSentence(), r.disturbedSentence()}
}

// ofChange returns the series of a cluster of which a server is killed, or none; nil if that was not
// measured.
func (r results) ofChange(k Keeper) *rundata.Series {
	return r.series(ChangeExperiment, k, r.heldTold(ChangeExperiment))
}

// changeSentence says how late timers are then, and counts what became of them.
func (r results) changeSentence() string {
	then, beside := r.ofChange(killed), r.ofChange(cluster)
	if then == nil || beside == nil {
		return ""
	}
	late, usually := then.Blocks(rundata.P99Late), beside.Blocks(rundata.P99Late)
	return fmt.Sprintf("While of %d servers the one that leads is killed, and comes back after %s, 99 %% of timers are at most %s late, and %s where none is killed: %s. "+
		"The latest was %s late; of %s timers that were acknowledged before, %.0f were lost, %.0f were early and %.0f ran twice.",
		clusterSize, words.Span(float64(killedFor)), figure(late, words.Nanos), figure(usually, words.Nanos), later(late, usually, sameLate),
		words.Time(float64(then.Late.Max())), words.Count(sumOf(then, rundata.Fired)+sumOf(then, rundata.Lost)),
		sumOf(then, rundata.Lost), sumOf(then, rundata.Early), sumOf(then, rundata.Doubled))
}

// disturbedSentence says for how long.
func (r results) disturbedSentence() string {
	then, usually := disturbed(r.ofChange(killed)), disturbed(r.ofChange(cluster))
	if len(then) == 0 || len(usually) == 0 {
		return ""
	}
	least := ""
	if r.untilTheEnd() {
		least = "at least "
	}
	return fmt.Sprintf("Of the %s in which timers are due then, %s%s have one that is more than %s late, and %s where no server is killed: %s.",
		words.Span(float64(lookEvery)*float64(len(looks(r.ofChange(killed))))), least, duration(then), words.Time(float64(disturbedAfter)), duration(usually),
		later(then, usually, disturbedAfter))
}

// duration writes the mean of durations, of which some may be none, with its interval.
func duration(blocks []float64) string {
	e := judge.Mean(blocks)
	if e.Value == 0 {
		return "0 s"
	}
	return words.Interval(e.Value, e.Low, e.High, words.Time)
}

// looks are the stretches of deadlines of which it is told how late timers were, by when they begin
// after a server is killed.
func looks(s *rundata.Series) (list []time.Duration) {
	for at := -beforeKill; s != nil && len(s.Values[LateAt(at)]) > 0; at += lookEvery {
		list = append(list, at)
	}
	return list
}

// disturbed returns for how long, in each block, deadlines lay in stretches in which a timer was late by
// more than those that nothing disturbs.
func disturbed(s *rundata.Series) (blocks []float64) {
	for _, at := range looks(s) {
		for i, late := range s.Blocks(LateAt(at)) {
			if i == len(blocks) {
				blocks = append(blocks, 0)
			}
			if late > float64(disturbedAfter) {
				blocks[i] += float64(lookEvery)
			}
		}
	}
	return blocks
}

// untilTheEnd reports whether in some block the last deadlines were still of late timers, so that it is
// not known for how much longer they would have been.
func (r results) untilTheEnd() bool {
	s := r.ofChange(killed)
	list := looks(s)
	return len(list) > 0 && slices.Max(s.Blocks(LateAt(list[len(list)-1]))) > float64(disturbedAfter)
}

// sumOf sums up a count over all blocks.
func sumOf(s *rundata.Series, unit string) (n float64) {
	for _, v := range s.Values[unit] {
		n += v
	}
	return n
}
