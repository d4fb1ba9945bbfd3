package harness

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

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
		for _, kind := range []string{lateKind, earlyKind} {
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
const lateKind, earlyKind = "late", "early"

// histogram returns where the series has its histogram of a kind.
func (s *Series) histogram(kind string) **hdrhistogram.Histogram {
	if kind == earlyKind {
		return &s.Early
	}
	return &s.Late
}

// benchText returns series in the benchmark format, round by round, with a
// configuration line that tells how many samples there are.
func benchText(env []Param, series []*Series) ([]byte, error) {
	samples, rounds := 0, 0
	for _, s := range series {
		samples += len(s.Iterations)
		rounds = max(rounds, len(s.Iterations))
	}
	env = slices.Concat(env, []Param{{samplesKey, strconv.Itoa(samples)}})
	var buf bytes.Buffer
	w := benchfmt.NewWriter(&buf)
	for round := range rounds {
		for _, s := range series {
			if round >= len(s.Iterations) {
				continue
			}
			if err := w.Write(s.result(env, round)); err != nil {
				return nil, err
			}
		}
	}
	return buf.Bytes(), nil
}

// result returns the sample of a round as a benchmark result.
func (s *Series) result(env []Param, round int) *benchfmt.Result {
	r := &benchfmt.Result{Name: benchfmt.Name(s.Name()), Iters: s.Iterations[round]}
	for _, p := range env {
		r.SetConfig(p.Key, p.Value)
	}
	if s.Note != "" {
		r.SetConfig(noteKey, s.Note)
	}
	for i := range r.Config {
		r.Config[i].File = true
	}
	for _, unit := range sortedKeys(s.Values) {
		r.Values = append(r.Values, benchfmt.Value{Value: s.Values[unit][round], Unit: unit})
	}
	return r
}

// saveRun writes the file that describes a run. cells is how many it has in
// all, and complete says that they are all there.
func saveRun(dir string, env []Param, cells int, complete bool) error {
	var buf bytes.Buffer
	state := []Param{{cellsKey, strconv.Itoa(cells)}, {completeKey, strconv.FormatBool(complete)}}
	for _, p := range slices.Concat(env, state) {
		fmt.Fprintf(&buf, "%s: %s\n", p.Key, p.Value)
	}
	return writeFile(filepath.Join(dir, runName), buf.Bytes())
}

// runName is the file that describes a run: benchfmt configuration lines.
const runName = "run" + benchExt

// The keys of what the harness itself says of a file: of a run, how many cells it
// has and whether they are all there; of a cell, how many samples it has, and
// the notes of its series.
const (
	cellsKey    = "cells"
	completeKey = "complete"
	samplesKey  = "samples"
	noteKey     = "note" // of the series whose sample follows
)

// writeFile writes a file in one piece: what it replaces stays until then.
func writeFile(path string, text []byte) error {
	tmp := path + ".tmp"
	if err := os.WriteFile(tmp, text, 0o644); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}
