package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"schedbench/catalog"
	"schedbench/harness"
	"schedbench/internal/words"
	"schedbench/report/text"
)

// CardLines and CardColumns are how large a card is at most.
const CardLines, CardColumns = 40, 100

// CardStyle says how a card is written.
type CardStyle struct {
	// Colour asks for the colours of a terminal.
	Colour bool
	// Files says where everything is, "" for nothing.
	Files string
}

// Write writes the card: in at most CardLines lines of CardColumns columns. What has no room is
// left out from the end of its lists, which go on in the tables.
func (c Card) Write(w io.Writer, style CardStyle) error {
	var b bytes.Buffer
	for {
		b.Reset()
		p := &text.Page{W: &b, Colour: style.Colour}
		c.write(p, style)
		if p.Err != nil {
			return p.Err
		}
		if bytes.Count(b.Bytes(), []byte("\n")) <= CardLines || !c.shorten() {
			break
		}
	}
	_, err := b.WriteTo(w)
	return err
}

// shorten leaves something out, if there is something left to leave out.
func (c *Card) shorten() bool {
	c.Open, c.Unless, c.Cautions, c.Wrong = slices.Clone(c.Open), slices.Clone(c.Unless), slices.Clone(c.Cautions), slices.Clone(c.Wrong)
	switch rows := c.Worst.Rows; {
	case len(c.Open) > 2:
		c.Open = c.Open[:len(c.Open)-1]
	case len(rows) > 8:
		c.Worst.Rows = rows[:len(rows)-1]
	case len(c.Unless) > 1:
		c.Unless = c.Unless[:len(c.Unless)-1]
	case len(c.Cautions) > 2:
		c.Cautions = c.Cautions[:len(c.Cautions)-1]
	case len(c.Wrong) > 2:
		c.Wrong = c.Wrong[:len(c.Wrong)-1]
	case len(rows) > 0:
		c.Worst.Rows = rows[:len(rows)-1]
	case len(c.Open) > 0:
		c.Open = c.Open[:len(c.Open)-1]
	default:
		return false
	}
	return true
}

func (c *Card) write(p *text.Page, style CardStyle) {
	p.Paragraph(strings.TrimSuffix("schedbench · "+c.Headline(), " · "))
	p.Printf("\n")
	for _, said := range c.Answers() {
		p.Labelled(said.Label, said.Text)
	}
	c.writeTable(p)
	p.Printf("\n")
	p.Labelled("CHECKED", c.Checked())
	p.Labelled("NOT ANSWERED", c.openWords())
	p.Labelled("ALL OF IT", style.Files)
}

// CardParagraph is what a card says beside a label. A line break in it begins a new line.
type CardParagraph struct{ Label, Text string }

// Answers are the paragraphs before the table: what is wrong with the run, what to take and
// why, when not, and which tick.
func (c Card) Answers() (said []CardParagraph) {
	add := func(label, text string) {
		if text != "" {
			said = append(said, CardParagraph{label, text})
		}
	}
	for _, w := range c.Wrong {
		add("WRONG", w.say())
	}
	grave, others := c.cautionWords()
	add("DO NOT TRUST", grave)
	add("CAUTION", others)
	add("TAKE", c.takeWords())
	add("BECAUSE", c.becauseWords())
	add("UNLESS", c.unlessWords())
	add("IF YOU TICK", c.tickWords())
	return said
}

// Headline says what was measured, for how long, and what cannot be told.
func (c Card) Headline() string {
	var parts, machine []string
	add := func(s string) {
		if s != "" {
			machine = append(machine, s)
		}
	}
	add(c.Run.Machine)
	if c.Run.Cores > 0 {
		add(words.Many(c.Run.Cores, "core"))
	}
	add(c.Run.Go)
	add(strings.TrimSpace(c.Run.System))
	if len(machine) > 0 {
		parts = append(parts, strings.Join(machine, ", "))
	}
	if took := time.Duration(c.Run.Seconds * float64(time.Second)).Round(time.Second); took > 0 {
		parts = append(parts, words.Span(float64(took)))
	}
	switch r := c.Run.Resolves; {
	case !r.known():
	case r > Figure(tellsNothing):
		parts = append(parts, "tells next to nothing")
	default:
		parts = append(parts, "mostly tells no difference under "+percent(float64(r)))
	}
	return strings.Join(parts, " · ")
}

