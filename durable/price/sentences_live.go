package price

import (
	"fmt"
	"slices"
	"time"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/words"
	"schedbench/judge"
)

// sameLate is the difference in lateness that counts as none.
const sameLate = 100 * time.Microsecond

// liveSentences say how late timers fire, and what waiting costs.
func (r results) liveSentences() []string {
	n := r.heldTold(LiveExperiment)
	return slices.Concat([]string{r.checkSentence(), r.soakSentence(), r.lateSentence(n), r.aloneSentence(n), r.clusterLate()},
		r.changeSentences(), []string{r.restSentence(n), r.restBeside(n)}, r.pollSentences())
}

// checkSentence says whether every timer fired once, and none early. Where a server is killed, timers may
// fire twice: at least once is what is promised.
func (r results) checkSentence() string {
	sum := func(unit string) (n float64) {
		for _, s := range r.data.Series {
			n += sumOf(s, unit)
		}
		return n
	}
	var again float64
	if s := r.ofChange(killed); s != nil {
		again = sumOf(s, rundata.Doubled)
	}
	fired, early, lost, doubled := sum(rundata.Fired), sum(rundata.Early), sum(rundata.Lost), sum(rundata.Doubled)-again
	switch {
	case fired+early+lost+doubled == 0:
		return ""
	case early+lost+doubled == 0:
		once := "once"
		if again > 0 {
			once = fmt.Sprintf("once, but for %.0f that ran twice where a server was killed,", again)
		}
		return fmt.Sprintf("Every one of %s timers fired %s and not early.", words.Count(fired), once)
	}
	return fmt.Sprintf("The answers are WRONG: of %s timers that fired, %g were early and %g fired twice, and %g never fired.", words.Count(fired), early, doubled, lost)
}

// late returns the lateness of somebody at the 99th percentile.
func (r results) late(experiment string, k Keeper, n int) []float64 {
	return r.blocks(experiment, k, n, rundata.P99Late)
}

// lateSentence says how late durable timers are beside those of the driver alone.
func (r results) lateSentence(n int) string {
	durable, alone := r.late(LiveExperiment, durableNow, n), r.late(LiveExperiment, wheel, n)
	if len(durable) == 0 || len(alone) == 0 {
		return ""
	}
	return fmt.Sprintf("99 %% of durable timers are at most %s late, and %s by the driver of %s alone: %s.",
		figure(durable, words.Nanos), figure(alone, words.Nanos), catalog.Hier, later(durable, alone, sameLate))
}

// later says how much later one is than another, where a difference up to same counts as none.
func later(a, b []float64, same time.Duration) string {
	d := judge.Differ(a, b, float64(same), judge.Terms{Comparisons: 1})
	switch d.Answer {
	case judge.AsFast:
		return fmt.Sprintf("they are no more than %s apart, which counts as none", words.Time(float64(same)))
	case judge.Slower, judge.Faster:
		return words.Difference(d.Value, d.Low, d.High, words.Time, "")
	}
	return fmt.Sprintf("what lies between them cannot be told (%s; %s)", words.Difference(d.Value, d.Low, d.High, words.Time, ""), moreBlocks(d.More()))
}

// aloneSentence says what the wheel near is good for.
func (r results) aloneSentence(n int) string {
	engine := r.late(LiveExperiment, engineAlone, n)
	return sentence(fmt.Sprintf("Without the wheel near, the engine alone is at most %s late for 99 %% of timers, which is ", figure(engine, words.Nanos)),
		compare("as late", told{a: engine, b: r.late(LiveExperiment, durableNow, n), than: "with it"})...)
}

// clusterLate says how late timers are that servers elsewhere keep.
func (r results) clusterLate() string {
	n := r.mostHeldBy(LiveExperiment, cluster)
	far := r.late(LiveExperiment, cluster, n)
	near := r.late(LiveExperiment, durableNow, r.heldTold(LiveExperiment))
	if len(far) == 0 || len(near) == 0 {
		return ""
	}
	return fmt.Sprintf("On %d servers 99 %% of timers are at most %s late; beside those embedded: %s.", clusterSize, figure(far, words.Nanos), later(far, near, sameLate))
}

