package report

import (
	_ "embed" // for the template
	"io"
	"slices"
	"strings"
	"text/template"
	"time"

	"schedbench/harness/rundata"
	"schedbench/internal/lists"
	"schedbench/internal/report/card"
	"schedbench/internal/words"
)

//go:embed readme.tmpl
var readmeText string

// Fact is something about a run.
type Fact struct{ Name, Value string }

// Facts says on what a run was made, when and from what.
func (v *Report) Facts() []Fact {
	return lists.Only(append(facts(v.data, nil), Fact{"date", v.Env("date")}), Fact.stated)
}

// Env returns what the data say of the machine, the build or the command, by its key; "" if they do not.
func (v *Report) Env(key string) string { return v.data.Env[key] }

// WriteReadme writes, as Markdown, what a run is and what it comes to: on what it was made, by which command, the
// verdict, and how far to trust it by what the machine did meanwhile. It refers to the files that lie beside it.
func (v *Report) WriteReadme(w io.Writer) error {
	var answer strings.Builder
	if err := v.Card().Write(&answer, card.Style{}); err != nil {
		return err
	}
	has := map[string]any{
		"Card":    answer.String(),
		"Runs":    v.Env("runs"),
		"Facts":   append(facts(v.data, v.data.SystemLoad), v.strain()...),
		"Margin":  v.margin(),
		"Verdict": v.Sections(),
		"Noise":   noiseChapter.heading, // its sentences are in Trust
		"Trust":   words.Said(noiseChapter.sentences(v)...),
		"Map":     v.mapFigure().Prepare(),
	}
	funcs := template.FuncMap{
		"escape": func(s string) string { return strings.ReplaceAll(s, "|", `\|`) },
		"asks":   func(heading string) bool { return strings.HasSuffix(heading, "?") },
	}
	return template.Must(template.New("readme").Option("missingkey=error").Funcs(funcs).Parse(readmeText)).Execute(w, has)
}

// facts says on what a run was made, when and from what.
func facts(d *rundata.Data, around []rundata.SystemLoad) []Fact {
	took := ""
	if t := timeTaken(around); t > 0 {
		took = words.Span(float64(t.Round(time.Second)))
	}
	days := lists.Each(around, func(a rundata.SystemLoad) string { return a.Date })
	slices.Sort(days)
	days = words.Said(slices.Compact(days)...)
	return lists.Only([]Fact{
		{"machine", machine(d.Env)}, {"processors", d.Env["cpus"]}, {"Go", d.Env["go-version"]}, {"commit", d.Env["commit"]},
		{"command", d.Env["command"]}, {"date", words.List(days)}, {"took", took}, {"seed", d.Env["seed"]},
	}, Fact.stated)
}

func (f Fact) stated() bool { return f.Value != "" }

// strain says how busy the machine was with other things, as far as the data say.
func (v *Report) strain() (list []Fact) {
	around := v.data.SystemLoad
	if load, known := medianLoad(around); known {
		list = append(list, Fact{"runnable threads when a block began, median", words.Number(load)})
	}
	stolen, busy := shareTaken(around, v.cores())
	if stolen >= 0 {
		list = append(list, Fact{"processor time that the host gave to other machines", words.Share(stolen)})
	}
	if busy >= 0 {
		list = append(list, Fact{"processor time that other processes took", words.Share(busy - max(stolen, 0))})
	}
	return list
}

func timeTaken(around []rundata.SystemLoad) (sum time.Duration) {
	for _, a := range around {
		sum += a.Took
	}
	return sum
}
