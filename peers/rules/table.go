package rules

import (
	_ "embed"
	"fmt"
	"io"
	"slices"

	"schedbench/internal/report/text"
)

// Found is the table of the libraries, as the test wrote it.
//
//go:embed found.txt
var Found string

// WriteTable writes a row for each rule and a column for each library, and below how rules are broken.
func WriteTable(w io.Writer, all []Finding) error {
	t := &text.Table{Title: "Rules of the contract, as far as they can be seen from outside", Names: 1, Header: []string{"rule"}}
	rows := map[string][]string{}
	for _, f := range all {
		if !slices.Contains(t.Header, f.Library) {
			t.Header = append(t.Header, f.Library)
		}
		cell := "kept"
		switch {
		case f.Skipped != "":
			cell = f.Skipped
		case f.Broken != "":
			cell = "broken"
			t.Notes = append(t.Notes, fmt.Sprintf("%s, %s: %s.", f.Library, f.Rule, f.Broken))
		}
		rows[f.Rule] = append(rows[f.Rule], cell)
	}
	for _, r := range All() {
		t.Add(append([]string{r.Name}, rows[r.Name]...)...)
	}
	out := &text.Page{W: w, Err: t.Write(w)}
	for _, r := range All() {
		out.Printf("  %s: %s\n", r.Name, r.Text)
	}
	return out.Err
}
