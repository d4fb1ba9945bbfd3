package cli

import (
	"fmt"
	"io"
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
		if err := listGroup(con.out, g.title, g.list); err != nil {
			return err
		}
	}
	fmt.Fprintf(con.out, "\nexperiments: %s\noperations:  %s\ndelays:      %s\n",
		strings.ToLower(strings.Join(harness.Experiments(), ", ")),
		strings.Join(harness.Ops(), ", "), strings.Join(harness.Delays(), ", "))
	return nil
}

// listGroup lists contestants of one kind.
func listGroup(out io.Writer, title string, list []harness.Contestant) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%s\tSTRUCTURE\tWHAT TO KNOW\n", title)
	for _, c := range list {
		fmt.Fprintf(w, "%s\t%s\t%s\n", c.Name, c.Family, c.About)
	}
	return w.Flush()
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
	named := strings.Join(data.Missing[:min(n, few)], ", ")
	switch {
	case n == 0:
		return ""
	case n > few:
		return fmt.Sprintf("; it lacks %s and %d more", named, n-few)
	}
	return "; it lacks " + named
}
