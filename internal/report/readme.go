package report

import (
	"cmp"
	_ "embed" // for the template
	"fmt"
	"io"
	"slices"
	"strings"
	"text/template"
	"time"

	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/report/card"
	"schedbench/internal/words"
)

//go:embed readme.tmpl
var readmeText string

// readme is what its template asks for.
type readme struct {
	Title, Head string
	Card        string
	Facts       []Fact
	Margin      string
	Questions   []blocksOfQuestion
	Verdict     []Section
	Trust       []string
	Operations  []Operation
	Map         bool
}

// Fact is something about a run.
type Fact struct{ Name, Value string }

// Facts says on what a run was made, when and from what.
func Facts(d *rundata.Data) []Fact {
	list := facts(d, nil)
	if d.Env["date"] != "" {
		list = append(list, Fact{"date", d.Env["date"]})
	}
	return list
}

// blocksOfQuestion is by how much an experiment was measured.
type blocksOfQuestion struct {
	Name           string
	Series         int
	Blocks, Rounds string
}

// WriteReadme writes, as Markdown, what a run is and what it comes to: on what it was
// made, by which command and in how many blocks, the verdict, and how
// far to trust it by what the machine did meanwhile. It refers to the files that lie
// beside it.
func WriteReadme(w io.Writer, d *rundata.Data, opt Options) error {
	v := newView(d, opt)
	d = v.data // which may be nothing
	around := d.SystemLoad
	trust := noiseQuestion.sentences(v)
	var answer strings.Builder
	if err := NewCard(d, opt).Write(&answer, card.Style{}); err != nil {
		return err
	}
	r := readme{
		Card:       answer.String(),
		Title:      "The published run",
		Head:       head(d.Env["runs"], len(around)),
		Facts:      facts(d, around),
		Margin:     v.margin(),
		Questions:  v.blocksOfQuestions(),
		Verdict:    v.sections(),
		Operations: operationsIn(d),
		Trust:      slices.Concat(slices.DeleteFunc(trust, func(l string) bool { return l == "" }), strained(d.Env["cpus"], around)),
	}
	r.Map = slices.ContainsFunc(r.Verdict, func(s Section) bool {
		return slices.ContainsFunc(s.Parts, func(p Part) bool { return p.Name == "map" })
	})
	escape := template.FuncMap{"escape": func(s string) string { return strings.ReplaceAll(s, "|", `\|`) }}
	return template.Must(template.New("readme").Funcs(escape).Parse(readmeText)).Execute(w, r)
}

// head says from what all of it is written.
func head(runs string, cells int) string {
	line := "Written by the program from the data beside it: one plan of " + words.Many(cells, "cell") + ", "
	if runs != "" {
		return line + "measured " + runs + " times and put together."
	}
	return line + "measured in one go by one build of the program on one machine."
}

// facts says on what a run was made, when and from what.
func facts(d *rundata.Data, around []rundata.SystemLoad) (list []Fact) {
	add := func(name, value string) {
		if value != "" {
			list = append(list, Fact{name, value})
		}
	}
	add("machine", Machine(d.Env))
	add("processors", d.Env["cpus"])
	add("Go", d.Env["go-version"])
	add("commit", d.Env["commit"])
	add("command", d.Env["command"])
	add("date", words.List(days(around)))
	if took := summed(around, func(a rundata.SystemLoad) time.Duration { return a.Took }); took > 0 {
		add("took", words.Span(float64(took.Round(time.Second))))
	}
	add("seed", d.Env["seed"])
	return list
}

// days returns the days on which cells were measured.
func days(around []rundata.SystemLoad) (list []string) {
	for _, a := range around {
		if a.Date != "" && !slices.Contains(list, a.Date) {
			list = append(list, a.Date)
		}
	}
	slices.Sort(list)
	return list
}

