package cli

import (
	"errors"
	"fmt"

	"schedbench/harness/rundata"
	"schedbench/internal/words"
)

// packCmd compresses runs.
type packCmd struct {
	Dirs []folder `arg:"" help:"Folders of runs."`
}

// Run compresses the files of all blocks. What they hold stays the same.
func (c *packCmd) Run(con *console) error {
	for _, dir := range c.Dirs {
		files, err := rundata.Pack(dataOf(dir))
		switch {
		case errors.Is(err, rundata.ErrNoData):
			return usageError(err)
		case err != nil:
			return err
		}
		if _, err := fmt.Fprintf(con.out, "%s: %s compressed\n", dir, words.Many(files, "file")); err != nil {
			return err
		}
	}
	return nil
}
