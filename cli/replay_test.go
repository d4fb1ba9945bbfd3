package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/harness/experiments"
	"schedbench/harness/rundata"
	"schedbench/internal/must"
	"schedbench/workload"
	"schedbench/workload/trace"
)

// yearly is a profile of timers that a single wheel cannot hold.
const yearly = `name = "yearly"
about = "A few long timers."
source = "made up"
choices = ["all of it"]
length = "1s"
tick = "1ms"

[[timers]]
name = "long"
arrivals = "poisson(1k/s)"
delay = "1y"
`

// aTrace writes a trace of a second of a profile, packed.
func aTrace(t *testing.T) string {
	t.Helper()
	stream := must.Get(must.Get(workload.Find("kafka-purgatory"))(t).Stream(workload.Options{Seed: 1, For: time.Second}))(t)
	path := filepath.Join(t.TempDir(), "program.trace.gz")
	w := must.Get(trace.Create(path, trace.Header{}))(t)
	require.NoError(t, w.Dropped(1, "firings"))
	for ops, err := range workload.Blocks(t.Context(), stream, 100) {
		require.NoError(t, err)
		for _, op := range ops {
			require.NoError(t, w.Write(trace.Event{At: op.At, Delay: op.Delay, Timer: uint64(op.Timer), Kind: op.Kind}))
		}
	}
	require.NoError(t, w.Close())
	return path
}

// TestProfilesAndTracesAreReplayed replays one of each kind with some contestants, and draws it again.
func TestProfilesAndTracesAreReplayed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "replay")
	got := bench(t, "replay", "tcp-rto@0.1", written(t, "mine.toml", yearly), aTrace(t), "--for", "2s", "--tables", "--out", dir,
		"--contestants", "heapsched,singlewheel,hierwheel,container-heap").ends(t, 0)
	got.says(t, "Replay of tcp-rto@0.1, with a tick of 1ms", "Replay of yearly", "Replay of program", "answer",
		"singlewheel cannot hold delays of 8760h0m0s with a tick of 1ms", "VERDICT\n- ",
		"replayed answers were right", "Left out: singlewheel cannot hold delays of 8760h0m0s")
	require.Contains(t, got.err, "plan: 3 cells")
	chartsAreSound(t, filepath.Join(dir, chartsDir))

	again := bench(t, "plot", "--tables", dir).ends(t, 0)
	_, verdict, _ := strings.Cut(got.out, "VERDICT")
	require.Contains(t, again.out, verdict)
}

func TestAReplayThatIsInterruptedGoesOn(t *testing.T) {
	args := []string{"replay", "kafka-purgatory", "heartbeat", "--for", "2s", "--contestants", "hierwheel", "--out", t.TempDir()}
	benchUntil(t, "block-01", args...).complains(t, "interrupted: 1 block is kept")
	bench(t, args...).ends(t, 0).complains(t, "1 block was measured before")
	bench(t, append(args, "--seed", "2")...).ends(t, exitUsage) // another stream is another plan
}

func TestADamagedTraceCanBeReplayedInPart(t *testing.T) {
	lines := strings.SplitAfter(string(must.Get(rundata.ReadText(aTrace(t)))(t)), "\n")
	lines[len(lines)/2] = "this is no event\n"
	path := written(t, "bad.trace", strings.Join(lines, ""))

	out := filepath.Join(t.TempDir(), "out")
	bench(t, "replay", path, "--contestants", "hierwheel", "--out", out).ends(t, exitUsage).
		complains(t, path+":", "--skip-bad leaves out what is damaged").lacks(t, "plan:")
	require.NoDirExists(t, out)
	got := bench(t, "replay", path, "--contestants", "hierwheel", "--skip-bad", "--tables", "--out", t.TempDir()).ends(t, 0)
	require.Regexp(t, path+`: \d of \d+ lines are left out \(.*unknown event: 1\)`, got.err)
	require.Contains(t, got.out, "Replay of bad")
}

func TestTheWorkloadsOfARunCanBeChosen(t *testing.T) {
	t.Parallel()
	p := planned(t, planFlags{Experiments: []string{"profiles"}, Profiles: []string{"heartbeat@2"}, Seed: 1})
	require.Len(t, p.Profiles, 1)
	require.Equal(t, "heartbeat@2", p.Profiles[0].Name)
	require.Equal(t, "heartbeat@2", p.LiveProfiles[0].Name)
	_, err := (&planFlags{Experiments: []string{"live"}, Profiles: []string{"nosuch"}}).plan(nil)
	require.ErrorContains(t, err, "--profiles: workload: unknown profile or file")
	p = must.Get(fullPlan())(t)
	require.Len(t, p.Profiles, len(workload.Builtin()))
	require.Empty(t, planned(t, planFlags{Experiments: []string{"cost"}}).Profiles, "nothing is read that is not needed")
}

// A profile has operations enough for the rounds, however slow it is.
func TestAProfileIsLongEnoughForItsRounds(t *testing.T) {
	p := planned(t, planFlags{Profiles: []string{"idle"}})
	require.GreaterOrEqual(t, p.Profiles[0].Ops, experiments.ReplayOps(p))
}

func excerpt(t *testing.T, name string) string {
	t.Helper()
	return must.Get(filepath.Abs(filepath.Join("..", "workload", "trace", "testdata", name)))(t)
}