// rest returns the share of a core that somebody takes while nothing is due, servers of its own
// included.
func (r results) rest(experiment string, k Keeper, n int) (shares []float64) {
	servers := r.blocks(experiment, k, n, ServersCPU)
	for i, ns := range r.blocks(experiment, k, n, rundata.CPUPerSecond) {
		if i < len(servers) {
			ns += servers[i]
		}
		shares = append(shares, ns/1e9)
	}
	return shares
}

// restSentence says what timers that are held cost while none is due, beside what the engine
// costs without any.
func (r results) restSentence(n int) string {
	holding, none := r.rest(LiveExperiment, durableNow, n), r.rest(LiveExperiment, durableNow, 0)
	if len(holding) == 0 || len(none) == 0 {
		return ""
	}
	return fmt.Sprintf("While nothing is due, %s held take %s of a core; the engine that holds none takes %s: %s.",
		timers(n), share(holding), share(none), costlier(holding, none, 1))
}

// restBeside says the same beside timers in memory.
func (r results) restBeside(n int) string {
	holding, memory := r.rest(LiveExperiment, durableNow, n), r.rest(LiveExperiment, wheel, n)
	if len(holding) == 0 || len(memory) == 0 {
		return ""
	}
	return fmt.Sprintf("In memory %s takes %s with as many: %s.", catalog.Hier, share(memory), costlier(holding, memory, 1))
}

// share writes a share of a core with its interval.
func share(blocks []float64) string {
	e := judge.Mean(blocks)
	return words.Interval(e.Value, e.Low, e.High, words.Share)
}

// costlier says how much more of a core one takes than another.
func costlier(a, b []float64, comparisons int) string {
	d := judge.Differ(a, b, judge.Imperceptible, judge.Terms{Comparisons: comparisons})
	switch d.Answer {
	case judge.AsFast:
		return fmt.Sprintf("they are no more than %s of a core apart, which counts as none", words.Share(judge.Imperceptible))
	case judge.Slower, judge.Faster:
		return words.Difference(d.Value, d.Low, d.High, words.Share, " of a core")
	}
	return fmt.Sprintf("what lies between them cannot be told (%s; %s)", words.Difference(d.Value, d.Low, d.High, words.Share, " of a core"), moreBlocks(d.More()))
}

// pollSentences say of each interval what a poll gives and costs, beside durable timers.
func (r results) pollSentences() (said []string) {
	n := r.heldTold(PollExperiment)
	late, rest := r.late(PollExperiment, durableNow, n), r.rest(PollExperiment, durableNow, n)
	var polls []Keeper
	for _, k := range r.keepers(PollExperiment) {
		if k.Impl == Poll && len(r.late(PollExperiment, k, n)) > 0 && len(late) > 0 {
			polls = append(polls, k)
		}
	}
	var latenesses []judge.Pair
	for _, k := range polls {
		latenesses = append(latenesses, judge.Pair{A: r.late(PollExperiment, k, n), B: late, Terms: judge.Terms{Negligible: float64(sameLate), Comparisons: 2}})
	}
	for i, c := range judge.CompareTogether(latenesses, len(polls)) {
		k := polls[i]
		own := r.rest(PollExperiment, k, n)
		d := judge.Differ(own, rest, judge.Imperceptible, judge.Terms{Comparisons: 2 * len(polls)})
		said = append(said, fmt.Sprintf("A poll each %v is at most %s late for 99 %% of timers and takes %s of a core while nothing is due: %s.",
			k.Interval, figure(latenesses[i].A, words.Nanos), share(own), weighed(c, d)))
	}
	return said
}

// weighed says where a poll stands beside durable timers: how late it is, and what it costs.
func weighed(late judge.Comparison, rest judge.Difference) string {
	cost := "for CPU time that is not told apart from theirs"
	switch rest.Answer {
	case judge.Slower:
		cost = "for more CPU time"
	case judge.Faster:
		cost = "for less CPU time"
	case judge.AsFast:
		cost = "for as much CPU time"
	}
	than := " as durable timers"
	if late.Answer == judge.CannotTell {
		than = " from durable timers"
	}
	return ratio(late, "as late", than) + ", " + cost
}
