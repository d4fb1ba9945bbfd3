// Package page writes report.html: all that a run says, in one file that opens from disk.
//
// It fetches nothing, and its one script sorts tables; its Content-Security-Policy forbids all else. Charts are drawn in it
// as SVG, on a light ground whatever the colours of the page.
package page

import (
	"crypto/sha256"
	_ "embed" // of what the page is made of
	"encoding/base64"
	"html/template"
	"io"
	"strconv"
	"strings"

	"schedbench/internal/lists"
	"schedbench/internal/report"
	"schedbench/internal/report/card"
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

// Write writes the page of a run. Any part of the data may be missing.
func Write(w io.Writer, r *report.Report) error {
	var styles classes
	sections := sectionsOf(r.Sections(), &styles)
	has := map[string]any{
		"Style":    template.CSS(style),
		"Script":   template.JS(script),
		"Allowed":  allowed(),
		"Title":    strings.Join(words.Said("schedbench", r.Env("cpu"), r.Env("date")), " · "), // among other pages in a browser
		"Classes":  styles.rules(),
		"Card":     r.Card(),
		"Sections": sections, "Facts": r.Facts(),
	}
	funcs := template.FuncMap{
		"kept": kept, "split": strings.Fields, "trim": strings.TrimSpace, "heat": heatOf, "class": classOf, "lines": linesOf,
		"spaced": func(s string) bool { return strings.Contains(s, " ") },
		"more":   func(row []string) bool { return strings.HasPrefix(row[0], " ") }, // of what the row above says
		"svg":    func(s string) template.HTML { return template.HTML(s) },          // whose texts are escaped
		"least":  leastWidth, "wide": func(least int) bool { return least > narrow },
	}
	return template.Must(template.New("page").Option("missingkey=error").Funcs(funcs).Parse(markup)).Execute(w, has)
}

// allowed returns the hash by which a policy allows the script.
func allowed() string {
	sum := sha256.Sum256([]byte(script))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// kept keeps numbers on one line with their units.
func kept(s string) string {
	return strings.Join(lists.Each(words.Split(s), func(word string) string { return strings.ReplaceAll(word, " ", "\u00a0") }), " ")
}

// heatOf returns the class of a cell's colour: h0 is as fast as the best, h5 at least 30 times as much.
func heatOf(c card.Cell) string {
	switch c.State {
	case card.CellSame, card.CellAhead:
		return "h0"
	case card.CellBehind:
		for i, most := range []float64{1.5, 4, 10, 30} {
			if float64(c.Worst.Ratio) < most {
				return "h" + strconv.Itoa(i+1)
			}
		}
		return "h5"
	}
	return ""
}

// linesOf returns the lines of a paragraph. What to take is in large letters, but what is in brackets.
func linesOf(p card.Paragraph) []string {
	if name, more, found := strings.Cut(p.Text, " ("); found && p.Label == "TAKE" {
		return []string{name, "(" + more}
	}
	return strings.Split(p.Text, "\n")
}

func classOf(label string) string { return strings.ReplaceAll(strings.ToLower(label), " ", "-") }
