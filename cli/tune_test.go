package cli

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/judge"
	"schedbench/live"
	"schedbench/tune"
	"schedbench/tune/costs"
	"schedbench/workload"
)

// lab measures nothing: it has a calibration of some machine, and finds all that
// is tried to be as it was predicted, or not.
type lab struct {
	cached  costs.Cached
	failed  error // of calibrating
	refuted int   // of the candidates, from the first on
	broken  error // of proving
	proving func()

	asked  tune.ProveOptions
	src    workload.Source
	dir    string
	again  bool
	proofs int
	tried  int
}

//go:embed testdata/calibration.json
var someCalibration []byte

// newLab has the calibration in testdata.
func newLab(t *testing.T) *lab {
	t.Helper()
	var kept costs.Calibration
	require.NoError(t, json.Unmarshal(someCalibration, &kept))
	require.NotEmpty(t, kept.Terms)
	return &lab{cached: costs.Cached{Calibration: &kept, Path: "results/calibration.json"}}
}

func (l *lab) steps() tuneSteps {
	return tuneSteps{calibrate: l.calibrate, prove: l.prove, try: l.try}
}

func (l *lab) try(_ context.Context, e *tune.Explanation, _ *costs.Calibration, src workload.Source, o tune.ProveOptions) (runs []tune.Proved, err error) {
	l.asked, l.src = o, src
	l.tried++
	for _, q := range e.Rows {
		runs = append(runs, tune.Proved{Prediction: q,
			Measured: tune.Measured{Config: q.Config, Fired: 100, CPU: judge.Average{Estimate: q.CPU}, Lateness: judge.Average{Estimate: q.Lateness}}})
	}
	return runs, l.broken
}

func (l *lab) calibrate(_ context.Context, dir string, again bool, progress costs.Progress) (costs.Cached, error) {
	l.dir, l.again = dir, again
	progress("wake-ups", 0, 1)
	return l.cached, l.failed
}

func (l *lab) prove(_ context.Context, c *tune.Choice, _ *costs.Calibration, src workload.Source, o tune.ProveOptions) (*tune.Proof, error) {
	l.asked, l.src = o, src
	l.proofs++
	if l.proving != nil {
		l.proving()
	}
	if l.broken != nil {
		return nil, l.broken
	}
	o.Progress("the pick", 0, 2)
	p := &tune.Proof{Scale: 1}
	for i, q := range []*tune.Prediction{c.Pick, c.RunnerUp} {
		if q == nil {
			continue
		}
		known := judge.Holds
		if i < l.refuted {
			known = judge.Fails
		}
		r := tune.Proved{
			Prediction: *q,
			Measured:   tune.Measured{Config: q.Config, CPU: judge.Average{Estimate: q.CPU}, Lateness: judge.Average{Estimate: q.Lateness}},
			Verdict:    tune.Verdict{CPU: known, Lateness: known, Kept: known, Why: "so it is"},
		}
		p.Runs = append(p.Runs, r)
		if known == judge.Holds && p.Final == nil {
			p.Final = &r
		}
	}
	return p, nil
}

// tuning runs a command line of tune in an empty folder.
func tuning(t *testing.T, l *lab, args ...string) (outcome, error) {
	t.Helper()
	t.Chdir(t.TempDir())
	c, err := tuneOf(t, args...)
	require.NoError(t, err)
	var out, errOut bytes.Buffer
	err = c.run(&console{ctx: t.Context(), out: &out, err: &errOut}, l.steps())
	return outcome{exitStatus(err, &errOut), out.String(), errOut.String()}, err
}

