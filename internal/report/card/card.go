// Package card is the answer of a run on one screen: its facts, their JSON, and their words. Package report finds the
// facts; docs/card.md has the rules.
package card

import (
	"slices"
	"strings"

	"schedbench/internal/lists"
)

// Schema is the version of a card's JSON. It changes when a key gets another meaning or goes, not when a key is added.
const Schema = 5

// Card holds the facts: what to take and why, when not, which tick, the worst of each contestant, and what the run does
// not answer. docs/card.md has the keys of its JSON.
type Card struct {
	Schema   int       `json:"schema"`
	Run      Run       `json:"run"`
	Wrong    []Wrong   `json:"wrong"`
	Cautions []Caution `json:"cautions"`
	// Needed says whether a scheduler is better than time.AfterFunc: with one goroutine, and with one for each processor.
	Needed  []Need  `json:"needed"`
	Take    Take    `json:"take"`
	Because Because `json:"because"`
	// Unless says where others are clearly better. The largest difference is first.
	Unless []Unless `json:"unless"`
	Own    []Own    `json:"own"`
	// Slow compares the lateness of a driver that runs slow tasks inline with time.AfterFunc; nil if the driver is not
	// clearly later.
	Slow *Factor `json:"slow"`
	// Tick is the tick to choose, for programs that need one; nil if no tick was measured.
	Tick *Tick `json:"tick"`
	// Worst has a row for each contestant: its worst in each group.
	Worst    Table      `json:"worst"`
	Geometry []Geometry `json:"geometry"`
	Checks   Checks     `json:"checks"`
	// Open is what the run does not answer, each with a command that does.
	Open []Open `json:"open"`
}

// Paragraph is what a card says beside a label. A line break in it begins a new line.
type Paragraph struct{ Label, Text string }

// Answers are the paragraphs before the table: what is wrong with the run, what to take, why, when not, and which tick.
func (c Card) Answers() []Paragraph {
	said := lists.Each(c.Wrong, func(w Wrong) Paragraph { return Paragraph{"WRONG", w.say()} })
	said = append(said,
		Paragraph{"DO NOT TRUST", c.cautionWords(true)}, Paragraph{"CAUTION", c.cautionWords(false)},
		Paragraph{"NEEDED?", c.neededWords()}, Paragraph{"TAKE", c.takeWords()}, Paragraph{"BECAUSE", c.becauseWords()},
		Paragraph{"UNLESS", c.unlessWords()}, Paragraph{"YOUR OWN", strings.Join(lists.Each(c.Own, Own.say), "\n")}, Paragraph{"IF YOU TICK", c.tickWords()})
	return slices.DeleteFunc(said, func(p Paragraph) bool { return p.Text == "" })
}

// Run describes the run.
type Run struct {
	Machine  string  `json:"machine"`
	Cores    int     `json:"cores"`
	Go       string  `json:"go"`
	System   string  `json:"system"`
	Seconds  float64 `json:"seconds"`
	Complete bool    `json:"complete"`
	// Margin is the share by which contestants may differ and be as fast. Resolves is the smallest difference that is
	// significant in half of the comparisons.
	Margin   Figure `json:"margin"`
	Resolves Figure `json:"resolves"`
}

// Wrong counts the wrong answers of a contestant.
type Wrong struct {
	Name string `json:"name"`
	// Control reports whether it is a control, and no contestant.
	Control bool `json:"-"`
	Lost    int  `json:"lost"`
	Early   int  `json:"early"`
	Doubled int  `json:"doubled"`
	// Replays are the workloads in which its answers differ from the model's.
	Replays []string `json:"replays"`
}

// Caution is a reason not to trust a run.
type Caution struct {
	// Grave means that the run is worthless.
	Grave bool   `json:"grave"`
	What  string `json:"what"`
}

// Kinds of Take.
const (
	// TakeOne: one contestant costs less on average than all others.
	TakeOne = "one"
	// TakeSeveral: the averages do not separate some contestants. The simplest is first.
	TakeSeveral = "several"
	// TakeGo: a baseline is as fast.
	TakeGo = "go"
	// TakeOnly: only one contestant was measured.
	TakeOnly = "only"
	// TakeTune: a replay does not choose; other commands do.
	TakeTune = "tune"
	// TakeNone: no scheduler was measured, or none could hold the timers, or all gave wrong answers.
	TakeNone = "none"
)

// Take says what to take.
type Take struct {
	Kind string `json:"kind"`
	// Names are the contestants to take: one, or several that the averages do not separate.
	Names []string `json:"names"`
	// Tickless says that the first clearly keeps the limits without ticks.
	Tickless bool `json:"tickless"`
	// Tune are the commands that choose, if the run has only a replay.
	Tune []string `json:"tune,omitempty"`
	// Asked reports whether the run has cells that decide.
	Asked bool `json:"asked"`
	// Out are the excluded contestants. If every contestant has a reason to be excluded, none is, and All has the reasons.
	Out []Left `json:"out"`
	All []Left `json:"all"`
	// Left has the reasons if no contestant could hold the timers in any cell.
	Left []Left `json:"left"`
	// Averages are those of the contestants that are not excluded. The least is first.
	Averages []Average `json:"averages"`
	// Counts are those of the first name.
	Counts
}

// Counts says in how many cells a contestant is behind.
type Counts struct {
	// Cells is the number of cells that it shares with others. It is clearly behind in Behind of
	// them. In Unclear of them that is unclear.
	Cells   int `json:"cells"`
	Behind  int `json:"behind"`
	Unclear int `json:"unclear"`
	// AtWorst is the cell in which it is furthest behind; nil if it is clearly behind in none.
	AtWorst *Factor `json:"at_worst"`
}

