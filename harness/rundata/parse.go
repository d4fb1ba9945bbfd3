package rundata

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/HdrHistogram/hdrhistogram-go"
	"golang.org/x/perf/benchfmt"
)

const mostBlocks = 1_000_000 // more than any run has

// LoadFile reads a file of a run, and its histograms.
func LoadFile(path string) (*File, error) {
	text, err := ReadText(path)
	if err != nil {
		return nil, err
	}
	p, err := parsePart(path, text)
	if err != nil {
		return nil, err
	}
	return p, p.loadHistograms(path)
}

// parsePart reads the text of a part and checks that all samples are there. path is for messages.
func parsePart(path string, text []byte) (*File, error) {
	p := &File{Name: nameOf(path)}
	cells, err := p.describe(path, string(text))
	if err != nil {
		return nil, err
	}
	if err := p.readSamples(path, text, cells); err != nil {
		return nil, err
	}
	samples := 0
	for _, s := range p.Series() {
		for unit, v := range s.Values {
			if len(v) != len(s.Iterations) {
				return nil, fmt.Errorf("%s: %s has %d samples and %d of %s: %w", path, s.Name(), len(s.Iterations), len(v), unit, ErrDamaged)
			}
		}
		s.Note = Get(p.Env, noteKey+" "+s.Name())
		samples += len(s.Iterations)
	}
	if samples == 0 {
		return nil, fmt.Errorf("%s: there is no benchmark line: %w", path, ErrDamaged)
	}
	if want := Get(p.Env, samplesKey); want != "" && want != strconv.Itoa(samples) {
		return nil, fmt.Errorf("%s: there are %d samples, want %s: %w", path, samples, want, ErrDamaged)
	}
	for _, d := range p.Env {
		_, name, noted := strings.Cut(d.Key, " ")
		if noted && !slices.ContainsFunc(p.Series(), func(s *Series) bool { return s.Name() == name }) {
			return nil, fmt.Errorf("%s: %s, which is not there: %w", path, d.Key, ErrDamaged)
		}
	}
	p.Env = slices.DeleteFunc(p.Env, func(d Param) bool { // which are of the samples, and follow from them
		key, _, _ := strings.Cut(d.Key, " ")
		return key == samplesKey || key == noteKey
	})
	return p, nil
}

// describe reads the lines that describe a file and its cells. For each line it returns the index of the cell that the
// line belongs to, -1 before the first cell. It refuses a last line that breaks off, and lines that Run does not write:
// the benchfmt reader would skip them silently. A file without a cell line has one cell, with the name of the file.
func (p *File) describe(path, text string) (cells []int, err error) {
	for l := range strings.Lines(text) {
		d, describes := descriptionOf(l)
		n := len(cells) + 1
		switch {
		case !strings.HasSuffix(l, "\n"):
			return nil, fmt.Errorf("%s:%d: the line breaks off: %w", path, n, ErrDamaged)
		case describes && d.Key == cellKey:
			p.Cells = append(p.Cells, Measured{Name: d.Value})
		case describes && d.Key == tookKey && len(p.Cells) > 0:
			p.Cells[len(p.Cells)-1].Took, err = time.ParseDuration(d.Value)
		case describes && (d.Key == blockKey || d.Key == perBlockKey):
			into := map[string]*int{blockKey: &p.First, perBlockKey: &p.PerBlock}[d.Key]
			if *into, err = strconv.Atoi(d.Value); err == nil && (*into < 0 || *into > mostBlocks) {
				err = fmt.Errorf("%d, want 0 to %d", *into, mostBlocks)
			}
		case describes:
			p.Env = append(p.Env, d)
		case strings.TrimSpace(l) == "":
		case strings.HasPrefix(l, "Benchmark") && len(strings.Fields(l)) > 1:
		default:
			return nil, fmt.Errorf("%s:%d: %q is not a line of the benchmark format: %w", path, n, strings.TrimSpace(l), ErrDamaged)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %s: %w: %w", path, n, d.Key, err, ErrDamaged)
		}
		cells = append(cells, len(p.Cells)-1)
	}
	if len(p.Cells) == 0 {
		took, _ := time.ParseDuration(Get(p.Env, tookKey))
		p.Cells = []Measured{{Name: p.Name, Took: took}}
		clear(cells)
	}
	return cells, nil
}

func (p *File) readSamples(path string, text []byte, cells []int) error {
	byName := map[string]*Series{}
	r := benchfmt.NewReader(bytes.NewReader(text), path)
	for r.Scan() {
		switch rec := r.Result().(type) {
		case *benchfmt.SyntaxError:
			return fmt.Errorf("%w: %w", rec, ErrDamaged)
		case *benchfmt.Result:
			_, line := rec.Pos()
			at := cells[line-1]
			if at < 0 {
				return fmt.Errorf("%s:%d: the sample is of no cell: %w", path, line, ErrDamaged)
			}
			s := byName[rec.Name.String()]
			if s == nil {
				s = seriesOf(rec.Name)
				byName[rec.Name.String()] = s
				p.Cells[at].Series = append(p.Cells[at].Series, s)
			}
			block := p.First
			if p.PerBlock > 0 {
				block += len(s.Iterations) / p.PerBlock
			}
			values, err := valuesOf(rec)
			if err != nil {
				return fmt.Errorf("%s:%d: %s: %w: %w", path, line, s.Name(), err, ErrDamaged)
			}
			s.Add(block, rec.Iters, values)
		}
	}
	return r.Err()
}

