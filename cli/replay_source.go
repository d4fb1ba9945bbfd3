package cli

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"schedbench/harness"
	"schedbench/workload"
	"schedbench/workload/trace"
)

// sourceFlags say how profiles and traces are read for a replay.
type sourceFlags struct {
	Tick    time.Duration `help:"Tick of the schedulers. By default that of the profile, and 1ms for a trace." placeholder:"DURATION"`
	Scale   float64       `help:"Multiply the rates and numbers of timers of profiles." default:"1" placeholder:"FACTOR"`
	For     time.Duration `help:"How much of a workload's own time to replay. By default the length of the profile, and all of a trace." placeholder:"DURATION"`
	SkipBad bool          `name:"skip-bad" help:"Leave out what is damaged in a trace, and say how much that is."`
	// least is how many operations of a profile to have at least in its steady
	// state, whatever its length, if For does not say how long it is.
	least int
	HZ    int `name:"hz" help:"Jiffies a second of the kernel that a trace was recorded on. By default it is found out." placeholder:"N"`
}

// traceTick is the tick for a trace that does not say any.
const traceTick = time.Millisecond

// check returns an error that names the first flag whose value makes no sense.
func (f *sourceFlags) check() error {
	switch {
	case f.Tick < 0:
		return fmt.Errorf("--tick %v, want a positive duration", f.Tick)
	case !(f.Scale > 0):
		return fmt.Errorf("--scale %v, want a positive number", f.Scale)
	case f.For < 0:
		return fmt.Errorf("--for %v, want a positive duration", f.For)
	case f.HZ < 0 || f.HZ > trace.MaxHZ:
		return fmt.Errorf("--hz %d, want 1 to %d", f.HZ, trace.MaxHZ)
	}
	return nil
}

// workloads returns the workloads of names: profiles by name or file, at a scale
// if NAME@SCALE says so, and traces. What is left out of a damaged trace is told to
// tell.
func (f *sourceFlags) workloads(names []string, seed uint64, tell func(string)) (list []harness.Workload, err error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	for _, name := range names {
		w, err := f.workload(name, seed, tell)
		if err != nil {
			return nil, err
		}
		list = append(list, w)
	}
	return list, nil
}

func (f *sourceFlags) workload(name string, seed uint64, tell func(string)) (harness.Workload, error) {
	bare, scale, err := scaleOf(name)
	if err != nil {
		return harness.Workload{}, err
	}
	p, err := workload.Find(bare)
	if err == nil {
		return f.profile(p, bare, workload.Options{Seed: seed, Scale: scale * f.Scale, For: f.For})
	}
	var fault *workload.ParseError
	switch {
	case errors.As(err, &fault) && strings.EqualFold(filepath.Ext(bare), ".toml"), errors.Is(err, fs.ErrNotExist):
		return harness.Workload{}, err
	case scale != 1:
		return harness.Workload{}, fmt.Errorf("%s: a trace has no scale, want the name of a profile before @", name)
	}
	return f.trace(bare, tell)
}

// scaleOf splits NAME@SCALE; the scale of a name without one is 1. A file may have
// such a name too.
func scaleOf(name string) (bare string, scale float64, err error) {
	at := strings.LastIndex(name, "@")
	if _, err := os.Stat(name); at < 0 || err == nil {
		return name, 1, nil
	}
	scale, err = strconv.ParseFloat(name[at+1:], 64)
	if err != nil || !(scale > 0) || scale > 1e9 {
		return "", 0, fmt.Errorf("%s: scale %q, want a positive number after @", name, name[at+1:])
	}
	return name[:at], scale, nil
}