// tiny returns a file with a workload that takes no time to look at.
func tiny(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tiny.toml")
	text := `name = "tiny"
length = "5s"
tick = "1ms"
[[timers]]
arrivals = "poisson(200/s)"
delay = "300ms"
initial = "45"
cancel = { share = "50%", after = "uniform(0%, 100%)" }
`
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

func TestTuneChoosesProvesAndDraws(t *testing.T) {
	l := newLab(t)
	got, err := tuning(t, l, tiny(t), "--p99", "5ms", "--cpu", "20%", "--for", "3s")
	require.NoError(t, err)
	answer, reasons, ok := strings.Cut(got.out, "\nchart: "+filepath.Join("results", "tune-tiny")+": tune.png\n")
	require.True(t, ok, got.out)
	require.True(t, strings.HasPrefix(answer, "PICK          "), answer)
	require.Empty(t, strings.TrimPrefix(reasons, "reasons: the same with --why\n"))
	for _, want := range []string{
		"\nCOSTS  ", "\nLEAVES        lateness: ", "; CPU: ", "\nRUNNER-UP  ", "\nPROVED        the pick", "\nPROGRAM\n    package timers\n",
	} {
		require.Contains(t, answer, want)
	}
	require.FileExists(t, filepath.Join("results", "tune-tiny", "tune.png"))
	require.Equal(t, "3s", l.asked.For.String())
	cache, err := os.UserCacheDir()
	require.NoError(t, err)
	require.Equal(t, filepath.Join(cache, "schedbench"), l.dir)
	require.False(t, l.again)
	require.Contains(t, l.src.Version, "{1 ", "the seed")
	require.Contains(t, got.err, "[1/1] wake-ups", "progress is told apart from the answer")
	require.NotContains(t, got.out, "[1/1]")
}

// The reasons follow the answer, if they are asked for.
func TestTuneSaysWhy(t *testing.T) {
	got, err := tuning(t, newLab(t), tiny(t), "--p99", "5ms", "--cpu", "20%", "--for", "3s", "--why")
	require.NoError(t, err)
	_, reasons, ok := strings.Cut(got.out, "tune.png\n")
	require.True(t, ok)
	for _, want := range []string{
		"WORKLOAD tiny", "CALIBRATION", "results/calibration.json", "99 % of the timers at most 5ms late", "at most 20 % of one core",
		"PREDICTED TO BE THE BEST", "The alternatives", "Closed forms", "The proof", "waiting: so it is",
	} {
		require.Contains(t, reasons, want)
	}
	require.NotContains(t, got.out, "the same with --why")
	require.Equal(t, 1, strings.Count(got.out, "PROGRAM"))
}

// What nobody would notice can be set, and decides.
func TestTuneTakesAWorth(t *testing.T) {
	c, err := tuneOf(t, "--worth", "5%")
	require.NoError(t, err)
	r, err := c.requirements()
	require.NoError(t, err)
	require.InDelta(t, 0.05, r.Worth, 1e-12)
}

func TestTuneSaysWhatIsAssumedWithoutRequirements(t *testing.T) {
	got, err := tuning(t, newLab(t), tiny(t), "--no-proof")
	require.NoError(t, err)
	require.Contains(t, section(t, got.out, "ASSUMED", "RUNNER-UP"), "no limit for lateness was given")
	require.Contains(t, got.out, "NOT PROVED")
}

func TestTuneWorksForFlags(t *testing.T) {
	l := newLab(t)
	dir := filepath.Join(t.TempDir(), "mine")
	got, err := tuning(t, l, "--rate", "1/s", "--delay", "10s", "--cancel", "90%", "--p99", "20ms", "--must-tick", "--out", dir, "--calibration", "here", "--recalibrate", "--svg", "--why", "--terms")
	require.NoError(t, err)
	require.Contains(t, section(t, got.out, "PICK", "COSTS"), "waking every")
	require.Contains(t, got.out, "cancelled")
	require.FileExists(t, filepath.Join(dir, "tune.svg"))
	require.Equal(t, "here", filepath.Base(l.dir))
	require.True(t, l.again)
}

func TestTuneExplainsSystems(t *testing.T) {
	l := newLab(t)
	got, err := tuning(t, l, tiny(t), "--explain", "netty")
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(got.out, "JUDGED        netty on tiny: roundswheel, a tick of 100ms, 512 slots, waking at every tick\n"), got.out)
	for _, want := range []string{"occupancy.png", "late at p99 and take no more", "measured", "roundswheel 1ms × 512", "roundswheel 10ms × 512", "roundswheel 1s × 512"} {
		require.Contains(t, strings.Join(strings.Fields(got.out), " "), want)
	}
	require.NotContains(t, got.out, "variance to mean")
	require.Zero(t, l.proofs)
	require.Equal(t, 1, l.tried)
	require.FileExists(t, filepath.Join("results", "tune-tiny", "occupancy.png"))

	got, err = tuning(t, l, tiny(t), "--scheduler", "roundswheel", "--tick", "10ms", "--slots", "2048", "--precise", "--why", "--no-proof")
	require.NoError(t, err)
	for _, want := range []string{"ROUNDSWHEEL: roundswheel 10ms x 2048, tickless, precise waiting", "Slots and the timers in them", "variance to mean", "WORKLOAD tiny", "CALIBRATION"} {
		require.Contains(t, got.out, want)
	}
	require.NotContains(t, got.out, "measured just")
	require.Equal(t, 1, l.tried, "only what is wanted")

	l.broken = context.Canceled
	got, err = tuning(t, l, tiny(t), "--explain", "netty")
	require.ErrorIs(t, err, context.Canceled)
	require.Contains(t, got.out, "JUDGED")
	l.broken = nil

	got, err = tuning(t, l, tiny(t), "--explain", "netty", "--tick", "10ms")
	require.NoError(t, err)
	require.Contains(t, got.out, "netty on tiny: roundswheel, a tick of 10ms, 512 slots")
}

func TestTuneSaysWhatIsInfeasible(t *testing.T) {
	l := newLab(t)
	got, err := tuning(t, l, tiny(t), "--p99", "1us")
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(got.out, "PICK          nothing meets what is asked for: 99 % of the timers at most 1µs late"), got.out)
	require.Contains(t, section(t, got.out, "BINDS", "CHANGE"), "lateness")
	require.NotContains(t, got.out, "PROGRAM")
	require.Zero(t, l.proofs, "there is nothing to prove")
	require.FileExists(t, filepath.Join("results", "tune-tiny", "tune.png"))
}

