package rundata

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"golang.org/x/perf/benchfmt"

	"schedbench/internal/lists"
)

// File is what a file of a run holds: what one block measured of some cells, or what several blocks measured of one.
type File struct {
	Name string // of the file, without its extension
	Env  []Param
	// First is the number of the first block. A block has PerBlock samples of each series; 0 is all of them.
	First, PerBlock int
	Cells           []Measured

	byName map[string]*Series // of all cells of a file that was read
}

// Measured is a cell in a File.
type Measured struct {
	Name   string
	Took   time.Duration // 0 if the data do not say
	Series []*Series
}

// Series returns the series of all cells.
func (p *File) Series() (all []*Series) {
	for _, c := range p.Cells {
		all = append(all, c.Series...)
	}
	return all
}

// Save writes a part into dir, its histograms first: the benchmark file says that the part is complete.
func (p *File) Save(dir string) error {
	var hlog bytes.Buffer
	w := hdrhistogram.NewHistogramLogWriter(&hlog)
	if err := w.OutputLegend(); err != nil {
		return err
	}
	withHistograms := false
	for _, s := range p.Series() {
		histograms := s.Histograms()
		for _, kind := range lists.Keys(histograms) {
			h := *histograms[kind]
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
		if err := writeFile(filepath.Join(dir, p.Name+hlogExt), hlog.Bytes()); err != nil {
			return err
		}
	}
	text, err := p.benchText()
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(dir, p.Name+BenchExt), packed(text))
}

// Histograms returns where the series has its histograms, by their kinds, which are the beginning of their tags.
func (s *Series) Histograms() map[string]**hdrhistogram.Histogram {
	return map[string]**hdrhistogram.Histogram{"late": &s.Late, "early": &s.Early, "took": &s.Took, "collecting": &s.Collecting}
}

// lacksHistogram reports whether the series has a percentile of lateness or of single calls, and no histograms of them.
// Pause, which older runs have, had none.
func (s *Series) lacksHistogram() bool {
	return s.Values[P99Late] != nil && (s.Late == nil || s.Early == nil) && s.Experiment != "Pause" ||
		s.Values[P999Took] != nil && (s.Took == nil || s.Collecting == nil)
}

// benchText returns the part in the benchmark format: a description, and cell by cell what was measured, round by round.
func (p *File) benchText() ([]byte, error) {
	samples := 0
	var notes []Param
	for _, s := range p.Series() {
		samples += len(s.Iterations)
		if s.Note != "" && len(s.Iterations) > 0 {
			notes = append(notes, Param{noteKey + " " + s.Name(), s.Note})
		}
	}
	var buf bytes.Buffer
	describe(&buf, slices.Concat(p.Env, []Param{{blockKey, strconv.Itoa(p.First)}, {perBlockKey, strconv.Itoa(p.PerBlock)}, {samplesKey, strconv.Itoa(samples)}}, notes))
	w := benchfmt.NewWriter(&buf)
	for _, c := range p.Cells {
		buf.WriteByte('\n')
		describe(&buf, []Param{{cellKey, c.Name}, {tookKey, c.Took.Round(time.Microsecond).String()}})
		for round := range lists.Most(c.Series, func(s *Series) int { return len(s.Iterations) }) {
			for _, s := range c.Series {
				if round >= len(s.Iterations) {
					continue
				}
				r := s.result(round)
				for _, v := range r.Values { // Load would refuse the file: name the series while it is known
					if err := checkFigure(v.Unit, v.Value); err != nil {
						return nil, fmt.Errorf("%s was measured as %w", s.Name(), err)
					}
				}
				if err := w.Write(r); err != nil {
					return nil, err
				}
			}
		}
	}
	return buf.Bytes(), nil
}

func (s *Series) result(i int) *benchfmt.Result {
	r := &benchfmt.Result{Name: benchfmt.Name(s.Name()), Iters: s.Iterations[i]}
	for _, unit := range lists.Keys(s.Values) {
		r.Values = append(r.Values, benchfmt.Value{Value: s.Values[unit][i], Unit: unit})
	}
	return r
}

// SaveRun writes the file that describes a run. complete says that it has all blocks.
func SaveRun(dir string, env []Param, complete bool) error {
	var buf bytes.Buffer
	describe(&buf, append(slices.Clone(env), Param{CompleteKey, strconv.FormatBool(complete)}))
	return writeFile(filepath.Join(dir, RunName), buf.Bytes())
}

// RunName is the file that describes a run.
const RunName = "run.bench"

// writeFile writes a file in one piece: what it replaces stays until then.
func writeFile(path string, text []byte) error {
	tmp := path + ".tmp"
	if err := os.WriteFile(tmp, text, 0o644); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}

const (
	// BenchExt is the extension of block files: benchfmt text under gzip, a tenth of the size, for benchstat by zcat.
	BenchExt = ".bench.gz"
	hlogExt  = ".hlog" // HdrHistogram log
)

func nameOf(path string) string {
	return strings.TrimSuffix(filepath.Base(path), BenchExt)
}

// blockFiles lists the files of blocks in a folder.
func blockFiles(dir string) ([]string, error) { return filepath.Glob(filepath.Join(dir, "*"+BenchExt)) }

// ReadText reads a file, and unpacks it if it is compressed.
func ReadText(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err != nil || !bytes.HasPrefix(text, []byte("\x1f\x8b")) {
		return text, err
	}
	r, err := gzip.NewReader(bytes.NewReader(text))
	if err == nil {
		text, err = io.ReadAll(r)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", path, err, ErrDamaged)
	}
	return text, nil
}

func packed(text []byte) []byte {
	var buf bytes.Buffer
	w, _ := gzip.NewWriterLevel(&buf, gzip.BestCompression) // which is a level, and a buffer takes all
	_, _ = w.Write(text)
	_ = w.Close()
	return buf.Bytes()
}
