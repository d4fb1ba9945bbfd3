// Package card is the answer of a run on one screen: its facts, the form of their JSON, and how
// they are written in words. Package report finds the facts; docs/card.md says by which rules.
package card

// Schema is the version of the form of a card's facts. It changes when a key gets
// another meaning or goes; keys that are added leave it.
const Schema = 4

// Card is the answer of a run on one screen: what to take and why, when not, which tick,
// what each choice costs at worst, and what this run does not answer. It holds facts;
// docs/card.md says by which rules they follow, and what the keys of its JSON mean.
type Card struct {
	Schema int `json:"schema"`
	Run    Run `json:"run"`
	// Wrong are the contestants whose answers were wrong: do not take them.
	Wrong []Wrong `json:"wrong"`
	// Cautions say why the run is not worth trusting, or not as far as others.
	Cautions []Caution `json:"cautions"`
	// Needed says whether a scheduler is needed at all: by one goroutine, and by as many as processors.
	Needed []Need `json:"needed"`
	Take   Take   `json:"take"`
	// Because are the figures of the choice.
	Because Because `json:"because"`
	// Unless says where others are clearly better, the largest difference first.
	Unless []Unless `json:"unless"`
	// Own are the contestants from outside.
	Own []Own `json:"own"`
	// Slow compares a driver that runs tasks inline with time.AfterFunc, beside slow tasks; nil
	// if it is not clearly later.
	Slow *Factor `json:"slow"`
	// Tick is the tick to choose, for programs that need one. It is nil if no tick was measured.
	Tick *Tick `json:"tick"`
	// Worst has a row for each contestant: its worst in each group.
	Worst Table `json:"worst"`
	// Geometry says with what ticks and slots contestants were measured, as far as the data do.
	Geometry []Geometry `json:"geometry"`
	Checks   Checks     `json:"checks"`
	// Open are questions that the run does not answer, each with a command that would.
	Open []Open `json:"open"`
}

// Run says of what run a card is.
type Run struct {
	Machine  string  `json:"machine"`
	Cores    int     `json:"cores"`
	Go       string  `json:"go"`
	System   string  `json:"system"`
	Seconds  float64 `json:"seconds"`
	Complete bool    `json:"complete"`
	// Margin is the share by which contestants may differ and count as the same, and Resolves
	// the smallest difference that is significant in half of the comparisons of the run.
	Margin   Figure `json:"margin"`
	Resolves Figure `json:"resolves"`
}

// Wrong counts the wrong answers of a contestant.
type Wrong struct {
	Name string `json:"name"`
	// Control says that it is no contestant but a control.
	Control bool `json:"-"`
	Lost    int  `json:"lost"`
	Early   int  `json:"early"`
	Doubled int  `json:"doubled"`
	// Replays are the workloads in which its answers are not those of the model.
	Replays []string `json:"replays"`
}

// Caution is a reason not to trust a run.
type Caution struct {
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
	// TakeGo says that a baseline is as good.
	TakeGo = "go"
	// TakeOnly is that there was only one to choose from.
	TakeOnly = "only"
	// TakeTune is that a replay does not choose, and which commands do.
	TakeTune = "tune"
	// TakeNone is that all answers were wrong, or that none was measured or could hold the timers.
	TakeNone = "none"
)

// Take says what to take.
type Take struct {
	Kind string `json:"kind"`
	// Names are what to take: one contestant, or several that are not separated.
	Names []string `json:"names"`
	// Tickless says that the first clearly meets what is required without ticks.
	Tickless bool `json:"tickless"`
	// Tune are the commands that choose, if a replay was all that was measured.
	Tune []string `json:"tune,omitempty"`
	// Asked says that the cells that vote decided the choice. It is false if the run has none.
	Asked bool `json:"asked"`
	// Out are the excluded contestants. All are those that were kept although there was a reason, since each had one.
	Out []Left `json:"out"`
	All []Left `json:"all"`
	// Left are those that could hold the timers nowhere, if that holds for all.
	Left []Left `json:"left"`
	// Averages are what each that was not excluded takes on average, the least first.
	Averages []Average `json:"averages"`
	// Counts are those of the first of the names.
	Counts
}