// summed sums a duration over cells.
func summed(around []rundata.SystemLoad, of func(rundata.SystemLoad) time.Duration) (sum time.Duration) {
	for _, a := range around {
		sum += of(a)
	}
	return sum
}

// blocksOfQuestions returns by how much each experiment was measured.
func (v *view) blocksOfQuestions() (list []blocksOfQuestion) {
	for _, name := range rundata.ExperimentNames() {
		var blocks, rounds []int
		for _, s := range v.data.Select(name) {
			if n := len(s.Blocks(rundata.ExperimentOf(name).Unit)); n > 0 {
				blocks, rounds = append(blocks, n), append(rounds, len(s.Iterations)/n)
			}
		}
		if len(blocks) > 0 {
			list = append(list, blocksOfQuestion{strings.ToLower(name), len(blocks), fromTo(blocks), fromTo(rounds)})
		}
	}
	return list
}

// fromTo writes the least and the greatest of some numbers.
func fromTo(values []int) string {
	if low, high := slices.Min(values), slices.Max(values); low < high {
		return fmt.Sprintf("%d to %d", low, high)
	}
	return fmt.Sprint(values[0])
}

// strained says how busy the machine was with other things, as far as the data say.
func strained(cpus string, around []rundata.SystemLoad) (said []string) {
	if l := loadLine(cpus, around); l != "" {
		said = append(said, l)
	}
	if l := stolenLine(number(cpus), around); l != "" {
		said = append(said, l)
	}
	if d := days(around); len(d) > 1 {
		said = append(said, "It was measured on several days, "+words.List(d)+": what compares cells with each other compares days.")
	}
	return said
}

// loadLine says how many threads wanted a processor.
func loadLine(cpus string, around []rundata.SystemLoad) string {
	known := slices.DeleteFunc(slices.Clone(around), func(a rundata.SystemLoad) bool { return a.Load < 0 })
	if len(known) == 0 {
		return ""
	}
	loads := make([]float64, len(known))
	for i, a := range known {
		loads[i] = a.Load
	}
	most := slices.MaxFunc(known, func(a, b rundata.SystemLoad) int { return cmp.Compare(a.Load, b.Load) })
	on := ""
	if cpus != "" {
		on = " of " + words.Many(int(number(cpus)), "processor")
	}
	return fmt.Sprintf("When a block began, the load%s over the last minute, the run's own included, was %s in the median, and %s at most (before %s).",
		on, words.Number(judge.SummarizeFinite(loads).Median), words.Number(most.Load), most.Block)
}

// leastStolenTime is the shortest time of a cell whose stolen share is worth saying:
// it is counted in hundredths of a second.
const leastStolenTime = time.Second

// stolenLine says what share of its processors the host gave to others.
func stolenLine(cpus float64, around []rundata.SystemLoad) string {
	known := slices.DeleteFunc(slices.Clone(around), func(a rundata.SystemLoad) bool { return a.Took <= 0 || a.Stolen < 0 })
	if len(known) == 0 || cpus <= 0 {
		return ""
	}
	share := func(a rundata.SystemLoad) float64 { return a.Stolen.Seconds() / a.Took.Seconds() / cpus }
	all := rundata.SystemLoad{
		Took:   summed(known, func(a rundata.SystemLoad) time.Duration { return a.Took }),
		Stolen: summed(known, func(a rundata.SystemLoad) time.Duration { return a.Stolen }),
	}
	if all.Stolen == 0 {
		return "The host reports that it gave none of the processors' time to others."
	}
	line := "The host gave " + words.Share(share(all)) + " of the time of the processors to others"
	known = slices.DeleteFunc(known, func(a rundata.SystemLoad) bool { return a.Took < leastStolenTime })
	if len(known) > 0 {
		most := slices.MaxFunc(known, func(a, b rundata.SystemLoad) int { return cmp.Compare(share(a), share(b)) })
		line += fmt.Sprintf(", and %s at most during a block (%s)", words.Share(share(most)), most.Block)
	}
	return line + "."
}
