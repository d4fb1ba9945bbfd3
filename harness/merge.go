package harness

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ErrUnlike means that runs do not go together.
var ErrUnlike = errors.New("these runs cannot be merged")

// The keys of what runs must have in common to be merged, and of what else is worth
// saying if it differs.
var (
	alike      = []string{"plan", "goos", "goarch", "cpu", "go-version", "gomaxprocs", "commit", "build"}
	worthwhile = []string{"kernel", "cpus", "governor", "cgroup-cpu-max"}
)

// Merge puts runs of one plan, each measured by a process of its own, together in a
// folder that holds none: what they have measured is further blocks. It returns what
// the folder then holds, and what there is to say of it. Cells that only some of them
// have are kept, so that the number of blocks differs by cell; the contestants of a cell
// stay paired.
func Merge(out string, dirs ...string) (*Data, []string, error) {
	if len(dirs) < 2 {
		return nil, nil, fmt.Errorf("%w: there is %d, want two at least", ErrUnlike, len(dirs))
	}
	if _, err := os.Lstat(filepath.Join(out, runName)); err == nil {
		return nil, nil, fmt.Errorf("%w: %s holds a run already, want a folder that holds none", ErrUnlike, out)
	}
	u := union{cells: map[string][]contribution{}}
	for _, dir := range dirs {
		if err := u.read(dir); err != nil {
			return nil, nil, err
		}
	}
	if err := u.check(); err != nil {
		return nil, nil, err
	}
	if err := u.write(out); err != nil {
		return nil, nil, err
	}
	d, err := Load(out)
	return d, u.said, err
}

// union is several runs as one.
type union struct {
	runs  []contribution
	order []string                  // of the cells of all runs
	cells map[string][]contribution // of those runs that have the cell
	said  []string
}

// contribution is one of the runs, or what it has of a cell.
type contribution struct {
	dir    string
	env    []Param
	series []*Series
}

// seriesOf returns the series of a name, or nil.
func (c contribution) seriesOf(name string) *Series {
	if i := slices.IndexFunc(c.series, func(s *Series) bool { return s.Name() == name }); i >= 0 {
		return c.series[i]
	}
	return nil
}

func (u *union) say(format string, args ...any) {
	u.said = append(u.said, fmt.Sprintf(format, args...))
}

// read reads a run with all its cells.
func (u *union) read(dir string) error {
	env, err := loadRunOf(dir)
	if err != nil {
		return err
	}
	u.runs = append(u.runs, contribution{dir: dir, env: env})
	for _, name := range strings.Fields(valueOf(env, "order")) {
		if !slices.Contains(u.order, name) {
			u.order = append(u.order, name)
		}
		series, err := loadCell(dir, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		about, err := loadDescription(dir, name)
		if err != nil {
			return err
		}
		for _, s := range series {
			if s.PerBlock == 0 { // the data do not say: then a run is one
				s.PerBlock = len(s.Iterations)
			}
		}
		u.cells[name] = append(u.cells[name], contribution{dir, about, series})
	}
	return nil
}

// check returns an error that names what keeps the runs from being one. It notes in what
// else they differ.
func (u *union) check() error {
	first := u.runs[0]
	for i, r := range u.runs[1:] {
		for _, key := range alike {
			if a, b := valueOf(first.env, key), valueOf(r.env, key); a != b {
				return fmt.Errorf("%w: the %s of %s is %s, and of %s %s", ErrUnlike, key, first.dir, orUnknown(a), r.dir, orUnknown(b))
			}
		}
		for _, before := range u.runs[:i+1] {
			if u.twice(before.dir, r.dir) {
				return fmt.Errorf("%w: %s and %s hold the same measurements", ErrUnlike, before.dir, r.dir)
			}
		}
	}
	if valueOf(first.env, "commit") == "" {
		u.say("the data do not say from which commit they are")
	}
	for _, key := range worthwhile {
		if values := valuesIn(u.runs, key); len(slices.Compact(slices.Clone(values))) > 1 {
			u.say("%s differs: %s", key, strings.Join(values, betweenRuns))
		}
	}
	return nil
}

// twice reports whether one of two runs has measured nothing that the other has not.
func (u *union) twice(a, b string) (same bool) {
	for _, all := range u.cells {
		i := slices.IndexFunc(all, func(c contribution) bool { return c.dir == a })
		j := slices.IndexFunc(all, func(c contribution) bool { return c.dir == b })
		if i < 0 || j < 0 {
			continue
		}
		for _, s := range all[i].series {
			mine, others := s.Identities(), all[j].seriesOf(s.Name()).Identities()
			if len(others) == 0 || s.Note != "" { // whoever is out has no measurements
				continue
			}
			if len(mine) > len(others) {
				mine, others = others, mine
			}
			if slices.ContainsFunc(mine, func(id string) bool { return !slices.Contains(others, id) }) {
				return false
			}
			same = true
		}
	}
	return same
}

// write writes the merged cells, and then what describes them.
func (u *union) write(out string) error {
	joined := map[string][]*Series{}
	for _, name := range u.order {
		series, err := u.joinCell(name)
		if err != nil {
			return err
		}
		joined[name] = series
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	complete := true
	for _, name := range u.order {
		all := u.cells[name]
		complete = complete && len(all) > 0
		if len(all) == 0 {
			continue
		}
		if len(all) < len(u.runs) {
			u.say("%d of %d runs have %s: it has fewer blocks than others", len(all), len(u.runs), name)
		}
		if err := saveCell(out, name, append(together(all), count(all)), joined[name]); err != nil {
			return err
		}
	}
	env := append(together(u.runs), Param{"order", strings.Join(u.order, " ")}, count(u.runs))
	return saveRun(out, env, len(u.order), complete)
}

// joinCell joins the series of a cell that all runs have which have the cell.
func (u *union) joinCell(name string) (joined []*Series, err error) {
	all := u.cells[name]
	known := map[string]bool{}
	for _, c := range all {
		for _, s := range c.series {
			if known[s.Name()] {
				continue
			}
			known[s.Name()] = true
			parts := each(all, func(c contribution) *Series { return c.seriesOf(s.Name()) })
			if lacks := slices.Index(parts, nil); lacks >= 0 {
				u.say("%s is left out: %s does not have it", s.Name(), all[lacks].dir)
				continue
			}
			if err := agree(parts, all); err != nil {
				return nil, err
			}
			joined = append(joined, join(parts))
		}
	}
	return joined, nil
}
