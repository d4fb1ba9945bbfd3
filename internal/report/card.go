package report

import (
	"math"
	"strconv"

	"schedbench/harness/rundata"
	"schedbench/internal/judge"
)

// CardSchema is the version of the form of a card's facts. It changes when a key gets
// another meaning or goes; keys that are added leave it.
const CardSchema = 3

// Card is the answer of a run on one screen: what to take and why, when not, which tick,
// what each choice costs at worst, and what this run does not answer. It holds facts;
// docs/card.md says by which rules they follow, and what the keys of its JSON mean.
type Card struct {
	Schema int     `json:"schema"`
	Run    CardRun `json:"run"`
	// Wrong are the contestants whose answers were wrong: do not take them.
	Wrong []CardWrong `json:"wrong"`
	// Cautions say why the run is not worth trusting, or not as far as others.
	Cautions []CardCaution `json:"cautions"`
	// Needed says whether a scheduler is needed at all: by one goroutine, and by as many as
	// processors.
	Needed []CardNeed `json:"needed"`
	Take   CardTake   `json:"take"`
	// Because are figures of who is to be taken.
	Because CardBecause `json:"because"`
	// Unless says where others are clearly better, the largest difference first.
	Unless []CardUnless `json:"unless"`
	// Own are the contestants from outside.
	Own []CardOwn `json:"own"`
	// Slow compares a driver that runs tasks inline with time.AfterFunc, beside slow tasks; nil
	// if it is not clearly later.
	Slow *CardFactor `json:"slow"`
	// Tick is which tick to choose, for who needs one. It is nil if no tick was measured.
	Tick *CardTick `json:"tick"`
	// Worst has a row for each contender: its worst in each group.
	Worst CardTable `json:"worst"`
	// Geometry says with what ticks and slots contestants were measured, as far as the data do.
	Geometry []CardGeometry `json:"geometry"`
	Checks   CardChecks     `json:"checks"`
	// Open are questions that the run does not answer, each with a command that would.
	Open []CardOpen `json:"open"`
}

// CardRun says of what run a card is.
type CardRun struct {
	Machine  string  `json:"machine"`
	Cores    int     `json:"cores"`
	Go       string  `json:"go"`
	System   string  `json:"system"`
	Seconds  float64 `json:"seconds"`
	Complete bool    `json:"complete"`
	// Margin is the share by which contenders may differ and count as the same, and Resolves
	// the smallest difference that is significant in half of the comparisons of the run.
	Margin   Figure `json:"margin"`
	Resolves Figure `json:"resolves"`
}

// CardWrong counts the wrong answers of a contestant.
type CardWrong struct {
	Name    string `json:"name"`
	Lost    int    `json:"lost"`
	Early   int    `json:"early"`
	Doubled int    `json:"doubled"`
	// Replays are the workloads in which its answers are not those of the model.
	Replays []string `json:"replays"`
}

// CardCaution is a reason not to trust a run.
type CardCaution struct {
	// Grave says that the run is not to be trusted at all.
	Grave bool   `json:"grave"`
	What  string `json:"what"`
}

// Kinds of what a card says to take.
const (
	// TakeOne is that one contestant costs less on average than all others.
	TakeOne = "one"
	// TakeSeveral is that the averages do not separate some, of which the simplest is first.
	TakeSeveral = "several"
	// TakeGo is that what Go has is as good.
	TakeGo = "go"
	// TakeOnly is that there was only one to choose from.
	TakeOnly = "only"
	// TakeTune is that a replay does not choose, and which commands do.
	TakeTune = "tune"
	// TakeNone is that all answers were wrong, or that none was measured or could hold the timers.
	TakeNone = "none"
)

