package card

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"time"

	"schedbench/internal/lists"
	"schedbench/internal/report/text"
	"schedbench/internal/words"
)

// Lines and Columns are how large a card is at most.
const Lines, Columns = 40, 100

// Style says how a card is written.
type Style struct {
	// Files says where the files are; "" if there are none.
	Files string
	// Program is how commands call the program, "" for bench.
	Program string
}

// Write writes the card in at most Lines lines of Columns columns. It leaves out the ends of lists that have no room: the
// tables have all.
func (c Card) Write(w io.Writer, style Style) error {
	var b bytes.Buffer
	checked := c.Checked() // before a wrong answer is left out
	for {
		b.Reset()
		c.write(&text.Page{W: &b}, checked, style)
		if bytes.Count(b.Bytes(), []byte("\n")) <= Lines || !c.shorten() {
			break
		}
	}
	_, err := b.WriteTo(w)
	return err
}

// shorten drops the least important entry of the card, and reports whether there was one.
func (c *Card) shorten() bool {
	excluded := slices.IndexFunc(c.Worst.Rows, func(r Row) bool {
		return slices.ContainsFunc(c.Take.Out, func(l Left) bool { return l.Name == r.Name })
	})
	if len(c.Open) <= 2 && excluded >= 0 {
		return drop(&c.Worst.Rows, excluded)
	}
	return dropLast(&c.Own, 2) || dropLast(&c.Open, 1) || dropLast(&c.Unless, 2) || c.dropRow(6) || dropLast(&c.Unless, 1) ||
		dropLast(&c.Cautions, 2) || dropLast(&c.Wrong, 2) || dropLast(&c.Open, 0) || c.dropRow(0) || dropLast(&c.Own, 0)
}

// dropRow drops the last row that is not of the program's own contestants, or else the last row. It keeps few rows.
func (c *Card) dropRow(few int) bool {
	for i, r := range slices.Backward(c.Worst.Rows) {
		if len(c.Worst.Rows) > few && !slices.ContainsFunc(c.Own, func(o Own) bool { return o.Name == r.Name }) {
			return drop(&c.Worst.Rows, i)
		}
	}
	return dropLast(&c.Worst.Rows, few)
}

// dropLast drops the last entry of a list. It keeps few entries.
func dropLast[T any](list *[]T, few int) bool { return len(*list) > few && drop(list, len(*list)-1) }

// drop drops an entry from a list that a copy of the card shares.
func drop[T any](list *[]T, i int) bool {
	*list = slices.Delete(slices.Clone(*list), i, i+1)
	return true
}

func (c *Card) write(p *text.Page, checked string, style Style) {
	p.Paragraph(strings.Join(words.Said("schedbench", c.Headline()), " · "))
	p.Printf("\n")
	for _, said := range c.Answers() {
		p.Labelled(said.Label, text.Called(said.Text, style.Program))
	}
	c.writeTable(p)
	p.Printf("\n")
	p.Labelled("CHECKED", checked)
	open := lists.Each(c.Open, func(o Open) string { return o.What + ": " + o.Command })
	p.Labelled("NOT ANSWERED", text.Called(strings.Join(open, "\n"), style.Program))
	p.Labelled("ALL OF IT", style.Files)
}

// Headline says what was measured, for how long, and how small a difference the run sees.
func (c Card) Headline() string {
	cores, took, sees := "", "", ""
	if c.Run.Cores > 0 {
		cores = words.Many(c.Run.Cores, "core")
	}
	if t := time.Duration(c.Run.Seconds * float64(time.Second)).Round(time.Second); t > 0 {
		took = words.Span(float64(t))
	}
	switch r := c.Run.Resolves; {
	case !r.Known():
	case r > 10:
		sees = "sees next to nothing"
	default:
		sees = "sees differences of " + percent(float64(r)) + " (median)"
	}
	machine := strings.Join(words.Said(c.Run.Machine, cores, c.Run.Go, strings.TrimSpace(c.Run.System)), ", ")
	return strings.Join(words.Said(machine, took, sees), " · ")
}
