package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"schedbench/harness"
)

// progress tells how far a run is. It writes between cells only, since
// redrawing while something is measured would be noise.
type progress struct {
	w        io.Writer
	terminal bool
	cells    []harness.Cell
	start    time.Time
	kept     int           // cells complete
	planned  time.Duration // of the cells measured so far
	last     time.Duration // of the cell under way
	width    int           // of the line on the terminal
}

func newProgress(w io.Writer, cells []harness.Cell) *progress {
	return &progress{w: w, terminal: isTerminal(w), cells: cells, start: time.Now()}
}

// isTerminal reports whether what is written is shown on a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// cell is told of each cell before it is measured.
func (p *progress) cell(done, total int, c harness.Cell, skipped bool) {
	p.planned += p.last
	p.kept, p.last = done, 0
	if skipped {
		p.kept = done + 1
		p.line(fmt.Sprintf("[%d/%d] %s: measured before", done+1, total, c.Name))
		return
	}
	p.last = c.Time
	left := harness.Time(p.cells[done:])
	if p.planned > 5*time.Second { // as slow as the measured ones were against the plan
		left = time.Duration(float64(left) * float64(time.Since(p.start)) / float64(p.planned))
	}
	p.line(fmt.Sprintf("[%d/%d] %s, %v to go", done+1, total, c.Name, round(left)))
}

// step is told of a step of many before it is taken.
func (p *progress) step(name string, done, total int) {
	p.line(fmt.Sprintf("[%d/%d] %s", done+1, total, name))
}

// line shows a line: in place of the last one on a terminal.
func (p *progress) line(text string) {
	if !p.terminal {
		fmt.Fprintln(p.w, text)
		return
	}
	fmt.Fprintf(p.w, "\r%s%s", text, strings.Repeat(" ", max(p.width-len(text), 0)))
	p.width = len(text)
}

// end leaves the terminal at the start of a line.
func (p *progress) end() {
	if p.terminal && p.width > 0 {
		fmt.Fprintf(p.w, "\r%s\r", strings.Repeat(" ", p.width))
	}
}

// round rounds a duration to what is worth reading.
func round(d time.Duration) time.Duration {
	if d < 10*time.Second {
		return d.Round(100 * time.Millisecond)
	}
	return d.Round(time.Second)
}
