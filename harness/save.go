package harness

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/HdrHistogram/hdrhistogram-go"
	"golang.org/x/perf/benchfmt"
)

const (
	benchExt = ".bench" // benchfmt text: what benchstat reads
	hlogExt  = ".hlog"  // HdrHistogram log
)

// saveCell writes the series of a cell into dir, its histograms first: the
// benchmark file says that the cell is complete.
func saveCell(dir, name string, env []Param, series []*Series) error {
	var hlog bytes.Buffer
	w := hdrhistogram.NewHistogramLogWriter(&hlog)
	if err := w.OutputLegend(); err != nil {
		return err
	}
	withHistograms := false
	for _, s := range series {
		for _, kind := range histogramKinds {
			h := *s.histogram(kind)
			if h == nil {
				continue
			}
			withHistograms = true
			h.SetTag(kind + ":" + s.Name())
			if err := w.OutputIntervalHistogram(h); err != nil {
				return fmt.Errorf("%s: %w", s.Name(), err)
			}
		}
	}
	if withHistograms {
		if err := writeFile(filepath.Join(dir, name+hlogExt), hlog.Bytes()); err != nil {
			return err
		}
	}
	text, err := benchText(env, series)
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(dir, name+benchExt), text)
}

// The kinds of histograms, which are the beginning of their tags.
const lateKind, earlyKind, tookKind, collectingKind = "late", "early", "took", "collecting"

// histogramKinds are all of them, in the order in which they are written.
var histogramKinds = []string{lateKind, earlyKind, tookKind, collectingKind}

// histogram returns where the series has its histogram of a kind, and nil if there is no
// such kind.
func (s *Series) histogram(kind string) **hdrhistogram.Histogram {
	switch kind {
	case lateKind:
		return &s.Late
	case earlyKind:
		return &s.Early
	case tookKind:
		return &s.Took
	case collectingKind:
		return &s.Collecting
	}
	return nil
}

// lacksHistogram reports whether there is none of a kind that the experiment of the series is
// about: one from outside is about lateness if timers were played.
func (s *Series) lacksHistogram() bool {
	e := ExperimentOf(s.Experiment)
	e.Lateness = e.Lateness || e.Name == "" && s.Values[P99Late] != nil
	return e.Lateness && (s.Late == nil || s.Early == nil) ||
		e.Durations && s.Get("during") == "" && (s.Took == nil || s.Collecting == nil)
}

// benchText returns series in the benchmark format, round by round, after a description
// that tells how many samples there are.
func benchText(env []Param, series []*Series) ([]byte, error) {
	samples, rounds := 0, 0
	for _, s := range series {
		samples += len(s.Iterations)
		rounds = max(rounds, len(s.Iterations))
	}
	var buf bytes.Buffer
	describe(&buf, slices.Concat(env, []Param{{samplesKey, strconv.Itoa(samples)}}, descriptionOfSeries(series)))
	buf.WriteByte('\n')
	w := benchfmt.NewWriter(&buf)
	for round := range rounds {
		for _, s := range series {
			if round >= len(s.Iterations) {
				continue
			}
			if err := w.Write(s.result(round)); err != nil {
				return nil, err
			}
		}
	}
	return buf.Bytes(), nil
}

// descriptionOfSeries returns what is said of series besides their samples: of all of them
// at once where it is the same. One without samples is not in the file.
func descriptionOfSeries(series []*Series) (said []Param) {
	series = slices.DeleteFunc(slices.Clone(series), func(s *Series) bool { return len(s.Iterations) == 0 })
	blocks := slices.Compact(each(series, func(s *Series) int { return s.PerBlock }))
	for i, s := range series {
		switch rounds := strconv.Itoa(s.PerBlock); {
		case len(blocks) > 1:
			said = append(said, Param{ofSeries(perBlockKey, s), rounds})
		case i == 0 && s.PerBlock > 0:
			said = append(said, Param{perBlockKey, rounds})
		}
		if s.Note != "" {
			said = append(said, Param{ofSeries(noteKey, s), s.Note})
		}
	}
	return said
}

// result returns the sample of a round as a benchmark result.
func (s *Series) result(round int) *benchfmt.Result {
	r := &benchfmt.Result{Name: benchfmt.Name(s.Name()), Iters: s.Iterations[round]}
	for _, unit := range sortedKeys(s.Values) {
		r.Values = append(r.Values, benchfmt.Value{Value: s.Values[unit][round], Unit: unit})
	}
	return r
}

// Save writes data that were not measured by Run, such as made-up ones, into a folder that
// holds none, where Load reads them. What was measured of several contestants under the
// same parameters is a cell.
func Save(dir string, d *Data) error {
	var env []Param
	for _, key := range sortedKeys(d.Env) {
		if !slices.Contains([]string{"plan", "order", cellsKey, completeKey}, key) {
			env = append(env, Param{key, d.Env[key]})
		}
	}
	var order []string
	cells := map[string][]*Series{}
	for _, s := range d.Series {
		of := Series{Experiment: s.Experiment, Params: slices.DeleteFunc(slices.Clone(s.Params), func(p Param) bool { return p.Key == "impl" })}
		name := strings.ToLower(strings.ReplaceAll(of.Name(), "/", "-"))
		if cells[name] == nil {
			order = append(order, name)
		}
		cells[name] = append(cells[name], s)
	}
	for _, name := range order {
		if err := saveCell(dir, name, env, cells[name]); err != nil {
			return err
		}
	}
	return saveRun(dir, append(env, Param{"plan", "none"}, Param{"order", strings.Join(order, " ")}), len(order), d.Complete)
}

// saveRun writes the file that describes a run. cells is how many it has in
// all, and complete says that they are all there.
func saveRun(dir string, env []Param, cells int, complete bool) error {
	var buf bytes.Buffer
	state := []Param{{cellsKey, strconv.Itoa(cells)}, {completeKey, strconv.FormatBool(complete)}}
	describe(&buf, slices.Concat(env, state))
	return writeFile(filepath.Join(dir, runName), buf.Bytes())
}

// runName is the file that describes a run.
const runName = "run" + benchExt

// writeFile writes a file in one piece: what it replaces stays until then.
func writeFile(path string, text []byte) error {
	tmp := path + ".tmp"
	if err := os.WriteFile(tmp, text, 0o644); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}
