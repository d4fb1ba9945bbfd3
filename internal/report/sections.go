package report

import (
	"slices"
	"strings"

	"schedbench/harness/rundata"
	"schedbench/internal/report/chart"
	"schedbench/internal/report/text"
)

// section is what a reader asks of a run, in the order in which readers do.
type section int

const (
	whichFastest section = iota
	howLate
	whatIdlingCosts
	howMuchMemory
	programsAsk
	whereSystemsStand
	howFarToTrust
)

// sectionTitles are the names of sections and what they ask.
var sectionTitles = []struct{ name, title string }{
	whichFastest:      {"fastest", "Which is fastest?"},
	howLate:           {"late", "How late are timers?"},
	whatIdlingCosts:   {"idle", "What does idling cost, and which tick is worth it?"},
	howMuchMemory:     {"memory", "How much memory does it take?"},
	programsAsk:       {"programs", "What do programs ask, and who answers best?"},
	whereSystemsStand: {"systems", "Where do known systems stand?"},
	howFarToTrust:     {"trust", "How far are these figures to be trusted?"},
}

// Section is what a run says to something that a reader asks.
type Section struct {
	// Name is one word, and Title the question.
	Name, Title string
	// Command measures again what the section shows, "" if it shows nothing that a command
	// measures by itself.
	Command string
	Parts   []Part
}

// Part is what a run says to one question of a section. Any of its lists may be empty, but
// not all of them.
type Part struct {
	// Name is that of its first chart, "" if it has none.
	Name, Heading string
	// Sentences say what the figures come to, the most important first.
	Sentences []string
	// Figures are prepared. The data they were made of are signed nowhere on them.
	Figures []*chart.Figure
	Tables  []*text.Table
	// Shown is a table that is read without being asked for, nil if there is none.
	Shown *text.Table
}

// Sections returns all that a run says, by what readers ask and in that order. What has
// nothing to say is left out.
func Sections(d *rundata.Data, opt Options) []Section { return newView(d, opt).sections() }

func (v *view) sections() (all []Section) {
	for at, of := range sectionTitles {
		s := Section{Name: of.name, Title: of.title}
		var measured []string
		for _, i := range v.inSection(section(at)) {
			p := v.part(i)
			if len(p.Sentences)+len(p.Figures)+len(p.Tables) == 0 {
				continue
			}
			s.Parts = append(s.Parts, p)
			for _, e := range v.questions[i].experiments {
				if !slices.Contains(measured, e) && len(v.data.Select(e)) > 0 {
					measured = append(measured, e)
				}
			}
		}
		if s.Command = v.command(measured, section(at) == whereSystemsStand); len(s.Parts) > 0 {
			all = append(all, s)
		}
	}
	return all
}

// inSection returns the places of the questions of a section, in the order in which it
// shows them.
func (v *view) inSection(s section) (places []int) {
	for i, q := range v.questions {
		switch {
		case q.section == s && q.first:
			places = slices.Insert(places, 0, i)
		case q.section == s:
			places = append(places, i)
		}
	}
	return places
}

// part returns what a question has to show.
func (v *view) part(i int) Part {
	q := v.questions[i]
	p := Part{Heading: q.heading, Sentences: v.sentences(i), Figures: v.figuresOf(q)}
	if q.tables != nil {
		p.Tables = slices.DeleteFunc(q.tables(v), func(t *text.Table) bool { return t.Rows() == 0 })
	}
	if q.shown != nil {
		if t := q.shown(v); t.Rows() > 0 {
			p.Shown = t
		}
	}
	if len(p.Figures) > 0 {
		p.Name = p.Figures[0].Name
	}
	if p.Heading == "" && len(p.Figures) > 0 {
		p.Heading = p.Figures[0].Title
	}
	if p.Heading == "" && len(p.Tables) > 0 {
		p.Heading = p.Tables[0].Title
	}
	return p
}

// command returns a command that measures some experiments again, of known systems only
// or of all: what was replayed is replayed, and all else run in the same size.
func (v *view) command(experiments []string, systems bool) string {
	if len(experiments) == 0 {
		return ""
	}
	was := strings.Fields(v.data.Env["command"])
	if slices.Contains(was, "replay") {
		return strings.Join(withoutOut(was), " ")
	}
	words := []string{"bench"}
	for _, size := range []string{"--quick", "--full"} {
		if slices.Contains(was, size) {
			words = append(words, size)
		}
	}
	if systems {
		words = append(words, "--only", "presets")
	}
	return strings.Join(append(words, "--experiments", strings.ToLower(strings.Join(experiments, ","))), " ")
}

// withoutOut leaves out in which folder a command writes: there is what it has written.
func withoutOut(command []string) (kept []string) {
	for i, word := range command {
		if word != "--out" && !strings.HasPrefix(word, "--out=") && (i == 0 || command[i-1] != "--out") {
			kept = append(kept, word)
		}
	}
	return kept
}