// profile returns a profile as a workload.
func (f *sourceFlags) profile(p *workload.Profile, from string, o workload.Options) (harness.Workload, error) {
	if _, err := p.Stream(o); err != nil { // what is wrong is to be said now
		return harness.Workload{}, err
	}
	length := o.For
	if length == 0 {
		length = p.Length()
	}
	steady, err := steadyFrom(p, o, length)
	if err != nil {
		return harness.Workload{}, err
	}
	if rate := p.Mix().Operations() * o.Scale; o.For == 0 && rate > 0 {
		length = max(length, steady+time.Duration(float64(f.least)/rate*float64(time.Second)))
		o.For = length
	}
	w := harness.Workload{
		Name: tidyName(p.Name), Tick: p.Tick, Horizon: p.Horizon(), Steady: steady, Live: true,
		Ops:     int(p.Mix().Operations() * o.Scale * length.Seconds()),
		Pending: int(p.Pending(length) * o.Scale),
		Version: fmt.Sprint(o, " ", digest(from)),
		Open: func(scale float64) (workload.Stream, error) {
			scaled := o
			scaled.Scale *= scale
			return p.Stream(scaled)
		},
	}
	if o.Scale != 1 {
		w.Name += "@" + strconv.FormatFloat(o.Scale, 'g', 4, 64)
	}
	if f.Tick > 0 {
		w.Tick = f.Tick
	}
	return w, nil
}

// trace returns a trace as a workload. It is opened once to see that it is one, and
// read once if it may be damaged, to say how much of it is.
func (f *sourceFlags) trace(path string, tell func(string)) (harness.Workload, error) {
	o := trace.Options{SkipBad: f.SkipBad, HZ: f.HZ}
	file, err := trace.Open(path, o)
	if errors.Is(err, trace.ErrFormat) {
		return harness.Workload{}, fmt.Errorf("%w; or a profile, in a file that ends in .toml", err)
	}
	if err != nil {
		return harness.Workload{}, err
	}
	if f.SkipBad {
		err = damage(file, tell)
	}
	if err := errors.Join(err, file.Close()); err != nil {
		return harness.Workload{}, err
	}
	w := harness.Workload{
		Name: tidyName(strings.TrimSuffix(filepath.Base(path), ".gz")), Tick: traceTick, Fixed: true, Live: true,
		Version: fmt.Sprint(o, f.For, " ", digest(path)),
		Open: func(float64) (workload.Stream, error) {
			file, err := trace.Open(path, o)
			if err != nil {
				return nil, err
			}
			return &recorded{Operations: trace.Ops(file), file: file, until: f.For}, nil
		},
	}
	if f.Tick > 0 {
		w.Tick = f.Tick
	}
	return w, nil
}

// damage reads a trace to its end, and tells what is left out of it.
func damage(file *trace.File, tell func(string)) error {
	events := make([]trace.Event, 4096)
	for {
		_, err := file.Read(events)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	counts := file.Counts()
	var said []string
	for _, reason := range slices.Sorted(maps.Keys(counts.Skipped)) {
		said = append(said, fmt.Sprintf("%s: %d", reason, counts.Skipped[reason]))
	}
	if len(said) > 0 {
		tell(fmt.Sprintf("%s: %d of %d lines are left out (%s)", file.Name(), counts.AllSkipped(), counts.Lines, strings.Join(said, ", ")))
	}
	return nil
}

// recorded is the stream of a trace, as far as it is wanted.
type recorded struct {
	*trace.Operations
	file  io.Closer
	until time.Duration // 0 is all of it
}

// Read implements workload.Stream.
func (r *recorded) Read(ops []workload.Op) (n int, err error) {
	n, err = r.Operations.Read(ops)
	for i := range ops[:n] {
		if r.until > 0 && ops[i].At >= r.until {
			if i == 0 {
				return 0, io.EOF
			}
			return i, nil
		}
	}
	return n, err
}

// Close closes the file.
func (r *recorded) Close() error { return r.file.Close() }

// tidyName returns a name that can be that of a file and of a benchmark.
func tidyName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '/' || r == '\\' || r == '=' || unicode.IsSpace(r) || !unicode.IsPrint(r) {
			return '-'
		}
		return r
	}, name)
}

// digest returns what tells the content of a file from another; "" if there is no
// such file.
func digest(path string) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	h := fnv.New64a()
	if _, err := io.Copy(h, file); err != nil {
		return ""
	}
	return fmt.Sprintf("%016x", h.Sum64())
}
