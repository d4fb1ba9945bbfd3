package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"schedbench/harness/rundata"
	"schedbench/internal/lists"
	"schedbench/internal/report"
)

type publishCmd struct {
	planFlags
	groupFlag
	reportFlags
	Dir folder `arg:"" optional:"" help:"Folder of the published run: a new one, or one that this command has made, which stays until the new run is complete. By default ${published}."`
}

// published is the folder of the published run.
var published = filepath.Join(resultsDir, "published")

// Run measures into a folder beside the published one, or goes on with it. The complete run takes the published one's place.
func (c *publishCmd) Run(con *console) error {
	opt := c.options()
	c.Published, c.group = true, c.Only
	p := publicationIn(cmp.Or(string(c.Dir), published))
	if err := p.check(); err != nil {
		return err
	}
	if p.isDefault() && !c.whole() {
		return usageError(fmt.Errorf("%s is for the whole plan, want the name of another folder", published))
	}
	plan, err := c.plan(con.Contestants)
	if err != nil {
		return usageError(err)
	}
	data, _, kept, err := measureBlocks(con, plan, folder(p.aside), "")
	switch {
	case errors.Is(err, context.Canceled):
		return interruption(fmt.Sprintf("interrupted: %s in %s, and the same command goes on from there; %s is as it was", kept, p.aside, p.dir))
	case errors.Is(err, rundata.ErrOtherPlan):
		return usageError(fmt.Errorf("%w; go on with that command, or remove the folder", err))
	case err != nil:
		return err
	}
	r := con.judge(data, opt)
	if err := errors.Join(keep(r, p.aside), writeReadme(r, p.aside)); err != nil {
		return err
	}
	if err := p.place(); err != nil {
		return err
	}
	return c.print(con, r, p.dir)
}

// whole reports whether the flags ask for the plan of the published run, with any budget.
func (f *planFlags) whole() bool {
	return f.group == "" && !slices.ContainsFunc(f.args(), func(arg string) bool {
		name, _, _ := strings.Cut(arg, "=")
		return !slices.Contains([]string{"--full", "--seed", "--budget"}, name)
	})
}

// readmeFile describes a published run, and has its verdict.
const readmeFile = "README.md"

var publicationFiles = []string{dataDir, chartsDir, answersFile, regretFile, pageFile, reportFile, readmeFile}

func writeReadme(r *report.Report, dir string) error {
	return writeFile(filepath.Join(dir, readmeFile), r.WriteReadme)
}

// publication has folders: of the published run, of the next one until it is complete, and of the old one when they change.
type publication struct{ dir, aside, replaced string }

func publicationIn(dir string) publication {
	dir = filepath.Clean(dir)
	return publication{dir, dir + "-new", dir + "-replaced"}
}

func (p publication) isDefault() bool {
	is, err := filepath.Abs(p.dir)
	usual, err2 := filepath.Abs(published)
	return err == nil && err2 == nil && is == usual
}

// check returns an error if a folder holds anything but a published run: nothing else may be moved or removed.
func (p publication) check() error {
	for _, dir := range []string{p.dir, p.aside, p.replaced} {
		names, err := namesIn(dir)
		if err != nil {
			return err
		}
		other := slices.IndexFunc(names, func(name string) bool {
			return !slices.Contains(publicationFiles, name) && !(dir == p.aside && isOld(name))
		})
		switch {
		case other >= 0:
			return usageError(fmt.Errorf("%s holds %s, which \"bench publish\" did not write, want a new folder or one that holds a published run only", dir, names[other]))
		case dir == p.dir && len(names) > 0 && !slices.Contains(names, readmeFile):
			return usageError(fmt.Errorf("%s holds a run that was not published, want a folder that is new or holds one that was", dir))
		}
	}
	return nil
}

// isOld reports whether rundata.SetAside made the folder, for the run of another build.
func isOld(name string) bool { return name == "old" || strings.HasPrefix(name, "old-") }

// namesIn lists a folder. One that does not exist is empty.
func namesIn(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return lists.Each(entries, os.DirEntry.Name), err
}

// place replaces the earlier run by a complete one. A run that another build began stays aside.
func (p publication) place() error {
	if _, err := os.Lstat(p.dir); err == nil {
		if err := os.RemoveAll(p.replaced); err != nil { // left by an interrupted exchange
			return err
		}
		if err := os.Rename(p.dir, p.replaced); err != nil {
			return err
		}
	}
	if err := os.Rename(p.aside, p.dir); err != nil {
		return err // the earlier run is in p.replaced, and the new one in p.aside
	}
	if err := os.RemoveAll(p.replaced); err != nil {
		return err
	}
	names, err := namesIn(p.dir)
	for _, name := range names {
		if err != nil || !isOld(name) {
			continue
		}
		if err = os.MkdirAll(p.aside, 0o755); err == nil {
			err = os.Rename(filepath.Join(p.dir, name), filepath.Join(p.aside, name))
		}
	}
	return err
}
