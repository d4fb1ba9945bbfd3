package tune

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
	"schedbench/judge"
)

// known is a calibration with given costs, about those of a small machine.
func known() *Calibration {
	c := &Calibration{Made: time.Unix(1e9, 0).UTC(), Env: map[string]string{"cpu": "mine", "goos": "linux"}, Latency: map[string][]float64{}}
	add := func(t Term, seconds float64) {
		t.Seconds, t.Residual = judge.Estimate{Value: seconds, Low: 0.9 * seconds, High: 1.1 * seconds}, 0.05
		c.Terms = append(c.Terms, t)
	}
	for of, factor := range map[string]float64{"runtime": 2, "precise": 1} {
		for _, every := range []time.Duration{time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond} {
			add(Term{Name: TermWakeup, Of: of, Every: every}, 30e-6*factor)
			add(Term{Name: TermWakeup, Of: of, Every: every, Program: ms}, 20e-6*factor)
		}
		add(Term{Name: TermKick, Of: of}, 50e-6)
		for i := range latencyQuantiles {
			c.Latency[of] = append(c.Latency[of], 50e-6+float64(i)/1000*500e-6*factor)
		}
	}
	for _, of := range catalog.Schedulers() {
		for _, n := range []int{100, 10_000, 1_000_000} {
			for _, batch := range []int{1, 64} {
				for i, name := range []string{TermInsert, TermCancel, TermReset, TermExpire} {
					add(Term{Name: name, Of: of, Pending: n, Batch: batch}, float64(100+50*i)*1e-9)
				}
			}
		}
		add(Term{Name: TermTick, Of: of}, 10e-9)
	}
	add(Term{Name: TermVisit, Of: catalog.Rounds, Batch: 16}, 30e-9)
	add(Term{Name: TermVisit, Of: catalog.List, Pending: 10_000}, 5e-9)
	add(Term{Name: TermCascade, Of: catalog.Hier, Batch: 16}, 50e-9)
	return c
}

func TestAKeptCalibrationIsReadBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b", CacheName)
	require.NoError(t, SaveCalibration(path, known()))
	c, err := LoadCalibration(path)
	require.NoError(t, err)
	require.Equal(t, known().Latency, c.Latency)
	require.ElementsMatch(t, known().Terms, c.Terms)
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, entries, 1, "nothing but the file is left behind")
}

func TestACalibrationOfBeforeIsReadWithoutWhatNothingReads(t *testing.T) {
	path := filepath.Join(t.TempDir(), CacheName)
	old := known()
	old.Terms = append(old.Terms, Term{Name: "memory", Of: catalog.Heap, Pending: 100_000, Seconds: exactly(40)},
		Term{Name: "slot memory", Of: catalog.Single, Seconds: exactly(0.3)})
	require.NoError(t, SaveCalibration(path, old))
	c, err := LoadCalibration(path)
	require.NoError(t, err)
	require.ElementsMatch(t, known().Terms, c.Terms)
}

func TestACalibrationIsUsedUntilTheEnvironmentChanges(t *testing.T) {
	dir, env, made := t.TempDir(), known().Env, 0
	load := func(refit bool, env map[string]string) Cached {
		c, err := loadOr(dir, refit, env, func() (*Calibration, error) {
			made++
			c := known()
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
}

func TestADamagedCalibrationIsMadeAnew(t *testing.T) {
	good, err := func() ([]byte, error) {
		path := filepath.Join(t.TempDir(), CacheName)
		if err := SaveCalibration(path, known()); err != nil {
			return nil, err
		}
		return os.ReadFile(path)
	}()
	require.NoError(t, err)
	text := string(good)
	for name, damaged := range map[string]string{
		"empty":     "",
		"cut off":   text[:len(text)/2],
		"version":   strings.Replace(text, `"Version": 3`, `"Version": 99`, 1),
		"no terms":  `{"Version": 3, "Calibration": {}}`,
		"nothing":   `{"Version": 3}`,
		"unknown":   `{"Version": 3, "Other": 1}`,
		"negative":  strings.Replace(text, `"Value": 0.00003,`, `"Value": -0.00003,`, 1),
		"no kick":   strings.ReplaceAll(text, `"Name": "kick"`, `"Name": "kik"`),
		"no insert": strings.ReplaceAll(text, `"Name": "insert"`, `"Name": "other"`),
		"unsorted":  strings.Replace(text, "0.00005,", "7,", 1),
	} {
		t.Run(name, func(t *testing.T) {
			require.NotEqual(t, text, damaged)
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, CacheName), []byte(damaged), 0o644))
			_, err := LoadCalibration(filepath.Join(dir, CacheName))
			require.ErrorIs(t, err, ErrCache)
			c, err := loadOr(dir, false, known().Env, func() (*Calibration, error) { return known(), nil })
			require.NoError(t, err)
			require.True(t, c.Fresh)
			require.Contains(t, c.Notice, "calibrated anew: ")
			require.NotContains(t, c.Notice, "\n")
			_, err = LoadCalibration(c.Path)
			require.NoError(t, err, "the new one takes the place of the damaged one")
		})
	}
}

func TestACalibrationThatCannotBeKeptCanBeUsed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	c, err := loadOr(filepath.Join(file, "folder"), false, known().Env, func() (*Calibration, error) { return known(), nil })
	require.NoError(t, err)
	require.NotNil(t, c.Calibration)
	require.Contains(t, c.Notice, "cannot be kept")
}

func TestAFailedCalibrationLeavesTheOldOne(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, SaveCalibration(filepath.Join(dir, CacheName), known()))
	mine := errors.New("mine")
	_, err := loadOr(dir, true, known().Env, func() (*Calibration, error) { return nil, mine })
	require.ErrorIs(t, err, mine)
	_, err = LoadCalibration(filepath.Join(dir, CacheName))
	require.NoError(t, err)

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = LoadOrCalibrate(ctx, dir, true, nil)
	require.Error(t, err)
}

func FuzzLoadCalibration(f *testing.F) {
	path := filepath.Join(f.TempDir(), CacheName)
	require.NoError(f, SaveCalibration(path, known()))
	text, err := os.ReadFile(path)
	require.NoError(f, err)
	f.Add(text)
	f.Add([]byte(`{"Version": 3, "Calibration": {"Terms": [{}], "Latency": {"runtime": [1]}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), CacheName)
		require.NoError(t, os.WriteFile(path, text, 0o644))
		c, err := LoadCalibration(path)
		if err != nil {
			require.ErrorIs(t, err, ErrCache)
			return
		}
		require.NoError(t, c.Check())
		c.Cost(TermInsert, catalog.Heap, 1e3, 10)
		c.Wakeup(catalog.Runtime, time.Second, 0)
	})
}