// tellsNothing is the difference that a run must tell in half of its comparisons to tell much.
const tellsNothing = 10

// percent writes a share as a whole number, if it is not less than one.
func percent(share float64) string {
	if 100*share < 1 {
		return words.Share(share)
	}
	return fmt.Sprintf("%.0f %%", 100*share)
}

// say says what somebody got wrong.
func (w CardWrong) say() string {
	var parts []string
	add := func(n int, what string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, what))
		}
	}
	add(w.Lost, "lost")
	add(w.Early, "early")
	add(w.Doubled, "fired twice")
	said := ""
	if len(parts) > 0 {
		said = "of its timers " + words.List(parts)
	}
	if len(w.Replays) > 0 {
		if said != "" {
			said += "; "
		}
		said += "its answers are not those of the model in " + words.List(w.Replays)
	}
	return w.Name + ": " + said + ": do not take it"
}

// cautionWords say why not to trust the run, gravely or not.
func (c *Card) cautionWords() (grave, others string) {
	var all [2][]string
	for _, caution := range c.Cautions {
		i := 1
		if caution.Grave {
			i = 0
		}
		all[i] = append(all[i], caution.What)
	}
	return strings.Join(all[0], "; "), strings.Join(all[1], "; ")
}

// takeWords say whom to take.
func (c *Card) takeWords() string {
	t := c.Take
	said := ""
	switch t.Kind {
	case TakeNone:
		if len(c.Wrong) > 0 {
			return "nobody: whoever there is to choose from gave wrong answers"
		}
		return "nobody: nothing was measured that there is to choose from"
	case TakeUntold:
		return "this run does not tell: of nobody is it told whether somebody else is better"
	case TakeGo:
		said = t.Names[0] + ", you need no other: no scheduler is told to be better than it at anything"
		if t.Names[0] == catalog.ContainerHeap {
			said = t.Names[0] + ": no scheduler is told to be better than it at anything, and some to be worse"
		}
	case TakeOnly:
		said = t.Names[0] + ", the only one measured: there is nobody to choose instead"
	case TakeOne:
		said = t.Names[0]
	case TakeLevel:
		said = t.Names[0] + ", the simplest of those that are level as far as this run tells, with " + words.List(t.Names[1:])
	}
	if t.Tickless && t.Names[0] != catalog.Heap && t.Names[0] != catalog.List {
		said += "; without ticks"
	}
	if len(t.Out) > 0 {
		said += fmt.Sprintf(" (not %s: too slow for some questions, or cannot hold the timers)", words.List(t.Out))
	}
	return said
}

// becauseWords say what speaks for the choice.
func (c *Card) becauseWords() string {
	t, b := c.Take, c.Because
	if len(t.Names) == 0 {
		return ""
	}
	var said []string
	if t.Questions > 0 {
		line := ""
		if t.Average >= 1 {
			line = averaged(t.Average) + ", as far as is told"
			if t.Next != "" {
				line += fmt.Sprintf(" (next is %s, %.3g×)", t.Next, float64(t.NextAverage))
			}
			line += "; "
		}
		line += fmt.Sprintf("behind in %d of %s", t.Behind, words.Many(t.Questions, "question"))
		if w := t.AtWorst; w != nil {
			line += fmt.Sprintf(" (%s× at worst)", short(w.Ratio))
		}
		said = append(said, line+fmt.Sprintf(", %d cannot be told", t.Untold))
	}
	if f := b.AfterFunc; f != nil && t.Kind != TakeGo {
		said = append(said, f.againstGo())
	}
	var figures []string
	if m := b.Memory; m != nil {
		line := fmt.Sprintf("%s a timer with %s pending", words.Trimmed(words.Bytes(float64(m.Bytes))), words.Count(float64(m.Pending)))
		if m.AfterFunc > 0 {
			line += fmt.Sprintf(" (%s %s)", catalog.RuntimeTimer, words.Trimmed(words.Bytes(float64(m.AfterFunc))))
		}
		figures = append(figures, line)
	}
	if i := b.Idle; i != nil {
		line := "idling takes nothing that can be told"
		if i.Told {
			line = "idling takes " + words.Share(float64(i.Share)) + " of a core"
		}
		figures = append(figures, line)
	}
	if len(figures) > 0 {
		said = append(said, strings.Join(figures, "; "))
	}
	return strings.Join(said, "\n")
}

