package workload

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Limits of a file of measured durations.
const (
	maxFileBytes  = 32 << 20
	maxFileValues = 1_000_000
)

// file makes a law of the durations in a file: one on each line, in any order;
// empty lines and what follows a # do not count.
func (b *builder) file(c *call) (law, error) {
	e, ok := c.take("name", 0)
	if !ok || e.call {
		return nil, fmt.Errorf("the name of a file is missing")
	}
	if err := c.end(nil); err != nil {
		return nil, err
	}
	if err := b.is(durations); err != nil {
		return nil, err
	}
	if b.dir == "" {
		return nil, fmt.Errorf("%s: this profile has no folder to look for files in", e.word)
	}
	values, err := readDurations(b.dir, e.word)
	if err != nil {
		return nil, err
	}
	slices.Sort(values)
	return newMeasuredLaw(values), nil
}

// readDurations reads a plain file within dir, so that a profile from somebody
// else reads nothing beyond its folder.
func readDurations(dir, name string) ([]float64, error) {
	path := filepath.Join(dir, name)
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("a file in or below the profile's folder is wanted: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() > maxFileBytes {
		return nil, fmt.Errorf("%s: not a plain file of at most %d MB", path, maxFileBytes>>20)
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return scanDurations(io.LimitReader(f, maxFileBytes), path)
}

func scanDurations(f io.Reader, path string) (values []float64, err error) {
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		text, _, _ := strings.Cut(lines.Text(), "#")
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		d, err := parseDuration(text)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n, err)
		}
		if values = append(values, float64(d)); len(values) > maxFileValues {
			return nil, fmt.Errorf("%s:%d: more than %d durations", path, n, maxFileValues)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(values) == 0 {
		return nil, fmt.Errorf("%s: no durations in it", path)
	}
	return values, nil
}
