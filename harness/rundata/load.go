package rundata

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/HdrHistogram/hdrhistogram-go"

	"schedbench/internal/lists"
)

// ErrNoData means that a folder holds no measurements.
var ErrNoData = errors.New("no measurements")

// ErrDamaged means that a file of a run cannot be read.
var ErrDamaged = errors.New("the file is damaged; remove it to have its blocks measured again")

// Load reads what Run has written into dir. An error names the file, and the line that cannot be read.
func Load(dir string) (*Data, error) {
	run, err := read(dir)
	if err != nil {
		return nil, err
	}
	d := &Data{Env: map[string]string{}, Complete: Get(run.env, CompleteKey) == "true"}
	for _, p := range run.env {
		if p.Key == LostKey {
			d.Lost = append(d.Lost, p.Value)
		}
		d.Env[p.Key] = p.Value
	}
	order := strings.Fields(d.Env["order"])
	d.Series = Join(order, run.parts)
	d.SystemLoad = lists.Each(run.parts, func(p *File) SystemLoad { return SystemLoadOf(p.Env) })
	for _, name := range order {
		if !slices.ContainsFunc(run.parts, func(p *File) bool {
			return slices.ContainsFunc(p.Cells, func(c Measured) bool { return c.Name == name })
		}) {
			d.Complete = false
			d.Missing = append(d.Missing, name)
		}
	}
	if len(d.Series) == 0 {
		return d, fmt.Errorf("%w in %s: no block was completed", ErrNoData, dir)
	}
	return d, nil
}

// Join returns the series of parts: cell by cell in an order, each with the samples of its blocks, ascending. See Level.
func Join(order []string, parts []*File) (all []*Series) {
	byName := map[string]*Series{}
	cells := map[string][]*Series{}
	for _, p := range parts {
		for _, c := range p.Cells {
			for _, s := range c.Series {
				if into := byName[s.Name()]; into != nil {
					into.append(s)
					continue
				}
				one := s.clone()
				byName[s.Name()] = one
				cells[c.Name] = append(cells[c.Name], one)
			}
		}
	}
	for _, name := range append(slices.Clone(order), lists.Keys(cells)...) {
		all = append(all, cells[name]...)
		delete(cells, name)
	}
	Level(all)
	return all
}

// append adds the samples of other blocks. If either series has a note in place of figures, the result has that note
// and no figures. Where blocks lack a unit, its samples are NaN.
func (s *Series) append(more *Series) {
	switch {
	case s.Note != "" && more.Note == "":
		return
	case s.Note == "" && more.Note != "":
		*s = *more.clone()
		return
	}
	for unit := range more.Values {
		if s.Values[unit] == nil {
			s.Values[unit] = slices.Repeat([]float64{math.NaN()}, len(s.Iterations))
		}
	}
	for unit, v := range s.Values {
		added := more.Values[unit]
		if added == nil {
			added = slices.Repeat([]float64{math.NaN()}, len(more.Iterations))
		}
		s.Values[unit] = append(slices.Clip(v), added...)
	}
	s.Iterations, s.Block = append(slices.Clip(s.Iterations), more.Iterations...), append(slices.Clip(s.Block), more.Block...)
	added := more.Histograms()
	for kind, into := range s.Histograms() {
		switch h := *added[kind]; {
		case h != nil && *into == nil:
			*into = hdrhistogram.Import(h.Export()) // the next block adds to it
		case h != nil:
			(*into).Merge(h)
		}
	}
}

func (s *Series) clone() *Series {
	one := *s
	one.Values = maps.Collect(maps.All(s.Values)) // not nil where this block has no sample and others do
	for _, h := range one.Histograms() {
		if *h != nil {
			*h = hdrhistogram.Import((*h).Export())
		}
	}
	return &one
}

// LoadRun reads the description of the run in dir. The error is ErrNoData if dir holds none.
func LoadRun(dir string) (env []Param, err error) {
	path := filepath.Join(dir, RunName)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w in %s: there is no %s, want the folder of a run", ErrNoData, dir, RunName)
	}
	if err != nil {
		return nil, err
	}
	for l := range strings.Lines(string(text)) {
		p, ok := descriptionOf(l)
		env = append(env, p)
		if !ok {
			return nil, fmt.Errorf("%s:%d: %q is not a line of the form key: value: the file is damaged or not of a run", path, len(env), strings.TrimSpace(l))
		}
	}
	for _, key := range []string{"plan", "order", CompleteKey} {
		if Get(env, key) == "" {
			return nil, fmt.Errorf("%s: there is no line %q: the file is damaged or not of a run", path, key+":")
		}
	}
	return env, nil
}

// LoadFiles reads all parts of a run, those with the first blocks first.
func LoadFiles(dir string) (parts []*File, err error) {
	paths, err := blockFiles(dir)
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		p, err := LoadFile(path)
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	slices.SortStableFunc(parts, func(a, b *File) int { return a.First - b.First })
	return parts, nil
}
