// Package page writes report.html: all that a run says, in one file that opens from disk.
//
// It fetches nothing, which its Content-Security-Policy forbids too, and is complete without script: a script, which is
// named there by its hash, lets tables be sorted and opens them before they are printed. Charts are drawn in it as SVG,
// on a light ground whatever the colours of the page.
package page

import (
	"crypto/sha256"
	_ "embed" // of what the page is made of
	"encoding/base64"
	"html/template"
	"io"
	"slices"
	"strings"

	"schedbench/internal/report"
	"schedbench/internal/words"
)

var (
	//go:embed page.html
	markup string
	//go:embed page.css
	style string
	//go:embed page.js
	script string
)

// htmlPage is what its template asks for.
type htmlPage struct {
	Policy  string
	Style   template.CSS
	Classes template.CSS
	Script  template.JS
	Title   string
	Card    answer
	// Regret is the chart behind the table of the card.
	Regret *part
	// Presets says that presets were measured, which are in that chart only.
	Presets  bool
	Sections []pageSection
	Facts    []report.Fact
}

// Write writes the page of a run. Any part of the data may be missing.
func Write(w io.Writer, r *report.Report) error {
	var styles classes
	sections, regret := withoutRegret(sectionsOf(r.Sections(), &styles))
	p := htmlPage{
		Policy: policy(), Style: template.CSS(style), Script: template.JS(script), // both are this package's own
		Title:   strings.Join(words.Said("schedbench", r.Env("cpu"), r.Env("date")), " · "), // among other pages in a browser
		Card:    answerOf(r.Card()),
		Classes: template.CSS(styles.rules.String()), // numbers and colours of the drawings
		Regret:  regret, Presets: r.Presets(), Sections: sections, Facts: r.Facts(),
	}
	t, err := template.New("page").Funcs(template.FuncMap{"kept": kept, "split": strings.Fields, "heat": heatOf, "sort": sortOf}).Parse(markup)
	if err != nil {
		return err
	}
	return t.Execute(w, p)
}

// withoutRegret takes the part out of sections that shows what each choice costs at worst: the card has it.
func withoutRegret(sections []pageSection) ([]pageSection, *part) {
	for i, s := range sections {
		for j, p := range s.Parts {
			if p.Name != report.RegretName {
				continue
			}
			if sections[i].Parts = slices.Delete(s.Parts, j, j+1); len(s.Parts) == 1 {
				sections = slices.Delete(sections, i, i+1)
			}
			return sections, &p
		}
	}
	return sections, nil
}

// policy forbids the page everything but its own style and the one script. Drawings have styles in their elements.
func policy() string {
	sum := sha256.Sum256([]byte(script))
	return "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; base-uri 'none'; form-action 'none'"
}

// kept keeps numbers on one line with their units.
func kept(s string) string {
	all := words.Split(s)
	for i, word := range all {
		all[i] = strings.ReplaceAll(word, " ", "\u00a0")
	}
	return strings.Join(all, " ")
}
