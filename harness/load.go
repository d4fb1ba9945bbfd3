package harness

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/HdrHistogram/hdrhistogram-go"
	"golang.org/x/perf/benchfmt"
)

// ErrNoData means that a folder holds no measurements.
var ErrNoData = errors.New("no measurements")

// Load reads what Run has written into dir. An error names the file and the
// line that cannot be read.
func Load(dir string) (*Data, error) {
	env, err := loadRun(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w in %s: there is no %s", ErrNoData, dir, runName)
	}
	if err != nil {
		return nil, err
	}
	d := &Data{Env: map[string]string{}, Complete: env["complete"] == "true"}
	maps.Copy(d.Env, env)
	for _, name := range strings.Fields(env["order"]) {
		series, err := loadCell(dir, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // not measured yet
		}
		if err != nil {
			return nil, err
		}
		d.Series = append(d.Series, series...)
	}
	if len(d.Series) == 0 {
		return d, fmt.Errorf("%w in %s: no cell was completed", ErrNoData, dir)
	}
	return d, nil
}

// loadRun reads the configuration lines of a run.
func loadRun(dir string) (map[string]string, error) {
	path := filepath.Join(dir, runName)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	env := map[string]string{}
	n := 0
	for l := range strings.Lines(string(text)) {
		n++
		key, value, ok := strings.Cut(strings.TrimSuffix(l, "\n"), ":")
		if !ok || key == "" {
			return nil, fmt.Errorf("%s:%d: %q is not a line of the form key: value", path, n, strings.TrimSpace(l))
		}
		env[key] = strings.TrimSpace(value)
	}
	for _, key := range []string{"plan", "order", "complete"} {
		if env[key] == "" {
			return nil, fmt.Errorf("%s: there is no line %q: the file is damaged or not of a run", path, key+":")
		}
	}
	return env, nil
}

// loadCell reads the series of a cell.
func loadCell(dir, name string) ([]*Series, error) {
	path := filepath.Join(dir, name+benchExt)
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var series []*Series
	byName := map[string]*Series{}
	r := benchfmt.NewReader(f, path)
	for r.Scan() {
		switch rec := r.Result().(type) {
		case *benchfmt.SyntaxError:
			return nil, rec
		case *benchfmt.Result:
			s := byName[rec.Name.String()]
			if s == nil {
				s = seriesOf(rec.Name)
				byName[rec.Name.String()] = s
				series = append(series, s)
			}
			values := map[string]float64{}
			for _, v := range rec.Values {
				if v.OrigUnit != "" { // the reader turns ns into sec
					values[v.OrigUnit] = v.OrigValue
				} else {
					values[v.Unit] = v.Value
				}
			}
			s.add(rec.Iters, values)
		}
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	if len(series) == 0 {
		return nil, fmt.Errorf("%s: there is no benchmark line: the file is damaged; remove it to have the cell measured again", path)
	}
	return series, checkCell(path, series, loadHistograms(dir, name, byName))
}

// checkCell returns err, or an error if a series does not have all samples.
func checkCell(path string, series []*Series, err error) error {
	if err != nil {
		return err
	}
	for _, s := range series {
		for unit, v := range s.Values {
			if len(v) != len(s.Iterations) {
				return fmt.Errorf("%s: %s has %d samples and %d of %s: the file is damaged; remove it to have the cell measured again",
					path, s.Name(), len(s.Iterations), len(v), unit)
			}
		}
		if len(s.Iterations) != len(series[0].Iterations) {
			return fmt.Errorf("%s: %s has %d samples, %s has %d: the file is damaged; remove it to have the cell measured again",
				path, s.Name(), len(s.Iterations), series[0].Name(), len(series[0].Iterations))
		}
	}
	return nil
}

// seriesOf returns an empty series of a benchmark's name.
func seriesOf(name benchfmt.Name) *Series {
	base, parts := name.Parts()
	s := &Series{Experiment: string(base)}
	for _, p := range parts {
		key, value, _ := strings.Cut(strings.TrimPrefix(string(p), "/"), "=")
		s.Params = append(s.Params, Param{key, value})
	}
	return s
}

// loadHistograms reads the histograms of a cell, if it has any.
func loadHistograms(dir, name string, byName map[string]*Series) error {
	path := filepath.Join(dir, name+hlogExt)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	r := hdrhistogram.NewHistogramLogReader(f)
	for {
		h, err := r.NextIntervalHistogram()
		if err != nil {
			return fmt.Errorf("%s: %w: the file is damaged; remove it and its %s file to have the cell measured again", path, err, benchExt)
		}
		if h == nil {
			return nil
		}
		kind, of, _ := strings.Cut(h.Tag(), ":")
		s := byName[of]
		if s == nil {
			return fmt.Errorf("%s: histogram of %q, which is not in %s%s", path, of, name, benchExt)
		}
		if kind == "early" {
			s.Early = h
		} else {
			s.Late = h
		}
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
