package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"schedbench/harness"
	"schedbench/internal/words"
)

// progress shows how far a run is. It draws between blocks only: a redraw would disturb a measurement.
type progress struct {
	w        io.Writer
	terminal bool
	begun    bool
	kept     int // blocks complete
	width    int // of the line on the terminal
}

func newProgress(w io.Writer) *progress { return &progress{w: w, terminal: isTerminal(w)} }

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func (p *progress) block(s harness.Step) {
	if p.kept = s.Blocks; !p.begun && p.kept > 0 {
		fmt.Fprintf(p.w, "%s measured before\n", words.Verb(p.kept, "block was", "blocks were"))
	}
	p.begun = true
	if s.Lost != "" {
		p.end()
		fmt.Fprintln(p.w, "lost a block:", s.Lost)
	}
	p.line(fmt.Sprintf("%s: %s, %v to go", s.Name, words.Many(len(s.Cells), "cell"), round(s.Left)))
}

func (p *progress) step(name string, done, total int) {
	p.line(fmt.Sprintf("[%d/%d] %s", done+1, total, name))
}

// line shows a line. On a terminal it replaces the last one.
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

func round(d time.Duration) time.Duration {
	if d < 10*time.Second {
		return d.Round(100 * time.Millisecond)
	}
	return d.Round(time.Second)
}
