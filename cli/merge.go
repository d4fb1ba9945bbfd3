package cli

import (
	"errors"
	"fmt"
	"path/filepath"

	"schedbench/harness/rundata"
	"schedbench/internal/lists"
	"schedbench/internal/words"
)

type mergeCmd struct {
	Dirs []folder `arg:"" help:"Folders of runs of one plan, each by a process of its own, on one machine or on machines of one kind."`
	Out  folder   `required:"" help:"Folder for all of them together; a new one." placeholder:"DIR"`
}

// Run writes one run with the blocks of all.
func (c *mergeCmd) Run(con *console) error {
	dirs := lists.Each(c.Dirs, dataOf)
	data, said, err := rundata.Merge(filepath.Join(string(c.Out), dataDir), dirs...)
	switch {
	case errors.Is(err, rundata.ErrUnlike) || errors.Is(err, rundata.ErrNoData):
		return usageError(err)
	case err != nil:
		return err
	}
	for _, s := range said {
		fmt.Fprintln(con.out, s)
	}
	if !data.Complete {
		fmt.Fprintf(con.out, "none of the runs is complete%s\n", missing(data))
	}
	_, err = fmt.Fprintf(commandWriter{con.out, con.called}, "%d series of %s are in %s; \"bench plot %s\" shows them\n",
		len(data.Series), words.Many(len(dirs), "run"), c.Out, typed(string(c.Out)))
	return err
}

// dataOf returns the folder of a run's measurements, given that or the run's folder.
func dataOf(dir folder) string {
	if data := filepath.Join(string(dir), dataDir); isThere(data) {
		return data
	}
	return string(dir)
}
