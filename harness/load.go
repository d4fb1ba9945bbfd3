package harness

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/HdrHistogram/hdrhistogram-go"
	"golang.org/x/perf/benchfmt"
)

// ErrNoData means that a folder holds no measurements.
var ErrNoData = errors.New("no measurements")

// remedy is what to do about a file of a cell that cannot be read.
const remedy = "the file is damaged; remove it to have the cell measured again"

// Load reads what Run has written into dir. An error names the file and, where
// there is one, the line that cannot be read.
func Load(dir string) (*Data, error) {
	env, err := loadRunOf(dir)
	if err != nil {
		return nil, err
	}
	d := &Data{Env: map[string]string{}, Complete: valueOf(env, completeKey) == "true"}
	for _, p := range env {
		d.Env[p.Key] = p.Value
	}
	for _, name := range strings.Fields(d.Env["order"]) {
		series, err := loadCell(dir, name)
		if errors.Is(err, fs.ErrNotExist) { // not measured yet, or removed
			d.Complete = false
			d.Missing = append(d.Missing, name)
			continue
		}
		if err != nil {
			return nil, err
		}
		description, err := loadDescription(dir, name)
		if err != nil {
			return nil, err
		}
		d.Series, d.Around = append(d.Series, series...), append(d.Around, aroundOf(name, description))
	}
	if len(d.Series) == 0 {
		return d, fmt.Errorf("%w in %s: no cell was completed", ErrNoData, dir)
	}
	return d, nil
}

// loadRunOf reads the description of the run that dir is to hold.
func loadRunOf(dir string) ([]Param, error) {
	env, err := loadRun(dir)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w in %s: there is no %s", ErrNoData, dir, runName)
	}
	return env, err
}

// loadRun reads the description of a run.
func loadRun(dir string) (env []Param, err error) {
	path := filepath.Join(dir, runName)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for l := range strings.Lines(string(text)) {
		p, ok := descriptionOf(l)
		env = append(env, p)
		if !ok {
			return nil, fmt.Errorf("%s:%d: %q is not a line of the form key: value", path, len(env), strings.TrimSpace(l))
		}
	}
	for _, key := range []string{"plan", "order", completeKey} {
		if valueOf(env, key) == "" {
			return nil, fmt.Errorf("%s: there is no line %q: the file is damaged or not of a run", path, key+":")
		}
	}
	return env, nil
}

// loadCell reads the series of a cell.
func loadCell(dir, name string) ([]*Series, error) {
	path := filepath.Join(dir, name+benchExt)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	series, err := parseBench(path, text)
	if err != nil {
		return nil, err
	}
	return series, loadHistograms(dir, name, series)
}

// parseBench reads the benchmark lines of a cell and checks that all are there.
// path is for messages.
func parseBench(path string, text []byte) ([]*Series, error) {
	description, err := readDescription(path, string(text))
	if err != nil {
		return nil, err
	}
	series, err := readSeries(path, text)
	if err != nil {
		return nil, err
	}
	if len(series) == 0 {
		return nil, fmt.Errorf("%s: there is no benchmark line: %s", path, remedy)
	}
	if err := applyDescription(path, description, series); err != nil {
		return nil, err
	}
	if err := checkSamples(path, series); err != nil {
		return nil, err
	}
	want, got := valueOf(description, samplesKey), strconv.Itoa(len(series)*len(series[0].Iterations))
	if want != "" && want != got {
		return nil, fmt.Errorf("%s: there are %s samples, want %s: %s", path, got, want, remedy)
	}
	return series, nil
}

// readSeries reads benchmark lines.
func readSeries(path string, text []byte) (series []*Series, err error) {
	byName := map[string]*Series{}
	r := benchfmt.NewReader(bytes.NewReader(text), path)
	for r.Scan() {
		switch rec := r.Result().(type) {
		case *benchfmt.SyntaxError:
			return nil, fmt.Errorf("%w: %s", rec, remedy)
		case *benchfmt.Result:
			s := byName[rec.Name.String()]
			if s == nil {
				s = seriesOf(rec.Name)
				byName[rec.Name.String()] = s
				series = append(series, s)
			}
			s.add(rec.Iters, valuesOf(rec))
			s.Note = rec.GetConfig(noteKey) // where older files have it
		}
	}
	return series, r.Err()
}