// Counts says in how many cells a contestant is behind.
type Counts struct {
	// Cells is in how many it took part with others, Behind in how many it is clearly behind, and Unclear in
	// how many that is unclear.
	Cells   int `json:"cells"`
	Behind  int `json:"behind"`
	Unclear int `json:"unclear"`
	// AtWorst is where it is clearly behind by most; nil if it is nowhere.
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
	// Cell is what is compared, and where.
	Cell   string `json:"cell"`
	Ratio  Figure `json:"ratio"`
	Low    Figure `json:"low"`
	High   Figure `json:"high"`
	Blocks int    `json:"blocks"`
	// Answer is how the first compares with the second: faster, slower, as fast, unclear.
	Answer string `json:"answer"`

	// Explains says that its cell does not decide what to take.
	Explains bool `json:"-"`
	// Takes says how the ratio is read: so many times "as long".
	Takes string `json:"-"`
}

// Because has the figures that speak for a choice; what was not measured is nil.
type Because struct {
	// AfterFunc compares time.AfterFunc with it.
	AfterFunc *Factor `json:"after_func"`
	// Goroutines compares time.AfterFunc with it by one goroutine and by the most measured, at
	// AfterFunc and Stop. It is empty if only one number was measured.
	Goroutines []Goroutines `json:"goroutines"`
	// ByOne says that AfterFunc is of one goroutine.
	ByOne bool `json:"-"`
	// Memory is what a timer of it takes.
	Memory *Memory `json:"memory"`
	// Idle is the share of a core that it takes without ticks while nothing is due.
	Idle *Idle `json:"idle"`
}

// Memory is what a timer takes up, in bytes, behind a driver or bare.
type Memory struct {
	Bytes   Figure `json:"bytes"`
	Pending int    `json:"pending"`
	// AfterFunc is that of time.AfterFunc, if that differs significantly; 0 if not.
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
	// Group is the column of the table that it is about.
	Group string `json:"group"`
	// When says for which programs the group matters.
	When string `json:"-"`
	// Worst is where the chosen one is behind by most, and Cells in how many cells it is behind.
	Worst Factor `json:"worst"`
	Cells int    `json:"cells"`
}

// Need compares what time.AfterFunc and a contestant take for starting and stopping a timer.
type Need struct {
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

// Geometry says with what tick and slots a contestant was measured.
type Geometry struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Tick says what ticks give.
type Tick struct {
	Name string `json:"name"`
	// Tick is the longest that keeps the limits with its whole interval, "" if none does. The limits are P99 for
	// lateness at the 99th percentile, in seconds, and CPU for the share of a core while idle.
	Tick string `json:"tick"`
	P99  Figure `json:"p99"`
	CPU  Figure `json:"cpu"`
	// Least is the least share of a core that the run can measure.
	Least Figure `json:"least"`
	// Ticks is what each gives, ascending; the last is without ticks, if that was measured.
	Ticks []TickGives `json:"ticks"`
}

// TickGives is what a tick gives: means over blocks. CPU never grows with the tick.
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

// Row is of a contestant.
type Row struct {
	Name  string `json:"name"`
	Cells []Cell `json:"cells"`
}

// States of a cell of the table of a card.
const (
	CellBehind  = "behind" // takes significantly more, so many times as much
	CellSame    = "same"   // as good as the best, or significantly ahead of all others
	CellAhead   = "ahead"  // in front, but not significantly ahead of all others
	CellUnclear = "unclear"
	CellNone    = "none" // not measured
)

// Cell is the worst of a contestant in a group.
type Cell struct {
	State string `json:"state"`
	// Worst is where that is, if it was measured.
	Worst *Factor `json:"worst"`
}

// Checks counts the answers that were checked.
type Checks struct {
	Fired    int `json:"fired"`
	Replayed int `json:"replayed"`
	// EarlyByDesign are the contestants that fire timers early by design.
	EarlyByDesign []string `json:"early_by_design"`
}

// Open is what a run does not answer.
type Open struct {
	What string `json:"question"`
	// Command measures it, or shows how.
	Command string `json:"command"`
}

// Goroutines compares time.AfterFunc with a choice by a number of goroutines at once.
type Goroutines struct {
	Goroutines int    `json:"goroutines"`
	Beside     Factor `json:"beside"`
}

// Own says how a contestant from outside stands among all others.
type Own struct {
	Name string `json:"name"`
	// Counts are of all comparisons. Where it is in front of others, and not clearly, it is Unclear: AsFast has the rest.
	Counts
	// AsFast are the questions in which it is the fastest, or as fast.
	AsFast []string `json:"as_fast"`
	// Breaks are the rules of schedtest that it breaks.
	Breaks []string `json:"breaks,omitempty"`
}
