package main

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
	w := tabwriter.NewWriter(con.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "CONTESTANT\tSTRUCTURE\tWHAT TO KNOW")
	for _, c := range catalog.All() {
		about := c.About
		if c.Baseline {
			about = "baseline: " + about
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", c.Name, c.Family, about)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(con.out, "\nexperiments: %s\noperations:  %s\ndelays:      %s\n",
		strings.ToLower(strings.Join(harness.Experiments(), ", ")),
		strings.Join(harness.Ops(), ", "), strings.Join(harness.Delays(), ", "))
	return nil
}

// plotCmd draws again.
type plotCmd struct {
	reportFlags
	Dir string `arg:"" help:"Folder of a run." type:"path"`
}

// Run loads the data of a run and reports it.
func (c *plotCmd) Run(con *console) error {
	req, err := c.requirement()
	if err != nil {
		return err
	}
	data, err := harness.Load(filepath.Join(c.Dir, dataDir))
	if err != nil {
		return err
	}
	if !data.Complete {
		fmt.Fprintf(con.out, "the run in %s is not complete: what there is follows\n", c.Dir)
	}
	return c.report(con.out, data, c.Dir, req)
}
