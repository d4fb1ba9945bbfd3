package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"schedbench/harness/rundata"
	"schedbench/internal/report/text"
	"schedbench/internal/words"
)

// Operation is something that is done to timers and measured: what data call it, the words
// for it, and what is done. Charts, tables, sentences and pages take their words from here.
type Operation struct {
	// Name is the value of op in the data, which keep it when words change. Outside of cost cells it is the word.
	Name string
	// Word is what people read, such as idle tick, and Brief says in a few words what it is.
	Word, Brief string
	// Meaning is one line of explanation, that goes on after a colon.
	Meaning string
	// asks is the title of the chart of its cost, "" if it has none.
	asks string
}

// Line explains the operation where it is first shown: "pair: cancel one timer ...".
func (o Operation) Line() string { return o.Word + ": " + o.Meaning }

// operations are all, in the order in which they are shown: those of cost cells first.
var operations = []Operation{
	{rundata.OpInsert, "insert", "one more timer", "insert a timer while n others are pending",
		"What does inserting a timer cost, with n others pending?"},
	{rundata.OpPair, "pair", "cancel one, insert another", "cancel one timer and insert another, n staying pending",
		"What does cancelling a timer and inserting another cost, with n pending?"},
	{rundata.OpReset, "reset", "move a deadline", "move a pending timer to another deadline, n staying pending",
		"What does moving a timer to another deadline cost, with n pending?"},
	{rundata.OpExpire, "expire", "take out what is due", "go to the next deadline, as a driver does that sleeps until then, and take out what is due, n staying pending; the time is that of one timer",
		"What does expiring a timer cost, with n pending?"},
	{rundata.OpTick, "idle tick", "an Expire with nothing due", "a call of Expire, a millisecond after the last, at which nothing is due",
		"What does a tick with nothing due cost, with n pending?"},
	{rundata.OpLivePair, "AfterFunc and Stop", "pair, in a running program", "stop one timer and start another that would call a function, in a running program, n staying pending", ""},
	{rundata.OpLiveReset, "Timer.Reset", "reset, in a running program", "move a timer of a running program to another deadline, n staying pending", ""},
	{Name: "replay", Word: "replay", Brief: "do what a program asked", Meaning: "do what a program asks of its timers, in virtual time; " +
		"an operation is an insertion, a reset or a cancellation, and expiries are charged to them"},
	{Name: "burst", Word: "burst", Brief: "all due at once", Meaning: "start many timers of one deadline, and wait until the last has run"},
	{Name: "Schedule", Word: "Schedule", Brief: "insert, one call", Meaning: "insert a timer"},
	{Name: "Cancel", Word: "Cancel", Brief: "cancel, one call", Meaning: "take a pending timer back"},
	{Name: "Reset", Word: "Reset", Brief: "reset, one call", Meaning: "move a pending timer to another deadline"},
	{Name: "Expire", Word: "Expire", Brief: "expire, one call", Meaning: "move the clock on and take out what is due, all of it in one call"},
	{Name: "Next", Word: "Next", Brief: "when to wake", Meaning: "ask when something may be due next"},
	{Name: "AfterFunc", Word: "AfterFunc", Brief: "Schedule, on the real clock", Meaning: "start a timer that will call a function, on the real clock"},
	{Name: "Stop", Word: "Stop", Brief: "Cancel, on the real clock", Meaning: "take such a timer back"},
}

// OperationOf returns the operation that data, or people, call by a name. One that is not known is called by that name.
func OperationOf(name string) Operation {
	if i := slices.IndexFunc(operations, func(o Operation) bool { return o.Name == name || o.Word == name }); i >= 0 {
		return operations[i]
	}
	return Operation{Name: name, Word: name}
}

func (o Operation) title() string {
	return cmp.Or(o.asks, fmt.Sprintf("What does %s cost, with n pending?", o.Word))
}

// heading writes the word with what it is in a few words, for a panel among others.
func (o Operation) heading() string {
	if o.Brief == "" {
		return o.Word
	}
	return o.Word + " (" + o.Brief + ")"
}

// explain adds a line on an operation to the notes of a table.
func explain(t *text.Table, o Operation) {
	if o.Meaning != "" {
		t.Notes = append(t.Notes, o.Line()+".")
	}
}

// group is a few measures that make one column: of the chart of regret and of the table of the card.
type group struct {
	// word heads a column, and meaning is a line of explanation that goes on after a colon.
	word, meaning string
	// when says for which programs it matters most.
	when     string
	measures []measure
}

// allGroups lists the groups, in the order in which they are shown, without measures. The
// first six have measures that programs ask. What bare schedulers do explains these.
func allGroups() []group {
	brief := func(word string) string { return OperationOf(word).Brief }
	return []group{
		{word: "replay", when: "your program is like the one named", meaning: brief("replay")},
		{word: "pair", when: "timers are mostly started and stopped", meaning: brief("pair") + ", bare or by AfterFunc and Stop"},
		{word: "reset", when: "timers are mostly moved", meaning: brief("reset") + ", bare or by Timer.Reset"},
		{word: "lateness", when: "lateness counts", meaning: "99th percentile of how late functions begin, without ticks"},
		{word: "memory", when: "memory or collections count", meaning: "for each timer, and the time of a garbage collection"},
		{word: "idle", when: "idling counts", meaning: "CPU without ticks, and a tick with nothing due"},
		{word: "insert", when: "timers are mostly started", meaning: brief("insert")},
		{word: "expire", when: "most timers come due", meaning: "take out what is due, few at a time or a burst at once"},
		{word: "tail", when: "one long {call} hurts", meaning: "the 99.9th percentile of a call"},
	}
}

// groups returns the groups that a run has measures of. A measure without a group is one by itself, after the others.
func (v *Report) groups() (found []group) {
	all := allGroups()
	for _, t := range v.choices() {
		word := cmp.Or(t.group, t.name)
		i := slices.IndexFunc(all, func(g group) bool { return g.word == word })
		if i < 0 {
			i = len(all)
			all = append(all, group{word: word})
		}
		all[i].measures = append(all[i].measures, t)
	}
	return slices.DeleteFunc(all, func(g group) bool { return len(g.measures) == 0 })
}

// line explains the group: "pair: cancel one, insert another, ...".
func (g group) line() string { return strings.Join(words.Said(g.word, g.meaning), ": ") }