func TestTraceInfoSaysWhatATraceContains(t *testing.T) {
	nginx, perf := excerpt(t, "nginx.trace.gz"), excerpt(t, "idle.perf.gz")
	t.Chdir(t.TempDir())
	got := bench(t, "trace", "info", nginx, perf).ends(t, 0)
	require.Empty(t, got.err)
	first, second, ok := strings.Cut(got.out, "\n\n"+perf+": ")
	require.True(t, ok, got.out)
	for _, text := range []string{
		nginx + ": tracefs, 310 events in ",
		"HZ is 250, as ", "time stamps are of the monotonic clock",
		"events that the recording says it holds, and that are not in the file: 687194",
		"delay", "armed to cancel", "armed to reset", "fired late by", "most frequent delays: ",
		"pending: at most ",
	} {
		require.Contains(t, first, text)
	}
	require.Regexp(t, `schedule +124 .*\n +reset +65 .*\n +cancel +66 .*\n +fire +55 `, first)
	require.Contains(t, second, "perf script, 220 events in ")
	require.Contains(t, second, "behind the monotonic clock")
	for line := range strings.Lines(got.out) {
		require.Equal(t, strings.TrimRight(line, " \n"), strings.TrimSuffix(line, "\n"), "no spaces at the end")
	}
}

func TestTraceInfoWritesNoFiles(t *testing.T) {
	file := written(t, "own.txt", "timer-trace 1\nsource by hand\nstart 2026-01-02T15:04:05Z\nunit ms\ns 1 0 30\nf 1 31\nend\n")
	t.Chdir(t.TempDir())
	bench(t, "trace", "info", file).ends(t, 0).
		says(t, "by hand; timer-trace, 2 events in 31ms, 32.3 operations a second, at most 1 timers pending", "recorded from 2026-01-02T15:04:05Z on")
	bench(t, "trace", "info", written(t, "none", "timer-trace 1\nend 0 0\n")).ends(t, 0).says(t, "0 events in 0s")
	isEmpty(t)
}

func TestATraceIsConvertedToTheOwnForm(t *testing.T) {
	for _, name := range []string{"nginx.trace.gz", "idle.trace.gz", "idle.perf.gz"} {
		in, dir := excerpt(t, name), t.TempDir()
		for _, to := range []string{"own.gz", "own.txt"} {
			out := filepath.Join(dir, to)
			bench(t, "trace", "convert", in, out).ends(t, 0).says(t, " events in ", "written to "+out)
			require.Equal(t, eventsOf(t, in), eventsOf(t, out))
			in = out // and on, from schedbench's format
		}
		require.Len(t, must.Get(os.ReadDir(dir))(t), 2, "nothing else is left behind")
		f := must.Get(trace.Open(in, trace.Options{}))(t)
		must.Get(f.Read(make([]trace.Event, 1)))(t)
		require.Contains(t, f.Header().Source, name+", ")
		require.Len(t, f.Header().Notes, 2)
		require.NoError(t, f.Close())
	}
}

func eventsOf(t *testing.T, path string) (all []trace.Event) {
	t.Helper()
	f := must.Get(trace.Open(path, trace.Options{}))(t)
	defer f.Close()
	batch := make([]trace.Event, 100)
	for {
		n, err := f.Read(batch)
		all = append(all, batch[:n]...)
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
	}
}

func TestAConvertedTraceHasGaps(t *testing.T) {
	in := written(t, "in", "timer-trace 1\ns 1 0 5\ngarbage\ns 1 1 5\nend 2 1\n")
	out := filepath.Join(t.TempDir(), "out")
	bench(t, "trace", "convert", "--skip-bad", in, out).ends(t, 0).says(t, "skipped, scheduled while pending: 1", "skipped, unknown event: 1")
	require.Contains(t, textOf(t, out), "dropped 2 damaged\ns 1 0 5\n")
}

func TestATraceThatCannotBeConvertedLeavesWhatThereWas(t *testing.T) {
	in := written(t, "in", "timer-trace 1\ns 1 0 5\ngarbage\nend\n")
	out := written(t, "out", "precious")
	bench(t, "trace", "convert", in, filepath.Join(filepath.Dir(out), "new")).ends(t, exitUsage).complains(t, in+`:3: unknown event: "garbage"`, "--skip-bad")
	bench(t, "trace", "convert", in, out).refused(t, out+" exists already, want the name of a new file")
	require.Equal(t, "precious", textOf(t, out))
	require.Len(t, must.Get(os.ReadDir(filepath.Dir(out)))(t), 1)
}

func TestCommandsThatMayTakeLongCanBeInterrupted(t *testing.T) {
	file := excerpt(t, "idle.trace.gz")
	out := filepath.Join(t.TempDir(), "out")
	for _, args := range [][]string{{"trace", "info", file}, {"trace", "convert", file, out}, {"verify"}} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		var text, errors bytes.Buffer
		require.Equal(t, exitInterrupted, Program{}.run(ctx, args, &text, &errors), errors.String())
		require.Contains(t, errors.String(), "interrupted")
		require.NoFileExists(t, out)
	}
}

func TestSharesAreNotRoundedToTheWhole(t *testing.T) {
	require.Equal(t, "100 %", share(5, 5))
	require.Equal(t, "> 99.9 %", share(99_999, 100_000))
	require.Equal(t, "33.3 %", share(1, 3))
	require.Equal(t, "0 %", share(0, 0))
}