// span writes a factor with its interval.
func (f *CardFactor) span() string {
	if !f.High.known() || f.Blocks < 2 || f.High > beyondSense*f.Low {
		return short(f.Ratio) + "×"
	}
	return fmt.Sprintf("%s× (%s× to %s×)", short(f.Ratio), short(f.Low), short(f.High))
}

// averaged writes what something costs on average.
func averaged(f Figure) string {
	if f < 1.005 {
		return "as good as the best"
	}
	return fmt.Sprintf("%.3g× the best on average", float64(f))
}

// short writes a ratio in few letters: two digits, three where it is near 1.
func short(f Figure) string {
	switch v := float64(f); {
	case !f.known():
		return "?"
	case v < 1.1:
		return fmt.Sprintf("%.3g", v)
	case v < 9.95:
		return fmt.Sprintf("%.2g", v)
	case v < 999.5:
		return fmt.Sprintf("%.0f", v)
	default:
		return words.Count(v)
	}
}

// againstGo says how a choice compares with time.AfterFunc.
func (f *CardFactor) againstGo() string {
	switch f.Answer {
	case "slower":
		return fmt.Sprintf("%s takes %s %s at %s", f.Name, f.span(), f.takes, f.Question)
	case "faster":
		return fmt.Sprintf("%s takes only %s %s at %s", f.Name, f.span(), f.takes, f.Question)
	case "as fast":
		return fmt.Sprintf("%s is as good at %s", f.Name, f.Question)
	}
	return fmt.Sprintf("whether %s is slower at %s cannot be told", f.Name, f.Question)
}

// mostUnless is how many exceptions a card has.
const mostUnless = 3

// unlessWords say when to take another.
func (c *Card) unlessWords() string {
	var lines []string
	said := map[string]bool{}
	for _, u := range c.Unless {
		if said[u.Group] || len(said) == mostUnless {
			continue
		}
		said[u.Group] = true
		lines = append(lines, u.say())
	}
	return strings.Join(lines, "\n")
}

// say says when to take another, and by how much it is better.
func (u CardUnless) say() string {
	w, when := u.Worst, u.Group
	for _, g := range questionGroups() {
		if g.word == u.Group {
			when = g.when
		}
	}
	return fmt.Sprintf("%s: %s; %s takes %s %s at %s", when, w.Against, w.Name, w.span(), w.takes, w.Question)
}

// tickWords say which tick to choose.
func (c *Card) tickWords() string {
	t := c.Tick
	if t == nil {
		return ""
	}
	ticks := slices.Clone(t.Ticks)
	slices.SortStableFunc(ticks, func(a, b CardTickGives) int { // the chosen one first
		switch {
		case a.Tick == t.Tick:
			return -1
		case b.Tick == t.Tick:
			return 1
		}
		return 0
	})
	var gives []string
	for i, g := range ticks {
		gives = append(gives, g.say(i == 0))
	}
	said := strings.Join(gives, "; ")
	if t.Tick == "" && t.P99 > 0 {
		said = fmt.Sprintf("no tick is told to keep to %s and %s of a core; %s", words.Time(1e9*float64(t.P99)), words.Share(float64(t.CPU)), said)
	}
	return said + " (" + t.Name + ")"
}

