package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"schedbench/internal/report/text"
	"schedbench/internal/words"
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
	checked := c.Checked() // before a wrong answer is left out
	for {
		b.Reset()
		p := &text.Page{W: &b, Colour: style.Colour}
		c.write(p, checked, style)
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

// shorten leaves something out, if there is something left to leave out: what says least
// first.
func (c *Card) shorten() bool {
	excluded := slices.IndexFunc(c.Worst.Rows, func(r CardRow) bool {
		return slices.ContainsFunc(c.Take.Out, func(l CardLeft) bool { return l.Name == r.Name })
	})
	if len(c.Open) <= 2 && excluded >= 0 {
		c.Worst.Rows = slices.Delete(slices.Clone(c.Worst.Rows), excluded, excluded+1)
		return true
	}
	rows := &c.Worst.Rows
	return dropLast(&c.Own, 2) || dropLast(&c.Open, 2) || dropLast(&c.Open, 1) || dropLast(&c.Unless, 2) || dropLast(rows, 6) || dropLast(&c.Unless, 1) ||
		dropLast(&c.Cautions, 2) || dropLast(&c.Wrong, 2) || dropLast(rows, 0) || dropLast(&c.Own, 0) || dropLast(&c.Open, 0)
}

// dropLast leaves out the last of a list of more than a few.
func dropLast[T any](list *[]T, few int) bool {
	if len(*list) <= few {
		return false
	}
	*list = slices.Clone((*list)[:len(*list)-1])
	return true
}

func (c *Card) write(p *text.Page, checked string, style CardStyle) {
	p.Paragraph(strings.TrimSuffix("schedbench · "+c.Headline(), " · "))
	p.Printf("\n")
	for _, said := range c.Answers() {
		p.Labelled(said.Label, said.Text)
	}
	c.writeTable(p)
	p.Printf("\n")
	p.Labelled("CHECKED", checked)
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
	add("NEEDED?", c.neededWords())
	add("TAKE", c.takeWords())
	add("BECAUSE", c.becauseWords())
	add("UNLESS", c.unlessWords())
	add("YOUR OWN", c.ownWords())
	add("IF YOU TICK", c.tickWords())
	return said
}

// Headline says what was measured, for how long, and how small a difference the run sees.
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
	case r > Figure(seesNothing):
		parts = append(parts, "sees next to nothing")
	default:
		parts = append(parts, "sees differences of "+percent(float64(r)))
	}
	return strings.Join(parts, " · ")
}

// seesNothing: a run whose median comparison resolves no smaller difference says next to nothing.
const seesNothing = 10

// percent writes a share as a whole number, if it is not less than one.
func percent(share float64) string {
	if 100*share < 1 {
		return words.Share(share)
	}
	return fmt.Sprintf("%.0f %%", 100*share)
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

// CardLegend says what the cells of the table mean.
const CardLegend = "times the best; = as good, 1 ahead but not clearly, ? unclear, - not measured"

// writeTable writes what each choice costs at worst.
func (c *Card) writeTable(p *text.Page) {
	if len(c.Worst.Rows) == 0 {
		return
	}
	p.Printf("\n")
	p.Labelled("AT WORST", CardLegend)
	widest := text.LabelWidth - 2
	for _, r := range c.Worst.Rows {
		widest = max(widest, utf8.RuneCountInString(r.Name))
	}
	widest = min(widest, longestName)
	columns, room := 0, CardColumns-widest
	for _, head := range c.Worst.Columns {
		if room -= columnWidth(head); room < 0 {
			break
		}
		columns++
	}
	line := fmt.Sprintf("%-*s", widest, "")
	for _, head := range c.Worst.Columns[:columns] {
		line += fmt.Sprintf("%*s", columnWidth(head), cut(head, longestName))
	}
	p.Printf("%s\n", line)
	for _, r := range c.Worst.Rows {
		line := fmt.Sprintf("%-*s", widest, cut(r.Name, longestName))
		for i, cell := range r.Cells[:columns] {
			line += fmt.Sprintf("%*s", columnWidth(c.Worst.Columns[i]), cell.Text())
		}
		p.Printf("%s\n", line)
	}
	p.Labelled("MEASURED", c.Measured())
}

// longestName is how many letters the table has room for of a name or of a workload. The five
// and what Go has, and the ten groups, have room side by side.
const longestName = 15

// columnWidth is that of a column, which begins with a blank.
func columnWidth(head string) int { return max(8, 2+min(utf8.RuneCountInString(head), longestName)) }

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
		said = append(said, fmt.Sprintf("every one of %s timers fired once and not early%s", words.Count(float64(c.Checks.Fired)), butThoseOf(c.Checks.EarlyByDesign)))
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