// readDescription reads the lines that describe a file. It checks that the last line is
// whole, and that every line is one that Run writes: the reader of the format passes over
// others in silence.
func readDescription(path, text string) (description []Param, err error) {
	n := 0
	for l := range strings.Lines(text) {
		n++
		p, describes := descriptionOf(l)
		switch {
		case !strings.HasSuffix(l, "\n"):
			return nil, fmt.Errorf("%s:%d: the line breaks off: %s", path, n, remedy)
		case describes:
			description = append(description, p)
		case strings.TrimSpace(l) == "":
		case strings.HasPrefix(l, "Benchmark") && len(strings.Fields(l)) > 1:
		default:
			return nil, fmt.Errorf("%s:%d: %q is not a line of the benchmark format: %s", path, n, strings.TrimSpace(l), remedy)
		}
	}
	return description, nil
}

// loadDescription reads what a cell says of itself.
func loadDescription(dir, name string) ([]Param, error) {
	path := filepath.Join(dir, name+benchExt)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return readDescription(path, string(text))
}

// applyDescription adds to series what a description says of them.
func applyDescription(path string, description []Param, series []*Series) (err error) {
	for _, p := range description {
		key, name, one := strings.Cut(p.Key, " ")
		of := slices.DeleteFunc(slices.Clone(series), func(s *Series) bool { return one && s.Name() != name })
		if len(of) == 0 {
			return fmt.Errorf("%s: %s of %q, which is not there: %s", path, key, name, remedy)
		}
		for _, s := range of {
			switch {
			case key == noteKey && one:
				s.Note = p.Value
			case key == perBlockKey:
				if s.PerBlock, err = strconv.Atoi(p.Value); err != nil || s.PerBlock < 0 {
					return fmt.Errorf("%s: %s: %q, want a number of rounds: %s", path, p.Key, p.Value, remedy)
				}
			}
		}
	}
	return nil
}

// valuesOf returns the values of a benchmark line by the units it was written
// with: the reader turns ns into sec.
func valuesOf(r *benchfmt.Result) sample {
	values := sample{}
	for _, v := range r.Values {
		if v.OrigUnit != "" {
			v.Unit, v.Value = v.OrigUnit, v.OrigValue
		}
		values[v.Unit] = v.Value
	}
	return values
}

// checkSamples returns an error if a series does not have all samples, or one
// that is no number.
func checkSamples(path string, series []*Series) error {
	for _, s := range series {
		for unit, v := range s.Values {
			if len(v) != len(s.Iterations) {
				return fmt.Errorf("%s: %s has %d samples and %d of %s: %s",
					path, s.Name(), len(s.Iterations), len(v), unit, remedy)
			}
			for _, x := range v {
				if math.IsNaN(x) || math.IsInf(x, 0) {
					return fmt.Errorf("%s: %s has a sample of %v %s, want a number: %s", path, s.Name(), x, unit, remedy)
				}
			}
		}
		if len(s.Iterations) != len(series[0].Iterations) {
			return fmt.Errorf("%s: %s has %d samples, %s has %d: %s",
				path, s.Name(), len(s.Iterations), series[0].Name(), len(series[0].Iterations), remedy)
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

// loadHistograms reads the histograms of a cell. A series of an experiment that is about
// lateness, or single calls, must have its own; others need none.
func loadHistograms(dir, name string, series []*Series) error {
	path := filepath.Join(dir, name+hlogExt)
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	r := hdrhistogram.NewHistogramLogReader(bytes.NewReader(text))
	for {
		h, err := r.NextIntervalHistogram()
		if err != nil {
			return fmt.Errorf("%s: %w: the file is damaged; remove it and %s%s to have the cell measured again", path, err, name, benchExt)
		}
		if h == nil {
			break
		}
		kind, of, _ := strings.Cut(h.Tag(), ":")
		i := slices.IndexFunc(series, func(s *Series) bool { return s.Name() == of })
		if i < 0 {
			return fmt.Errorf("%s: histogram of %q, which is not in %s%s", path, of, name, benchExt)
		}
		into := series[i].histogram(kind)
		if into == nil {
			return fmt.Errorf("%s: histogram of a kind %q, which is none: %s", path, kind, remedy)
		}
		*into = h
	}
	for _, s := range series {
		if s.lacksHistogram() {
			return fmt.Errorf("%s: %s lacks a histogram: remove the file and %s%s to have the cell measured again", path, s.Name(), name, benchExt)
		}
	}
	return nil
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
