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
	"unicode"

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
	env, err := loadRun(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w in %s: there is no %s", ErrNoData, dir, runName)
	}
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
		d.Series = append(d.Series, series...)
	}
	if len(d.Series) == 0 {
		return d, fmt.Errorf("%w in %s: no cell was completed", ErrNoData, dir)
	}
	return d, nil
}

// loadRun reads the configuration lines of a run.
func loadRun(dir string) (env []Param, err error) {
	path := filepath.Join(dir, runName)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for l := range strings.Lines(string(text)) {
		key, value, ok := configLine(l)
		env = append(env, Param{key, value})
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

// valueOf returns the value of a key, and "" if env does not have it.
func valueOf(env []Param, key string) string {
	for _, p := range env {
		if p.Key == key {
			return p.Value
		}
	}
	return ""
}

// configLine splits a configuration line. Its key is one word that begins with
// a lower-case letter.
func configLine(l string) (key, value string, ok bool) {
	key, value, ok = strings.Cut(l, ":")
	ok = ok && key != "" && unicode.IsLower([]rune(key)[0]) && !strings.ContainsFunc(key, unicode.IsSpace)
	return key, strings.TrimSpace(value), ok
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
	if err := checkLines(path, string(text)); err != nil {
		return nil, err
	}
	series, want, err := readSeries(path, text)
	if err != nil {
		return nil, err
	}
	if len(series) == 0 {
		return nil, fmt.Errorf("%s: there is no benchmark line: %s", path, remedy)
	}
	if err := checkSamples(path, series); err != nil {
		return nil, err
	}
	if got := strconv.Itoa(len(series) * len(series[0].Iterations)); want != "" && want != got {
		return nil, fmt.Errorf("%s: there are %s samples, want %s: %s", path, got, want, remedy)
	}
	return series, nil
}

// readSeries reads benchmark lines. want is how many there should be, if the
// file says so.
func readSeries(path string, text []byte) (series []*Series, want string, err error) {
	byName := map[string]*Series{}
	r := benchfmt.NewReader(bytes.NewReader(text), path)
	for r.Scan() {
		switch rec := r.Result().(type) {
		case *benchfmt.SyntaxError:
			return nil, "", fmt.Errorf("%w: %s", rec, remedy)
		case *benchfmt.Result:
			s := byName[rec.Name.String()]
			if s == nil {
				s = seriesOf(rec.Name)
				byName[rec.Name.String()] = s
				series = append(series, s)
			}
			s.add(rec.Iters, valuesOf(rec))
			s.Note = rec.GetConfig(noteKey)
			want = rec.GetConfig(samplesKey)
		}
	}
	return series, want, r.Err()
}

// checkLines checks that the last line is whole, and that every line is one that
// Run writes: the reader of the format passes over others in silence.
func checkLines(path, text string) error {
	n := 0
	for l := range strings.Lines(text) {
		n++
		_, _, isConfig := configLine(l)
		switch {
		case !strings.HasSuffix(l, "\n"):
			return fmt.Errorf("%s:%d: the line breaks off: %s", path, n, remedy)
		case strings.TrimSpace(l) == "" || isConfig:
		case strings.HasPrefix(l, "Benchmark") && len(strings.Fields(l)) > 1:
		default:
			return fmt.Errorf("%s:%d: %q is not a line of the benchmark format: %s", path, n, strings.TrimSpace(l), remedy)
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

// loadHistograms reads the histograms of a cell. A series of an experiment that
// is about lateness must have its own; others need none.
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
		*series[i].histogram(kind) = h
	}
	for _, s := range series {
		if ExperimentOf(s.Experiment).Lateness && (s.Late == nil || s.Early == nil) {
			return fmt.Errorf("%s: %s lacks a histogram: remove the file and %s%s to have the cell measured again", path, s.Name(), name, benchExt)
		}
	}
	return nil
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