// CardTake says what to take.
type CardTake struct {
	Kind string `json:"kind"`
	// Names are what to take: one contestant, or several that are not separated.
	Names []string `json:"names"`
	// Tickless says that the first clearly meets what is required without ticks.
	Tickless bool `json:"tickless"`
	// Tune are the commands that choose, if a replay was all that was measured.
	Tune []string `json:"tune,omitempty"`
	// Asked says that questions decided that programs ask. If not, the run has none of them.
	Asked bool `json:"asked"`
	// Out are the contestants that were excluded. All are those for which there was a reason,
	// if there was one for each.
	Out []CardLeft `json:"out"`
	All []CardLeft `json:"all"`
	// Left are those that could hold the timers nowhere, if that holds for all.
	Left []CardLeft `json:"left"`
	// Averages are what each that was not excluded takes on average, the least first.
	Averages []CardAverage `json:"averages"`
	// Questions is in how many questions the first of the names took part with others, Behind
	// in how many it is clearly behind, and Unclear in how many that is unclear.
	Questions int `json:"questions"`
	Behind    int `json:"behind"`
	Unclear   int `json:"unclear"`
	// AtWorst is where it is clearly behind by most; nil if it is nowhere.
	AtWorst *CardFactor `json:"at_worst"`
}

// CardAverage is what a contestant takes on average, as a multiple of the best in each question.
type CardAverage struct {
	Name  string `json:"name"`
	Ratio Figure `json:"ratio"`
	Low   Figure `json:"low"`
	High  Figure `json:"high"`
	// Answer is how it compares with the least average.
	Answer string `json:"answer"`
}

// CardLeft says why a contestant was left out.
type CardLeft struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

// CardFactor is how many times as much of something one takes as another.
type CardFactor struct {
	Name    string `json:"name"`
	Against string `json:"against"`
	// Question is the question, with its place.
	Question string `json:"question"`
	Ratio    Figure `json:"ratio"`
	Low      Figure `json:"low"`
	High     Figure `json:"high"`
	Blocks   int    `json:"blocks"`
	// Answer is how the first compares with the second: faster, slower, as fast, unclear.
	Answer string `json:"answer"`

	takes string
}

// CardBecause has the figures that speak for a choice; what was not measured is nil.
type CardBecause struct {
	// AfterFunc compares time.AfterFunc with it.
	AfterFunc *CardFactor `json:"after_func"`
	// Goroutines compares time.AfterFunc with it by one goroutine and by the most measured, at
	// AfterFunc and Stop. It is empty if only one number was measured.
	Goroutines []CardGoroutines `json:"goroutines"`
	// Memory is what a timer of it takes.
	Memory *CardMemory `json:"memory"`
	// Idle is the share of a core that it takes without ticks while nothing is due.
	Idle *CardIdle `json:"idle"`
}

// CardMemory is what a timer takes up, in bytes, behind a driver or bare.
type CardMemory struct {
	Bytes   Figure `json:"bytes"`
	Pending int    `json:"pending"`
	// AfterFunc is that of time.AfterFunc, if that differs significantly; 0 if not.
	AfterFunc Figure `json:"after_func"`
}

// CardIdle is a share of a core, beyond an idle process.
type CardIdle struct {
	Share Figure `json:"share"`
	// Significant reports whether the share is above zero at 95 %.
	Significant bool `json:"significant"`
}

// CardUnless says where another contestant is clearly better.
type CardUnless struct {
	// Group is the column of the table that it is about.
	Group string `json:"group"`
	// Worst is where the chosen one is behind by most, and Places how many such there are.
	Worst  CardFactor `json:"worst"`
	Places int        `json:"places"`
}

// CardNeed compares what time.AfterFunc and a contestant take for starting and stopping a timer.
type CardNeed struct {
	Goroutines int    `json:"goroutines"`
	Pending    int    `json:"pending"`
	Name       string `json:"name"`
	// CPU says that the figures are CPU time of the process, and not the time of the caller.
	CPU bool `json:"cpu"`
	// More is how many nanoseconds time.AfterFunc takes more for a start and a stop.
	More   Figure `json:"more"`
	Low    Figure `json:"low"`
	High   Figure `json:"high"`
	Blocks int    `json:"blocks"`
	// Answer is that time.AfterFunc is slower, faster or unclear.
	Answer string `json:"answer"`
	// Rate is how many starts and stops a second make a difference of 0.1 % of a core.
	Rate Figure `json:"rate"`
}

