package compare

import (
	"io"
	"strings"

	"schedbench/internal/report/text"
	"schedbench/internal/words"
)

// cardListed is how many series a card names of those that are worse, or better.
const cardListed = 4

// WriteCard writes what a comparison comes to in a few lines: the answer, what is worse and better by most, what is
// unclear, and what else there is to know, said before all of it what differs of the machines.
func (r *Result) WriteCard(w io.Writer, before []string, colour bool) error {
	p := &text.Page{W: w, Colour: colour}
	for _, l := range before {
		p.Paragraph(l)
	}
	p.Printf("\n")
	p.Labelled("ANSWER", r.conclusion()+" "+r.counts())
	p.Labelled("WORSE", r.most("", r.With(Worse), cardListed))
	p.Labelled("BETTER", r.most("", r.With(Better), cardListed))
	p.Labelled("UNCLEAR", r.openLine())
	p.Labelled("TO KNOW", strings.Join(words.Said(r.equalsLine(), r.driftLine(), r.identicalLine(), r.chanceLine(), r.onlyLine()), "\n"))
	return p.Err
}
