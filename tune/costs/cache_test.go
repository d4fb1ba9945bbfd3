package costs

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
)

// complete is a calibration with all that is needed.
func complete() *Calibration {
	c := &Calibration{Made: time.Unix(1e9, 0).UTC(), Env: map[string]string{"cpu": "mine", "goos": "linux"}, Latency: map[string][]float64{}}
	add := func(of string, names ...string) {
		for i, name := range names {
			c.Terms = append(c.Terms, Term{Name: name, Of: of, Seconds: exactly(float64(i+1) * 1e-6), Residual: 0.05})
		}
	}
	for _, waiting := range catalog.Waitings() {
		add(waiting.String(), TermWakeup, TermKick)
		c.Latency[waiting.String()] = []float64{50e-6, 80e-6, 500e-6}
	}
	for _, of := range catalog.Schedulers() {
		add(of, TermInsert, TermCancel, TermReset, TermExpire, TermTick)
	}
	add(catalog.RuntimeTimer, TermWakeup, TermKick, TermInsert, TermCancel, TermReset, TermExpire)
	add(catalog.Rounds, TermVisit)
	add(catalog.List, TermVisit)
	add(catalog.Hier, TermCascade)
	return c
}

func TestAKeptCalibrationIsReadBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b", CacheName)
	require.NoError(t, Save(path, complete()))
	c, err := Load(path)
	require.NoError(t, err)
	require.Equal(t, complete().Latency, c.Latency)
	require.ElementsMatch(t, complete().Terms, c.Terms)
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, entries, 1, "nothing but the file is left behind")
}

func TestACalibrationIsUsedUntilTheEnvironmentChanges(t *testing.T) {
	dir, env, made := t.TempDir(), complete().Env, 0
	load := func(refit bool, env map[string]string) Cached {
		c, err := loadOr(dir, refit, env, func() (*Calibration, error) {
			made++
			c := complete()
			c.Env = env
			return c, nil
		})
		require.NoError(t, err)
		require.NoError(t, c.Calibration.Check())
		require.Equal(t, c.Fresh, c.Notice != "")
		return c
	}
	require.Contains(t, load(false, env).Notice, "no calibration in "+dir)
	require.False(t, load(false, env).Fresh)
	require.Equal(t, 1, made)
	require.Contains(t, load(true, env).Notice, "as asked for")

	other := maps.Clone(env)
	other["cpu"] = "yours"
	require.Equal(t, `calibrated anew: cpu was "mine" and is "yours"`, load(false, other).Notice)
	require.False(t, load(false, other).Fresh)
	delete(other, "cpu")
	require.Equal(t, `calibrated anew: cpu was "yours" and is unknown`, load(false, other).Notice)
	require.Equal(t, 4, made)

	// Another commit is worth a word, and no minute.
	c, err := loadOr(dir, false, map[string]string{"goos": "linux", "commit": "abc"}, nil)
	require.NoError(t, err)
	require.False(t, c.Fresh)
	require.Equal(t, "calibrated by commit , and this is abc: --recalibrate measures the costs again", c.Notice)
}

func TestADamagedCalibrationIsMadeAnew(t *testing.T) {
	good, err := func() ([]byte, error) {
		path := filepath.Join(t.TempDir(), CacheName)
		if err := Save(path, complete()); err != nil {
			return nil, err
		}
		return os.ReadFile(path)
	}()
	require.NoError(t, err)
	text := string(good)
	for name, damaged := range map[string]string{
		"empty":     "",
		"cut off":   text[:len(text)/2],
		"version":   strings.Replace(text, `"Version": 5`, `"Version": 99`, 1),
		"no terms":  `{"Version": 5, "Calibration": {}}`,
		"nothing":   `{"Version": 5}`,
		"unknown":   `{"Version": 5, "Other": 1}`,
		"negative":  strings.Replace(text, `"Value": 0.000001,`, `"Value": -0.000001,`, 1),
		"no kick":   strings.ReplaceAll(text, `"Name": "kick"`, `"Name": "kik"`),
		"no insert": strings.ReplaceAll(text, `"Name": "insert"`, `"Name": "other"`),
		"unsorted":  strings.Replace(text, "0.00005,", "7,", 1),
	} {
		t.Run(name, func(t *testing.T) {
			require.NotEqual(t, text, damaged)
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, CacheName), []byte(damaged), 0o644))
			_, err := Load(filepath.Join(dir, CacheName))
			require.ErrorIs(t, err, ErrCache)
			c, err := loadOr(dir, false, complete().Env, func() (*Calibration, error) { return complete(), nil })
			require.NoError(t, err)
			require.True(t, c.Fresh)
			require.Contains(t, c.Notice, "calibrated anew: ")
			require.NotContains(t, c.Notice, "\n")
			_, err = Load(c.Path)
			require.NoError(t, err, "the new one takes the place of the damaged one")
		})
	}
}

func TestACalibrationThatCannotBeKeptCanBeUsed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	c, err := loadOr(filepath.Join(file, "folder"), false, complete().Env, func() (*Calibration, error) { return complete(), nil })
	require.NoError(t, err)
	require.NotNil(t, c.Calibration)
	require.Contains(t, c.Notice, "cannot be kept")
}

func TestAFailedCalibrationLeavesTheOldOne(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, Save(filepath.Join(dir, CacheName), complete()))
	mine := errors.New("mine")
	_, err := loadOr(dir, true, complete().Env, func() (*Calibration, error) { return nil, mine })
	require.ErrorIs(t, err, mine)
	_, err = Load(filepath.Join(dir, CacheName))
	require.NoError(t, err)

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = LoadOrCalibrate(ctx, dir, true, nil)
	require.Error(t, err)
}

func FuzzLoad(f *testing.F) {
	path := filepath.Join(f.TempDir(), CacheName)
	require.NoError(f, Save(path, complete()))
	text, err := os.ReadFile(path)
	require.NoError(f, err)
	f.Add(text)
	f.Add([]byte(`{"Version": 5, "Calibration": {"Terms": [{}], "Latency": {"runtime": [1]}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), CacheName)
		require.NoError(t, os.WriteFile(path, text, 0o644))
		c, err := Load(path)
		if err != nil {
			require.ErrorIs(t, err, ErrCache)
			return
		}
		require.NoError(t, c.Check())
		c.Cost(TermInsert, catalog.Heap, 1e3, 10)
		c.Wakeup(catalog.Runtime.String(), time.Second, 0)
	})
}