// CardGeometry says with what tick and slots a contestant was measured.
type CardGeometry struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// CardTick says what ticks give.
type CardTick struct {
	Name string `json:"name"`
	// Tick is the longest that keeps the limits with its whole interval, "" if none does. The
	// limits are P99 for lateness at the 99th percentile, in seconds, and CPU for the share of
	// a core while idle.
	Tick string `json:"tick"`
	P99  Figure `json:"p99"`
	CPU  Figure `json:"cpu"`
	// Least is the least share of a core that the run can measure.
	Least Figure `json:"least"`
	// Ticks is what each gives, ascending; the last is without ticks, if that was measured.
	Ticks []CardTickGives `json:"ticks"`
}

// CardTickGives is what a tick gives: means over blocks. CPU never grows with the tick.
type CardTickGives struct {
	Tick string `json:"tick"`
	P99  Figure `json:"p99"`
	CPU  Figure `json:"cpu"`
	// Meets says whether it keeps the limits: holds, fails, or unclear.
	Meets string `json:"meets"`
}

// CardTable is the worst of each contender in each group.
type CardTable struct {
	Columns []string  `json:"columns"`
	Rows    []CardRow `json:"rows"`
}

// CardRow is of a contender.
type CardRow struct {
	Name  string     `json:"name"`
	Cells []CardCell `json:"cells"`
}

// States of a cell of the table of a card.
const (
	CellBehind = "behind" // takes significantly more, so many times as much
	CellSame   = "same"   // as good as the best, or significantly ahead of all others
	CellFront  = "front"  // in front, but not significantly ahead of all others
	CellOpen   = "open"   // unclear
	CellNone   = "none"   // not measured
)

// CardCell is the worst of a contender in a group.
type CardCell struct {
	State string `json:"state"`
	// Worst is where that is, if it was measured.
	Worst *CardFactor `json:"worst"`
}

// CardChecks counts the answers that were checked.
type CardChecks struct {
	Fired    int `json:"fired"`
	Replayed int `json:"replayed"`
	// EarlyByDesign are the contestants that fire timers early by design.
	EarlyByDesign []string `json:"early_by_design"`
}

// CardOpen is a question that a run does not answer.
type CardOpen struct {
	Question string `json:"question"`
	// Command measures it, or shows how.
	Command string `json:"command"`
}

// Figure is a number that may be none: then it is null in JSON.
type Figure float64

// MarshalJSON writes null for what is not a number, or infinite.
func (f Figure) MarshalJSON() ([]byte, error) {
	if !f.known() {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, float64(f), 'g', 5, 64), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (f *Figure) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*f = Figure(math.NaN())
		return nil
	}
	v, err := strconv.ParseFloat(string(text), 64)
	*f = Figure(v)
	return err
}

func (f Figure) known() bool { return !math.IsNaN(float64(f)) && !math.IsInf(float64(f), 0) }

// NewCard returns what a run comes to, by package judge.
func NewCard(d *rundata.Data, opt Options) Card {
	v := newView(d, opt)
	wrong := v.wrongAnswers()
	f := v.family(wrong)
	take := v.take(f, wrong)
	c := Card{
		Schema: CardSchema, Run: v.cardRun(), Wrong: wrong, Cautions: v.cautions(), Needed: v.needed(take),
		Take: take, Tick: v.cardTick(), Worst: v.cardTable(f.questions), Geometry: v.geometry(), Checks: v.cardChecks(),
		Own: v.cardOwn(f.questions),
	}
	c.Open = v.open(f.questions, c)
	if len(take.Names) > 0 {
		name := take.Names[0]
		c.Because, c.Unless, c.Slow = v.because(name, f), unless(name, f.questions), v.slowTrap(name, f)
		c.Take.Tickless = v.ticklessMeets(name)
		c.Because.Goroutines = byGoroutines(f.beside, name)
	}
	return c
}

// factor returns a comparison as a card has it.
func factor(name, against, question, takes string, c judge.Comparison) *CardFactor {
	return &CardFactor{Name: name, Against: against, Question: question, Ratio: Figure(c.Ratio), Low: Figure(c.Low), High: Figure(c.High),
		Blocks: c.Blocks, Answer: c.Answer.String(), takes: takes}
}

// factor returns how a stand compares with the best.
func (s stand) factor(name string) *CardFactor {
	return factor(name, s.here.First().Name, s.spot(), s.takes, s.toFirst)
}