// say says what a tick gives, in full or in short.
func (g CardTickGives) say(full bool) string {
	late, idle := "", ""
	if full {
		late, idle = " late at most (99 %)", " of a core while idle"
	}
	var parts []string
	if g.P99.known() {
		parts = append(parts, words.Time(1e9*float64(g.P99))+late)
	}
	if g.CPU.known() {
		parts = append(parts, shareOfCore(g.CPU)+idle)
	}
	name := g.Tick
	if name == harness.Tickless {
		name = "without"
	}
	return name + ": " + strings.Join(parts, ", ")
}

// shareOfCore writes a share of a core, which may come out as less than none beyond an idle
// process.
func shareOfCore(f Figure) string {
	const least = 0.0001
	if f < least {
		return "under " + words.Share(least)
	}
	return words.Share(float64(f))
}

// CardLegend says what the cells of the table mean.
const CardLegend = "times the best; = as good, 1 in front but not told, ? cannot be told, - not measured"

// writeTable writes what each choice costs at worst.
func (c *Card) writeTable(p *text.Page) {
	if len(c.Worst.Rows) == 0 {
		return
	}
	p.Printf("\n")
	p.Labelled("AT WORST", CardLegend)
	widest, room := text.LabelWidth-2, CardColumns
	for _, r := range c.Worst.Rows {
		widest = max(widest, utf8.RuneCountInString(r.Name))
	}
	for _, column := range c.Worst.Columns {
		room -= columnWidth(column)
	}
	name := func(s string) string { return fmt.Sprintf("%-*s", min(widest, room), cut(s, room)) }
	line := name("")
	for _, column := range c.Worst.Columns {
		line += fmt.Sprintf("%*s", columnWidth(column), column)
	}
	p.Printf("%s\n", line)
	for _, r := range c.Worst.Rows {
		line := name(r.Name)
		for i, cell := range r.Cells {
			line += fmt.Sprintf("%*s", columnWidth(c.Worst.Columns[i]), cell.Text())
		}
		p.Printf("%s\n", line)
	}
}

// columnWidth is that of a column, which begins with a blank.
func columnWidth(head string) int { return max(8, 2+utf8.RuneCountInString(head)) }

// Spot says where a cell has its figure from: how much, at which question, and who is in front
// there; "" if it has none.
func (c CardCell) Spot() string {
	w := c.Worst
	if w == nil || w.Against == w.Name {
		return ""
	}
	return fmt.Sprintf("%s %s as %s at %s", w.span(), w.takes, w.Against, w.Question)
}

// Text writes a cell in few letters.
func (c CardCell) Text() string {
	switch c.State {
	case CellBehind:
		return short(c.Worst.Ratio)
	case CellSame:
		return "="
	case CellFront:
		return "1"
	case CellOpen:
		return "?"
	}
	return "-"
}

// cut shortens a text to so many letters.
func cut(s string, letters int) string {
	if r := []rune(s); len(r) > letters {
		return string(r[:letters-1]) + "…"
	}
	return s
}

// Checked says what was checked, "" if nothing was.
func (c Card) Checked() string {
	var said []string
	lost, replays := false, false
	for _, w := range c.Wrong {
		lost, replays = lost || w.Lost+w.Early+w.Doubled > 0, replays || len(w.Replays) > 0
	}
	if c.Checks.Fired > 0 && !lost {
		said = append(said, fmt.Sprintf("every one of %s timers fired once and not early", words.Count(float64(c.Checks.Fired))))
	}
	if c.Checks.Replayed > 0 && !replays {
		said = append(said, fmt.Sprintf("%s replayed answers were those of the model", words.Count(float64(c.Checks.Replayed))))
	}
	return strings.Join(said, "; ")
}

// openWords say what a run does not answer, and what would.
func (c *Card) openWords() string {
	var lines []string
	for _, o := range c.Open {
		lines = append(lines, o.Question+": "+o.Command)
	}
	return strings.Join(lines, "\n")
}
