package cli

import (
	"io"
	"os"
	"path/filepath"
	"slices"

	"schedbench/harness/rundata"
	"schedbench/internal/report"
)

// Main runs a program that has this command only, and ends the process. Its users need not name the command.
func (c Command) Main() {
	if len(os.Args) < 2 || os.Args[1] != c.Name {
		os.Args = slices.Insert(os.Args, 1, c.Name)
	}
	Program{Commands: []Command{c}}.Main()
}

// Folders are flags of a command that measures cells of its own, and shows an earlier run again.
type Folders struct {
	Out  string `help:"Folder for data, charts and report; by default a new one under results." placeholder:"DIR" type:"path"`
	From string `help:"Folder of an earlier run: draw and judge it again, measure nothing." placeholder:"DIR" type:"existingdir"`
}

// Show draws, judges and prints the run in From, or without From what measured returns. No data and no error show nothing.
func (f Folders) Show(w io.Writer, measured func() (*rundata.Data, string, error), chapters func(*rundata.Data) []report.Chapter) (err error) {
	data, dir := (*rundata.Data)(nil), f.From
	if dir == "" {
		data, dir, err = measured()
	} else {
		data, err = rundata.Load(filepath.Join(dir, dataDir))
	}
	if data == nil || err != nil {
		return err
	}
	return report.Judge(data, report.Options{Chapters: chapters(data)}).Write(w, dir)
}