func TestTuneTakesWhatWasConfirmed(t *testing.T) {
	l := newLab(t)
	l.refuted = 1
	got, err := tuning(t, l, tiny(t), "--p99", "5ms")
	require.NoError(t, err)
	require.Contains(t, got.out, "PROVED        what was predicted to be the best, played")
	require.Equal(t, 1, strings.Count(got.out, "PICK"))
}

func TestTuneReportsWhatCannotBeProved(t *testing.T) {
	l := newLab(t)
	l.broken = fmt.Errorf("mine: %w: 10M operations a second", live.ErrTooFast)
	got, err := tuning(t, l, tiny(t), "--p99", "5ms")
	require.NoError(t, err)
	require.Contains(t, strings.Join(strings.Fields(got.out), " "), "NOT PROVED mine: ")
	require.Contains(t, got.out, "PICK  ")
}

func TestTuneThatIsInterruptedKeepsWhatItHas(t *testing.T) {
	l := newLab(t)
	l.broken = context.Canceled
	got, err := tuning(t, l, tiny(t), "--p99", "5ms")
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, exitInterrupted, got.status)
	require.Contains(t, got.err, "interrupted before the proof was complete")
	require.Contains(t, got.err, "the calibration is kept in results/calibration.json")
	require.Contains(t, got.out, "PICK  ")
	require.FileExists(t, filepath.Join("results", "tune-tiny", "tune.png"))

	l.failed = context.Canceled
	got, err = tuning(t, l, tiny(t))
	require.ErrorIs(t, err, context.Canceled)
	require.Contains(t, got.err, "interrupted while the costs of this machine were measured")
	require.NotContains(t, got.out, "PICK")
}

func TestTuneReportsFailures(t *testing.T) {
	failure := errors.New("no CPU time")
	l := newLab(t)
	l.broken = failure
	got, err := tuning(t, l, tiny(t))
	require.ErrorIs(t, err, failure)
	require.Equal(t, exitFailed, got.status)

	l.failed = failure
	_, err = tuning(t, l, tiny(t))
	require.ErrorIs(t, err, failure)

	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	got, err = tuning(t, newLab(t), tiny(t), "--no-proof", "--out", filepath.Join(file, "below"))
	require.Error(t, err)
	require.Equal(t, exitFailed, got.status)
	require.Contains(t, got.err, file)
}

// A folder that cannot be is told of before anything is measured.
func TestTuneLooksForItsFolderFirst(t *testing.T) {
	file := tiny(t)
	l := newLab(t)
	got, err := tuning(t, l, file, "--out", filepath.Join(file, "charts"))
	require.ErrorContains(t, err, "not a directory")
	require.Equal(t, exitFailed, got.status)
	require.Empty(t, got.out)
	require.Empty(t, l.dir, "nothing was calibrated")
}

func TestTuneReadsTraces(t *testing.T) {
	dir := t.TempDir()
	var b strings.Builder
	b.WriteString("timer-trace 1\nunit ns\n")
	events, at := 0, 0
	for i := range 200 {
		b.WriteString("s " + number(i+1).String() + " 1000000 30000000\n")
		events, at = events+1, at+1_000_000
	}
	b.WriteString("end " + number(events).String() + " " + number(at).String() + "\n")
	path := filepath.Join(dir, "mine.trace")
	require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o644))
	got, err := tuning(t, newLab(t), path, "--p99", "5ms", "--no-proof")
	require.NoError(t, err, got.err)
	require.Contains(t, got.out, "PICK  ")
	charts, err := filepath.Glob(filepath.Join("results", "tune-mine*", "tune.png"))
	require.NoError(t, err)
	require.Len(t, charts, 1)

	require.NoError(t, os.WriteFile(path, []byte(strings.Replace(b.String(), "s 7 ", "s x ", 1)), 0o644))
	got, err = tuning(t, newLab(t), path, "--no-proof")
	require.Error(t, err)
	require.Equal(t, exitFailed, got.status)
	require.Contains(t, got.err, path+":9")

	told := ""
	src, err := (&traceFlags{SkipBad: true}).source(path, workload.Options{Scale: 1}, func(s string) { told += s })
	require.NoError(t, err)
	require.NotEmpty(t, told)
	require.False(t, src.Scalable)
}

func TestTuneReadsProfileFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mine.toml")
	require.NoError(t, os.WriteFile(path, []byte("name = \"mine\"\nlength = \"10s\"\ntick = \"1ms\"\n[[timers]]\narrivals = \"poisson(100/s)\"\ndelay = \"1s\"\n"), 0o644))
	got, err := tuning(t, newLab(t), path, "--no-proof")
	require.NoError(t, err)
	require.FileExists(t, filepath.Join("results", "tune-mine", "tune.png"))
	require.Contains(t, got.out, "PICK  ")

	require.NoError(t, os.WriteFile(path, []byte("name = \"mine\"\nlength = \"10 seconds\"\n"), 0o644))
	c := bench(t, "tune", path)
	require.Equal(t, exitUsage, c.status)
	require.Contains(t, c.err, path+":2")
}