// Average is what a contestant takes on average, as a multiple of the best in each cell.
type Average struct {
	Name  string `json:"name"`
	Ratio Figure `json:"ratio"`
	Low   Figure `json:"low"`
	High  Figure `json:"high"`
	// Answer is how it compares with the least average.
	Answer string `json:"answer"`
}

// Left says why a contestant was left out.
type Left struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

// Factor is the ratio of what two contestants take.
type Factor struct {
	Name    string `json:"name"`
	Against string `json:"against"`
	Cell    string `json:"cell"`
	Ratio   Figure `json:"ratio"`
	Low     Figure `json:"low"`
	High    Figure `json:"high"`
	Blocks  int    `json:"blocks"`
	// Answer is how the first compares with the second: faster, slower, as fast, unclear.
	Answer string `json:"answer"`

	// Explains says that its cell does not decide what to take.
	Explains bool `json:"-"`
	// Takes is what the ratio is followed by, such as "as long".
	Takes string `json:"-"`
}

// Because has the figures of the choice. What was not measured is nil.
type Because struct {
	Memory *Memory `json:"memory"`
	// Idle is the CPU that the choice takes without ticks while nothing is due.
	Idle *Idle `json:"idle"`
}

// Memory is the memory of a timer, behind a driver or bare.
type Memory struct {
	Bytes   Figure `json:"bytes"`
	Pending int    `json:"pending"`
	// AfterFunc is that of time.AfterFunc; 0 unless it differs significantly.
	AfterFunc Figure `json:"after_func"`
}

// Idle is a share of a core, beyond an idle process.
type Idle struct {
	Share Figure `json:"share"`
	// Significant reports whether the share is above zero at 95 %.
	Significant bool `json:"significant"`
}

// Unless says where another contestant is clearly better.
type Unless struct {
	// Group is the column of the table.
	Group string `json:"group"`
	// When says for which programs the group matters.
	When string `json:"-"`
	// Worst is the cell in which the choice is furthest behind, and Cells the number of cells in which it is behind.
	Worst Factor `json:"worst"`
	Cells int    `json:"cells"`
}

// Need compares what time.AfterFunc and a contestant take for starting and stopping a timer.
type Need struct {
	Goroutines int    `json:"goroutines"`
	Pending    int    `json:"pending"`
	Name       string `json:"name"`
	// CPU reports whether the figures are CPU time of the process, not the caller's time.
	CPU bool `json:"cpu"`
	// More is how many nanoseconds time.AfterFunc takes more for a start and a stop.
	More   Figure `json:"more"`
	Low    Figure `json:"low"`
	High   Figure `json:"high"`
	Blocks int    `json:"blocks"`
	// Answer is that time.AfterFunc is slower, faster or unclear.
	Answer string `json:"answer"`
	// Rate is the number of starts and stops a second at which the difference is 0.1 % of a core.
	Rate Figure `json:"rate"`
}

// Geometry is the tick and the slots of a contestant.
type Geometry struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Tick compares ticks.
type Tick struct {
	Name string `json:"name"`
	// Tick is the longest that keeps the limits with its whole interval, "" if none does. The limits are P99 for
	// lateness at the 99th percentile, in seconds, and CPU for the share of a core while idle.
	Tick string `json:"tick"`
	P99  Figure `json:"p99"`
	CPU  Figure `json:"cpu"`
	// Least is the least share of a core that the run can measure.
	Least Figure `json:"least"`
	// Ticks ascend; the last is without ticks, if that was measured.
	Ticks []TickGives `json:"ticks"`
}

// TickGives has the lateness and CPU of a tick: means over blocks. CPU never grows with the tick.
type TickGives struct {
	Tick string `json:"tick"`
	P99  Figure `json:"p99"`
	CPU  Figure `json:"cpu"`
	// Meets says whether it keeps the limits: holds, fails, or unclear.
	Meets string `json:"meets"`
}

// Table is the worst of each contestant in each group.
type Table struct {
	Columns []string `json:"columns"`
	Explain []string `json:"explain,omitempty"` // those of the columns that do not decide what to take
	Rows    []Row    `json:"rows"`
}

// Row is that of a contestant.
type Row struct {
	Name  string `json:"name"`
	Cells []Cell `json:"cells"`
}

// States of a cell of the table of a card.
const (
	CellBehind  = "behind" // takes significantly more, so many times as much
	CellSame    = "same"   // as fast as the best, or significantly ahead of all others
	CellAhead   = "ahead"  // in front, but not significantly ahead of all others
	CellUnclear = "unclear"
	CellNone    = "none" // not measured
)

// Cell is the worst of a contestant in a group.
type Cell struct {
	State string `json:"state"`
	// Worst is the comparison behind the state; nil if nothing was measured.
	Worst *Factor `json:"worst"`
}

// Checks counts the answers that were checked.
type Checks struct {
	Fired    int `json:"fired"`
	Replayed int `json:"replayed"`
	// EarlyByDesign are the contestants that fire timers early by design.
	EarlyByDesign []string `json:"early_by_design"`
}

// Open is something that a run does not answer.
type Open struct {
	What string `json:"question"`
	// Command answers it, or shows how.
	Command string `json:"command"`
}

// Own compares one of the program's own contestants with all others.
type Own struct {
	Name string `json:"name"`
	// Counts are of all cells. Cells in which it is ahead, but not clearly, are Unclear.
	Counts
	// AsFast are the other cells: it is the fastest, or as fast.
	AsFast []string `json:"as_fast"`
	// Breaks are the rules of schedtest that it breaks.
	Breaks []string `json:"breaks,omitempty"`
}
