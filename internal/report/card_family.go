package report

import (
	"slices"
	"strings"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/report/card"
)

// cardParts are the kinds of statements that a card makes: comparisons, averages, and whether a
// scheduler is needed. Each may be false in its part of what judge.Confidence leaves.
const cardParts = 3

// cardFamily is all that a card compares. Its answers hold together, and its intervals.
type cardFamily struct {
	// questions are group by group.
	questions []inquiry
	// beside compares contestants with what Go has, in the questions that programs ask.
	beside []versus
	// slow compares drivers that run tasks inline with time.AfterFunc, beside slow tasks.
	slow []versus
}

// family compares all that a card has a line of. Contestants with wrong answers are compared
// with none, and presets stand elsewhere.
func (v *view) family(wrong []card.Wrong) (f cardFamily) {
	var fields []judge.Field
	for _, g := range v.groups() {
		for _, t := range g.topics {
			for _, p := range t.places {
				p.negligible = max(p.negligible, t.noticed)
				field := judge.Field{Contenders: compared(p.contenders, wrong), Terms: v.terms(t, p, cardParts)}
				if len(judge.Rank(field.Contenders)) < 2 {
					continue
				}
				group := g.word
				if v.replaysOnly() {
					group = p.name
				}
				fields, f.questions = append(fields, field), append(f.questions, inquiry{t, p, group})
			}
		}
	}
	var pairs []judge.Pair
	for i, q := range f.questions {
		if q.votes {
			f.beside, pairs = v.besideGo(q, fields[i], f.beside, pairs)
		}
	}
	n := len(pairs)
	f.slow, pairs = v.slowPairs(wrong, pairs)
	contests, others := judge.CompeteTogether(fields, pairs)
	for i, c := range contests {
		f.questions[i].here.Contest = c
	}
	for i := range f.beside {
		f.beside[i].Comparison = others[i]
	}
	for i := range f.slow {
		f.slow[i].Comparison = others[n+i]
	}
	return f
}

// compared returns the contenders of a card.
func compared(contenders []judge.Contender, wrong []card.Wrong) []judge.Contender {
	return slices.DeleteFunc(slices.Clone(contenders), func(c judge.Contender) bool { return isWrong(c.Name, wrong) || preset(c.Name) })
}

// besideGo adds the pairs of a question that compare contestants with what Go has.
func (v *view) besideGo(q inquiry, field judge.Field, all []versus, pairs []judge.Pair) ([]versus, []judge.Pair) {
	i := slices.IndexFunc(field.Contenders, func(c judge.Contender) bool {
		return c.Name == catalog.RuntimeTimer || c.Name == catalog.ContainerHeap
	})
	if i < 0 {
		return all, pairs
	}
	q.yardstick = field.Contenders[i].Name
	for _, c := range field.Contenders {
		if !baseline(c.Name) {
			all = append(all, versus{name: c.Name, topic: q.topic, place: q.here.name})
			pairs = append(pairs, judge.Pair{A: c.Blocks, B: field.Contenders[i].Blocks, Terms: field.Terms})
		}
	}
	return all, pairs
}

// slowPairs adds the pairs that compare drivers with time.AfterFunc beside slow tasks.
func (v *view) slowPairs(wrong []card.Wrong, pairs []judge.Pair) (all []versus, _ []judge.Pair) {
	late := func(name, running, task string) []float64 {
		return blocksOf(v.one(rundata.Slow, "impl="+name, "running="+running, "task="+task), rundata.P99Late)
	}
	for _, task := range rundata.Distinct(v.data.Select(rundata.Slow), "task") {
		t := topic{name: "lateness, 99th percentile,", takes: "as late", where: "where %s", yardstick: catalog.RuntimeTimer}
		base := late(catalog.RuntimeTimer, rundata.RunRuntime, task)
		for _, name := range v.candidates() {
			own := late(name, rundata.RunInline, task)
			if len(own) == 0 || len(base) == 0 || isWrong(name, wrong) || isWrong(catalog.RuntimeTimer, wrong) {
				continue
			}
			all = append(all, versus{name: name, topic: t, place: slowTaskName(task)})
			pairs = append(pairs, judge.Pair{A: own, B: base, Terms: judge.Terms{Comparisons: cardParts, Margin: v.opt.Margin, Negligible: noticedLate}})
		}
	}
	return all, pairs
}

// voting returns the questions that decide what to take: those that programs ask. Where a run
// has none of them, all questions do but the slowest calls, or else these too.
func (f cardFamily) voting() (votes []inquiry, asked bool) {
	tail := func(q inquiry) bool { return strings.HasPrefix(q.label(), "tail") }
	only := func(wanted func(inquiry) bool) []inquiry {
		return slices.DeleteFunc(slices.Clone(f.questions), func(q inquiry) bool { return !wanted(q) })
	}
	if votes = only(func(q inquiry) bool { return q.votes }); len(votes) > 0 {
		return votes, true
	}
	if votes = only(func(q inquiry) bool { return !tail(q) }); len(votes) > 0 {
		return votes, false
	}
	return f.questions, false
}

// averaged averages what some contestants take over questions in which at least two of them took part.
// Groups have equal weight. The topics of a group share its weight, and the places of
// a topic that of the topic.
func averaged(names []string, votes []inquiry) *judge.Averages {
	var taken []inquiry
	topics, places := map[string]int{}, map[string]int{}
	var cells []judge.Vote
	for _, q := range votes {
		of := slices.DeleteFunc(slices.Clone(q.here.contenders), func(c judge.Contender) bool {
			return !slices.Contains(names, c.Name)
		})
		if len(of) < 2 {
			continue
		}
		if places[q.topicKey()]++; places[q.topicKey()] == 1 {
			topics[q.group]++
		}
		taken, cells = append(taken, q), append(cells, judge.Vote{Contenders: of, Negligible: q.here.negligible})
	}
	for i, q := range taken {
		cells[i].Weight = 1 / float64(topics[q.group]*places[q.topicKey()])
	}
	return judge.AverageOver(cells)
}

// topicKey names the topic of a question within its group.
func (q inquiry) topicKey() string { return q.group + "\x00" + q.name }
