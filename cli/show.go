package cli

import (
	"fmt"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"schedbench/catalog"
	"schedbench/harness"
)

// listCmd lists what can be measured.
type listCmd struct{}

// Run prints the lists.
func (listCmd) Run(con *console) error {
	for i, g := range []struct {
		title string
		list  []harness.Contestant
	}{
		{"CONTESTANT", append(catalog.Contestants(), con.own...)},
		{"BASELINE", catalog.Baselines()},
		{"PRESET", catalog.Presets()},
	} {
		if i > 0 {
			fmt.Fprintln(con.out)
		}
		w := tabwriter.NewWriter(con.out, 0, 0, 2, ' ', 0)
		fmt.Fprintf(w, "%s\tSTRUCTURE\tWHAT TO KNOW\n", g.title)
		for _, c := range g.list {
			fmt.Fprintf(w, "%s\t%s\t%s\n", c.Name, c.Family, c.About)
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(con.out, "\nexperiments: %s\noperations:  %s\ndelays:      %s\n",
		experimentNames(), strings.Join(harness.Ops(), ", "), strings.Join(harness.Delays(), ", "))
	return err
}

// plotCmd draws again.
type plotCmd struct {
	reportFlags
	Dir folder `arg:"" help:"Folder of a run."`
}

// Run loads the data of a run and reports it.
func (c *plotCmd) Run(con *console) error {
	req, err := c.requirement()
	if err != nil {
		return err
	}
	dir := string(c.Dir)
	data, err := harness.Load(filepath.Join(dir, dataDir))
	if err != nil {
		return err
	}
	if !data.Complete {
		fmt.Fprintf(con.out, "the run in %s is not complete%s: what there is follows\n", dir, missing(data))
	}
	return show(con.out, data, dir, req, c.SVG)
}

// missing says which cells a run lacks: the first few by name.
func missing(data *harness.Data) string {
	const few = 3
	n := len(data.Missing)
	if n == 0 {
		return ""
	}
	text := "; it lacks " + strings.Join(data.Missing[:min(n, few)], ", ")
	if n > few {
		text += fmt.Sprintf(" and %d more", n-few)
	}
	return text
}
