package costs

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"schedbench/catalog"
	"schedbench/harness/rundata"
)

// CacheName is the name of the file in which a calibration is kept.
const CacheName = "calibration.json"

// ErrCache means that a file holds no calibration, or not all of one.
var ErrCache = errors.New("no usable calibration")

// cacheVersion is raised whenever what a calibration holds changes its meaning.
const cacheVersion = 5

// cacheFile is what is in the file.
type cacheFile struct {
	Version     int
	Calibration *Calibration
}

// Cached is a calibration and where it is from.
type Cached struct {
	Calibration *Calibration
	Path        string
	// Fresh says that it was measured just now. Notice says why, and whether other
	// processes were in the way, in a line.
	Fresh  bool
	Notice string
}

// LoadOrCalibrate returns the calibration that is kept in a folder, and makes one
// if there is none, if it belongs to another environment, if it is damaged, or if
// refit says so. What it makes is kept in the folder. Notice says what was wrong
// with the old one, and also if the new one cannot be kept: it can be used all the
// same. The errors are those of Calibrate.
func LoadOrCalibrate(ctx context.Context, dir string, refit bool, progress Progress) (Cached, error) {
	return loadOr(dir, refit, environment(), func() (*Calibration, error) { return Calibrate(ctx, progress) })
}

// loadOr returns the calibration of an environment in a folder, or makes one.
func loadOr(dir string, refit bool, env map[string]string, make func() (*Calibration, error)) (Cached, error) {
	c := Cached{Path: filepath.Join(dir, CacheName)}
	var err error
	if c.Calibration, err = Load(c.Path); err == nil {
		c.Notice = changed(c.Calibration.Env, env)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		c.Notice = "no calibration in " + dir
	case err != nil:
		c.Notice = "calibrated anew: " + err.Error()
	case refit:
		c.Notice = "calibrated anew, as asked for"
	case c.Notice == "":
		c.Notice = together(sayCommit(c.Calibration.Env, env), SayBusy(c.Calibration.Busy, "while it was calibrated"))
		return c, nil
	}
	c.Fresh = true
	if c.Calibration, err = make(); err != nil {
		return Cached{}, err
	}
	c.Notice = together(c.Notice, SayBusy(c.Calibration.Busy, "while it was calibrated"))
	if err := Save(c.Path, c.Calibration); err != nil {
		c.Notice += "; the calibration cannot be kept: " + err.Error()
	}
	return c, nil
}

// changed says what is other in an environment than it was, and "" if nothing is. The commit
// does not count: few change what a timer costs.
func changed(was, is map[string]string) string {
	said := rundata.Changed(withoutCommit(was), withoutCommit(is))
	if said == nil {
		return ""
	}
	return "calibrated anew: " + strings.Join(said, ", ")
}

// together returns notices as one.
func together(notices ...string) string {
	return strings.Join(slices.DeleteFunc(notices, func(s string) bool { return s == "" }), "; ")
}

// commitKey is the key of the commit of an environment.
const commitKey = "commit"

func withoutCommit(env map[string]string) map[string]string {
	env = maps.Clone(env)
	delete(env, commitKey)
	return env
}

// sayCommit says that a calibration was made by another commit.
func sayCommit(was, is map[string]string) string {
	if was[commitKey] == is[commitKey] {
		return ""
	}
	return fmt.Sprintf("calibrated by commit %s, and this is %s: --recalibrate measures the costs again", was[commitKey], is[commitKey])
}

// Load reads a calibration. The errors are those of the file system,
// and ErrCache.
func Load(path string) (*Calibration, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	var f cacheFile
	if err := d.Decode(&f); err != nil {
		return nil, fmt.Errorf("%w: %s: %v", ErrCache, path, err)
	}
	switch {
	case f.Version != cacheVersion:
		return nil, fmt.Errorf("%w: %s is of version %d, want %d", ErrCache, path, f.Version, cacheVersion)
	case f.Calibration == nil:
		return nil, fmt.Errorf("%w: %s is empty", ErrCache, path)
	}
	if err := f.Calibration.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f.Calibration, nil
}

// Save writes a calibration, and makes the folder. The file has its
// name only when all of it is written.
func Save(path string, c *Calibration) (err error) {
	text, err := json.MarshalIndent(cacheFile{cacheVersion, c}, "", "\t")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), CacheName+".*")
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	err = errors.Join(err, f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the error that counts is that of writing
	}
	return err
}

// Check returns an error that wraps ErrCache and names what is wrong, unless all
// terms that a model needs are there and can be meant.
func (c *Calibration) Check() error {
	for _, t := range c.Terms {
		s := t.Seconds
		if !(0 <= s.Low && s.Low <= s.Value && s.Value <= s.High && !math.IsInf(s.High, 0)) || t.Name == "" || t.Every < 0 || t.Program < 0 {
			return fmt.Errorf("%w: the term %q of %q is %g (%g to %g), want three figures in order, of at least 0",
				ErrCache, t.Name, t.Of, s.Value, s.Low, s.High)
		}
	}
	for _, of := range catalog.Waitings() {
		if err := cmp.Or(c.needs(of.String(), TermWakeup, TermKick), c.checkLatency(of.String())); err != nil {
			return err
		}
	}
	if err := c.needs(catalog.RuntimeTimer, TermWakeup, TermKick, TermInsert, TermCancel, TermReset, TermExpire); err != nil {
		return err
	}
	for _, of := range catalog.Schedulers() {
		if err := c.needs(of, TermInsert, TermCancel, TermReset, TermExpire, TermTick); err != nil {
			return err
		}
	}
	return cmp.Or(c.needs(catalog.Rounds, TermVisit), c.needs(catalog.List, TermVisit), c.needs(catalog.Hier, TermCascade))
}

// needs returns an error unless there are terms of these names.
func (c *Calibration) needs(of string, names ...string) error {
	for _, name := range names {
		if len(c.Find(name, of)) == 0 {
			return fmt.Errorf("%w: no term %q of %s", ErrCache, name, of)
		}
	}
	return nil
}

// checkLatency checks the quantiles of a latency.
func (c *Calibration) checkLatency(of string) error {
	q := c.Latency[of]
	if len(q) < 2 || !slices.IsSorted(q) || !(q[0] >= 0) || math.IsInf(q[len(q)-1], 0) {
		return fmt.Errorf("%w: the latency of %s waiting has %d quantiles, want several, in order, none below 0", ErrCache, of, len(q))
	}
	return nil
}
