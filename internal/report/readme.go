package report

import (
	_ "embed" // for the template
	"io"
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
	env := v.data.Env
	return lists.Only([]Fact{
		{"machine", machine(env)}, {"processors", env["cpus"]}, {"Go", env["go-version"]}, {"commit", env["commit"]},
		{"command", env["command"]}, {"date", env["date"]}, {"seed", env["seed"]},
	}, func(f Fact) bool { return f.Value != "" })
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
		"Facts":   v.Facts(),
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

func timeTaken(around []rundata.SystemLoad) (sum time.Duration) {
	for _, a := range around {
		sum += a.Took
	}
	return sum
}
