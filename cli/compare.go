package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"schedbench/harness/rundata"
	"schedbench/internal/compare"
	"schedbench/internal/report/text"
)

// The exit statuses of compare besides those of all commands. If runs cannot be compared, the status is exitUsage: 1 is an
// answer here.
const (
	exitWorse   = 1
	exitUnclear = 3
)

type compareCmd struct {
	Old    folder  `arg:"" optional:"" help:"Folder of the old run."`
	New    folder  `arg:"" optional:"" help:"Folder of the new run."`
	Margin percent `help:"Figures that differ by no more than this count as the same." default:"10%"`
	Tables bool    `help:"Print a table of all series, too." xor:"printed"`
	JSON   bool    `name:"json" help:"Print the comparisons as JSON, and nothing else." xor:"printed"`
	Only   string  `help:"Compare only series whose names match all of these words, which are regular expressions." placeholder:"WORDS"`
	revFlags
}

// Run compares two runs, or a revision with the working tree.
func (c *compareCmd) Run(con *console) error {
	err := c.run(con)
	if err == nil || errors.Is(err, context.Canceled) || errors.As(err, new(answered)) {
		return err
	}
	return usageError(err)
}

func (c *compareCmd) run(con *console) error {
	terms, err := c.terms()
	switch {
	case err != nil:
		return err
	case c.Rev != "" && c.Old != "":
		return errors.New("--rev measures both runs itself, want --rev or two folders")
	case c.Rev != "":
		return c.measured(con, terms)
	case c.Old == "" || c.New == "":
		return errors.New("want the folders of two runs, OLD and NEW, or --rev")
	}
	var runs [2]*rundata.Data
	for i, dir := range []folder{c.Old, c.New} {
		if runs[i], err = rundata.Load(dataOf(dir)); err != nil {
			return err
		}
	}
	result, err := compare.Folders(runs[0], runs[1], terms)
	if err != nil {
		return fmt.Errorf("%w: %s and %s have no series in common%s", err, c.Old, c.New, c.matching())
	}
	for i, dir := range []folder{c.Old, c.New} {
		(&text.Page{W: c.beside(con)}).Labelled(sides[i], about(string(dir), runs[i], c.Tables))
	}
	return c.write(con.out, compare.Heading(runs[0], runs[1]), result)
}

// beside returns the writer for all but the answer: with --json nothing else goes to the output.
func (c *compareCmd) beside(con *console) io.Writer {
	if c.JSON {
		return con.err
	}
	return con.out
}

var sides = [2]string{"OLD", "NEW"}

func (c *compareCmd) terms() (compare.Terms, error) {
	t := compare.Terms{Margin: 1 + float64(c.Margin)}
	var all []*regexp.Regexp
	for _, word := range strings.Fields(c.Only) {
		_, err := regexp.Compile(word)
		if err != nil {
			return t, fmt.Errorf("--only %q, want regular expressions: %w", word, err)
		}
		all = append(all, regexp.MustCompile("(?i)"+word))
	}
	t.Only = func(name string) bool {
		return !slices.ContainsFunc(all, func(e *regexp.Regexp) bool { return !e.MatchString(name) })
	}
	return t, nil
}

// matching repeats --only in an error.
func (c *compareCmd) matching() string {
	if c.Only == "" {
		return ""
	}
	return fmt.Sprintf(" that match %q", c.Only)
}

// about describes a run: its commit, its date and, if command is set, its command.
func about(dir string, d *rundata.Data, command bool) string {
	commit := "of an unknown commit"
	if c := d.Env["commit"]; c != "" {
		commit = "of commit " + c
	}
	said := fmt.Sprintf("%s, %s", filepath.Clean(dir), commit)
	for _, key := range []string{"date", "command"} {
		if v := d.Env[key]; v != "" && (command || key != "command") {
			said += ", " + firstOfRuns(v)
		}
	}
	if !d.Complete {
		said += ", not complete" + missing(d)
	}
	return said
}

// firstOfRuns returns a fact of the first of merged runs, and how many other values the runs have.
func firstOfRuns(said string) string {
	all := rundata.OfRuns(said)
	if others := len(slices.Compact(slices.Sorted(slices.Values(all)))) - 1; others > 0 {
		return fmt.Sprintf("%s (and %d more)", all[0], others)
	}
	return all[0]
}

// write prints a comparison. Its error is the exit status; nil if nothing is worse or unclear.
func (c *compareCmd) write(w io.Writer, lines []string, r *compare.Result) error {
	var err error
	if c.JSON {
		err = r.WriteJSON(w)
	} else {
		err = r.Write(w, lines, c.Tables)
	}
	switch answer := r.Conclusion(); {
	case err != nil:
		return err
	case answer == compare.Worse:
		return answered(exitWorse)
	case answer == compare.Unclear:
		return answered(exitUnclear)
	}
	return nil
}
