package rundata

import (
	"bytes"
	"cmp"
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

// parsePart reads the text of a file and checks that all samples are there. path is for messages.
func parsePart(path string, text []byte) (*File, error) {
	p, n := &File{Name: nameOf(path), byName: map[string]*Series{}}, 0
	inCells := bytes.Contains(text, []byte("\n"+otherMark+cellKey+": "))
	for l := range strings.Lines(string(text)) {
		if n++; !inCells && len(p.Cells) == 0 && strings.HasPrefix(l, sampleMark) { // a file without cell lines has one cell
			took, _ := time.ParseDuration(Get(p.Env, tookKey))
			p.Cells = []Measured{{Name: p.Name, Took: took}}
		}
		if err := p.read(l); err != nil {
			return nil, fmt.Errorf("%s:%d: %w: %w", path, n, err, ErrDamaged)
		}
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
		if _, name, noted := strings.Cut(d.Key, " "); noted && p.byName[name] == nil {
			return nil, fmt.Errorf("%s: %s, a series that the file lacks: %w", path, d.Key, ErrDamaged)
		}
	}
	p.Env = slices.DeleteFunc(p.Env, func(d Param) bool { // the number of samples and the notes are in Series
		key, _, _ := strings.Cut(d.Key, " ")
		return key == samplesKey || key == noteKey
	})
	return p, nil
}

// read reads a line. It refuses one that is cut off, and those that Save does not write.
func (p *File) read(l string) error {
	switch {
	case !strings.HasSuffix(l, "\n"):
		return errors.New("the line is cut off")
	case strings.HasPrefix(l, sampleMark):
		return p.readSample(strings.Fields(l))
	case strings.TrimSpace(l) == "":
		return nil
	}
	if d, describes := descriptionOf(l); describes {
		return p.take(d)
	}
	return fmt.Errorf("%q is not a line of the benchmark format", strings.TrimSpace(l))
}

// take takes a line that describes the file, or the last of its cells.
func (p *File) take(d Param) (err error) {
	switch number := map[string]*int{blockKey: &p.First, perBlockKey: &p.PerBlock}[d.Key]; {
	case d.Key == cellKey:
		p.Cells = append(p.Cells, Measured{Name: d.Value})
	case d.Key == tookKey && len(p.Cells) > 0:
		p.Cells[len(p.Cells)-1].Took, err = time.ParseDuration(d.Value)
	case number != nil:
		if *number, err = strconv.Atoi(d.Value); err == nil && (*number < 0 || *number > mostBlocks) {
			err = fmt.Errorf("%d, want 0 to %d", *number, mostBlocks)
		}
	default:
		p.Env = append(p.Env, d)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", d.Key, err)
	}
	return nil
}

// readSample reads a benchmark line: the name of a series, iterations, and figures with their units.
func (p *File) readSample(fields []string) error {
	if len(p.Cells) == 0 {
		return errors.New("the sample comes before the first line of a cell")
	}
	if len(fields) < 4 || len(fields)%2 == 1 {
		return errors.New("missing measurements")
	}
	name := strings.TrimPrefix(fields[0], sampleMark)
	iterations, err := strconv.Atoi(fields[1])
	values := Values{}
	for figure := range slices.Chunk(fields[2:], 2) {
		v, none := strconv.ParseFloat(figure[0], 64)
		err = cmp.Or(err, none, checkFigure(figure[1], v))
		values[figure[1]] = v
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	s := p.byName[name]
	if s == nil {
		parts := strings.Split(name, "/")
		s = &Series{Experiment: parts[0], Params: paramsOf(parts[1:])}
		p.byName[name] = s
		cell := &p.Cells[len(p.Cells)-1]
		cell.Series = append(cell.Series, s)
	}
	block := p.First
	if p.PerBlock > 0 {
		block += len(s.Iterations) / p.PerBlock
	}
	s.Add(block, iterations, values)
	return nil
}

// loadHistograms reads the histograms of a file, which lie beside it. Some series must have theirs: see lacksHistogram.
func (p *File) loadHistograms(bench string) error {
	path := filepath.Join(filepath.Dir(bench), nameOf(bench)+hlogExt)
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
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
		if p.byName[of] == nil {
			return fmt.Errorf("%s: histogram of %q, which is not in %s: %w", path, of, bench, ErrDamaged)
		}
		into, known := p.byName[of].Histograms()[kind]
		if !known {
			return fmt.Errorf("%s: histogram of an unknown kind %q: %w", path, kind, ErrDamaged)
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

// Lines of keys describe: those at the head the file, cell and took the cell that follows. configKeys are configuration
// lines of benchfmt, "key: value": benchstat makes a table for each value. Other keys would make a table of every run. Their
// lines begin with "# ", and readers of benchfmt skip them. A line about one series has its name after the key:
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

const otherMark, sampleMark = "# ", "Benchmark"

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
