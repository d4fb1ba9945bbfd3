package price

import (
	"io"
	"slices"
	"strings"
	"text/template"

	"schedbench/harness/rundata"
	"schedbench/report"
	"schedbench/report/chart"
	"schedbench/report/text"
)

// Charts draws the charts of a run into a folder and returns the names of the files.
func Charts(d *rundata.Data, dir string, svg bool) ([]string, error) {
	return chart.SaveAll(results{d}.figures(), dir, svg)
}

// Sentences are what the data come to, in words: each figure with its interval, and each
// comparison by package judge.
func Sentences(d *rundata.Data) []string {
	r := results{d}
	said := slices.DeleteFunc(append(r.heldSentences(), r.liveSentences()...), func(s string) bool { return s == "" })
	if !d.Complete && len(d.Series) > 0 {
		said = append(said, "The run is not complete: what is missing may change what is said here.")
	}
	return said
}

// Write writes the sentences, and the tables behind them.
func Write(w io.Writer, d *rundata.Data) error {
	p := &text.Page{W: w}
	p.Heading("What it costs that timers outlive the process")
	for _, s := range Sentences(d) {
		p.Item(s)
	}
	p.Printf("\n")
	for _, t := range (results{d}).tables() {
		p.Table(t)
	}
	return p.Err
}

// readme is what a run is and what it comes to, with its charts.
var readme = template.Must(template.New("readme").Funcs(template.FuncMap{
	"escape": func(s string) string { return strings.ReplaceAll(s, "|", `\|`) },
}).Parse(`# What it costs that timers outlive the process

Written by the program from the data beside it. The question, and how it is measured, are those of
package price in the module durable.

| | |
| --- | --- |
{{range .Facts}}| {{.Name}} | {{if eq .Name "command"}}` + "`{{escape .Value}}`" + `{{else}}{{escape .Value}}{{end}} |
{{end}}
Independent samples are blocks: in each, folders are filled anew, and each turn is a process of its own.

{{range .Sentences}}- {{.}}
{{end}}
The tables are in [report.txt](report.txt), the data (benchfmt, HdrHistogram logs) in data/.
{{range .Charts}}
## {{.Title}}

![{{.Describe}}](charts/{{.Name}}.png)
{{end}}`))

// WriteReadme writes, as Markdown, what a run is and what it comes to. It refers to the files that
// lie beside it.
func WriteReadme(w io.Writer, d *rundata.Data) error {
	return readme.Execute(w, struct {
		Facts     []report.Fact
		Sentences []string
		Charts    []*chart.Figure
	}{report.Facts(d), Sentences(d), results{d}.figures()})
}