// valuesOf returns the values of a benchmark line by the units it was written with: the reader turns ns into sec.
func valuesOf(r *benchfmt.Result) (Values, error) {
	values := Values{}
	for _, v := range r.Values {
		if v.OrigUnit != "" {
			v.Unit, v.Value = v.OrigUnit, v.OrigValue
		}
		if err := checkFigure(v.Unit, v.Value); err != nil {
			return nil, err
		}
		values[v.Unit] = v.Value
	}
	return values, nil
}

func seriesOf(name benchfmt.Name) *Series {
	parts := strings.Split(name.String(), "/") // the reader takes a number at the end for that of processors
	s := &Series{Experiment: parts[0]}
	for _, p := range parts[1:] {
		key, value, _ := strings.Cut(p, "=")
		s.Params = append(s.Params, Param{key, value})
	}
	return s
}

// loadHistograms reads the histograms of a part, which lie beside it. Some series must have theirs: see lacksHistogram.
func (p *File) loadHistograms(bench string) error {
	path := filepath.Join(filepath.Dir(bench), nameOf(bench)+hlogExt)
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	byName := map[string]*Series{}
	for _, s := range p.Series() {
		byName[s.Name()] = s
	}
	r := hdrhistogram.NewHistogramLogReader(bytes.NewReader(text))
	for {
		h, err := r.NextIntervalHistogram()
		if err != nil {
			return fmt.Errorf("%s: %w: %w, with %s", path, err, ErrDamaged, bench)
		}
		if h == nil {
			break
		}
		kind, of, _ := strings.Cut(h.Tag(), ":")
		if byName[of] == nil {
			return fmt.Errorf("%s: histogram of %q, which is not in %s: %w", path, of, bench, ErrDamaged)
		}
		into, known := byName[of].Histograms()[kind]
		if !known {
			return fmt.Errorf("%s: histogram of a kind %q, which is none: %w", path, kind, ErrDamaged)
		}
		*into = h
	}
	for _, s := range p.Series() {
		if s.lacksHistogram() {
			return fmt.Errorf("%s: %s lacks a histogram: %w, with %s", path, s.Name(), ErrDamaged, bench)
		}
	}
	return nil
}

// Lines before the measurements describe a file. configKeys are configuration lines of benchfmt, "key: value":
// benchstat makes a table for each value. Other keys would make a table of every run. Their lines begin with "# ", and
// readers of benchfmt skip them. A line about one series has its name after the key:
// "# note Cost/op=pair/impl=a: text".
var configKeys = []string{"goos", "goarch", "pkg", "cpu"}

// The keys of what the harness itself says.
const (
	CompleteKey = "complete"         // of a run: it has all blocks
	samplesKey  = "samples"          // of a file: their number
	blockKey    = "block"            // of a file: the first one
	perBlockKey = "rounds-per-block" // of a file
	noteKey     = "note"             // of a series
	cellKey     = "cell"             // of a cell, before its samples: its name
)

const otherMark = "# "

var breaks = strings.NewReplacer("\n", " ", "\r", " ")

func describe(buf *bytes.Buffer, description []Param) {
	for _, p := range description {
		if !slices.Contains(configKeys, p.Key) {
			buf.WriteString(otherMark)
		}
		fmt.Fprintf(buf, "%s: %s\n", p.Key, breaks.Replace(p.Value))
	}
}

// descriptionOf reads a line of a description. Its key is one word that begins with a lower-case letter, after otherMark
// also with the name of a series.
func descriptionOf(l string) (p Param, ok bool) {
	l, other := strings.CutPrefix(strings.TrimRight(l, "\r\n"), otherMark)
	key, value, ok := strings.Cut(l, ":")
	if other { // names may have a colon, but no space
		key, value, ok = strings.Cut(l+" ", ": ")
	}
	words := strings.Split(key, " ")
	ok = ok && key != "" && unicode.IsLower([]rune(key)[0]) &&
		(len(words) == 1 || other && len(words) == 2) &&
		!slices.ContainsFunc(words, func(w string) bool { return w == "" || strings.ContainsFunc(w, unicode.IsSpace) })
	return Param{key, strings.TrimSpace(value)}, ok
}

// Get returns the value of a key, and "" if params do not have it.
func Get(params []Param, key string) string {
	for _, p := range params {
		if p.Key == key {
			return p.Value
		}
	}
	return ""
}

// Set returns params with another value under a key.
func Set(params []Param, p Param) []Param {
	params = slices.Clone(params)
	if i := slices.IndexFunc(params, func(have Param) bool { return have.Key == p.Key }); i >= 0 {
		params[i] = p
		return params
	}
	return append(params, p)
}
