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
	events := make([]trace.Event, 100)
	for r := trace.Events(stream); ; {
		n, err := r.Read(events)
		for _, e := range events[:n] {
			require.NoError(t, w.Write(e))
		}
		if err != nil {
			break
		}
	}
	require.NoError(t, w.Close())
	return path
}

// TestProfilesAndTracesAreReplayed replays one of each kind with some contestants, and draws it again.
func TestProfilesAndTracesAreReplayed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "replay")
	got := bench(t, "replay", "tcp-rto@0.1", written(t, "mine.toml", yearly), aTrace(t), "--for", "2s", "--svg", "--tables", "--out", dir,
		"--contestants", "heapsched,singlewheel,hierwheel,container-heap").ends(t, 0)
	got.says(t, "Replay of tcp-rto@0.1, with a tick of 1ms", "Replay of yearly", "Replay of program", "answer",
		"singlewheel cannot hold delays of 8760h0m0s with a tick of 1ms", "VERDICT\n- ",
		"replayed answers were right", "Left out: singlewheel cannot hold delays of 8760h0m0s")
	require.Contains(t, got.err, "plan: 3 cells")
	chartsAreSound(t, filepath.Join(dir, chartsDir))
	equalAnswers(t, got.out)

	again := bench(t, "plot", "--tables", dir).ends(t, 0)
	_, verdict, _ := strings.Cut(got.out, "VERDICT")
	require.Contains(t, again.out, verdict)
}

// equalAnswers checks that the contestants of a table have the same answer.
func equalAnswers(t *testing.T, out string) {
	t.Helper()
	tables, _, _ := strings.Cut(out, "VERDICT")
	for _, part := range strings.Split(tables, "Replay of ")[1:] {
		answers := map[string]bool{}
		for l := range strings.Lines(part) {
			words := strings.Fields(l)
			if len(words) > 5 && len(words[len(words)-1]) == 12 && words[0] != "contestant" {
				answers[words[len(words)-1]] = true
			}
		}
		require.Len(t, answers, 1, part)
	}
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
	got := bench(t, "replay", path, "--contestants", "hierwheel", "--out", out).ends(t, exitUsage)
	got.complains(t, path+":", "--skip-bad leaves out what is damaged")
	require.NotContains(t, got.err, "plan:")
	require.NoDirExists(t, out)
	got = bench(t, "replay", path, "--contestants", "hierwheel", "--skip-bad", "--tables", "--out", t.TempDir()).ends(t, 0)
	require.Regexp(t, path+`: \d of \d+ lines are left out \(.*unknown event: 1\)`, got.err)
	require.Contains(t, got.out, "Replay of bad")
}

func TestAWrongReplayCommandSaysWhatIsExpected(t *testing.T) {
	notATrace := written(t, "x.txt", "hello\n")
	badProfile := written(t, "bad.toml", "name = 3\n")
	for args, want := range map[string]string{
		"":                       "workload",
		"nosuch":                 `unknown profile or file "nosuch"`,
		notATrace:                "not a trace",
		badProfile:               badProfile + ":1",
		aTrace(t) + "@2":         "a trace has no scale",
		"heartbeat@0":            `scale "0", want a positive number after @`,
		"heartbeat@fast":         `scale "fast"`,
		"heartbeat heartbeat":    "workload heartbeat is given twice",
		"heartbeat --scale 0":    "--scale 0, want a positive number",
		"heartbeat --scale 1e15": "operations per second",
		"heartbeat --tick=-1s":   `--tick: "-1s"`,
		"heartbeat --for=-1s":    `--for: "-1s"`,
		"../workload/trace/testdata/nginx.trace.gz --hz 99999": "--hz 99999, want 1 to 10000",
		"heartbeat --limit 0s":                                 `--limit: "0s"`,
		"heartbeat --live --live-for 1s --contestants nobody":  "unknown contestant",
		"heartbeat --contestants time.AfterFunc --out x":       "--contestants: time.AfterFunc: without a scheduler there is nothing to replay in virtual time, want --live",
	} {
		bench(t, append([]string{"replay"}, strings.Fields(args)...)...).refused(t, want)
	}
}

func TestTheWorkloadsOfARunCanBeChosen(t *testing.T) {
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

// excerpt returns the full name of an excerpt of a trace of the kernel.
func excerpt(t *testing.T, name string) string {
	t.Helper()
	return must.Get(filepath.Abs(filepath.Join("..", "workload", "trace", "testdata", name)))(t)
}

// written makes a file and returns its name.
func written(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return path
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
		"pending: at most ", "for a replay: without ",
		"charts: " + filepath.Join("results", "trace-nginx") + ": trace-nginx.png",
	} {
		require.Contains(t, first, text)
	}
	require.Regexp(t, `schedule +124 .*\n +reset +65 .*\n +cancel +66 .*\n +fire +55 `, first)
	require.Contains(t, second, "perf script, 220 events in ")
	require.Contains(t, second, "behind the monotonic clock")
	require.FileExists(t, filepath.Join("results", "trace-nginx", "trace-nginx.png"))
	require.FileExists(t, filepath.Join("results", "trace-idle.perf", "trace-idle.perf.png"))
	for line := range strings.Lines(got.out) {
		require.Equal(t, strings.TrimRight(line, " \n"), strings.TrimSuffix(line, "\n"), "no spaces at the end")
	}
}

func TestTraceInfoDrawsIntoTheGivenFolder(t *testing.T) {
	file := written(t, "own.txt", "timer-trace 1\nsource by hand\nstart 2026-01-02T15:04:05Z\nunit ms\ns 1 0 30\nf 1 31\nend\n")
	t.Chdir(t.TempDir())
	got := bench(t, "trace", "info", file, "--no-charts").ends(t, 0)
	got.says(t, "by hand; timer-trace, 2 events in 31ms, 32.3 operations a second, at most 1 timers pending", "recorded from 2026-01-02T15:04:05Z on")
	require.NotContains(t, got.out, "charts: ")
	isEmpty(t)

	got = bench(t, "trace", "info", file, "--out", "here", "--svg").ends(t, 0)
	require.FileExists(t, filepath.Join("here", "trace-own.png"))
	require.FileExists(t, filepath.Join("here", "trace-own.svg"))
}

func TestATraceWithoutEventsIsReported(t *testing.T) {
	t.Chdir(t.TempDir())
	got := bench(t, "trace", "info", written(t, "none", "timer-trace 1\nend 0 0\n")).ends(t, 0)
	require.Contains(t, got.out, "0 events in 0s")
	require.NotContains(t, got.out, "charts: ")
}

func TestATraceIsConvertedToTheOwnForm(t *testing.T) {
	for _, name := range []string{"nginx.trace.gz", "idle.trace.gz", "idle.perf.gz"} {
		in, dir := excerpt(t, name), t.TempDir()
		for _, to := range []string{"own.gz", "own.txt"} {
			out := filepath.Join(dir, to)
			bench(t, "trace", "convert", in, out).ends(t, 0).says(t, out+": ", " for each event")
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

// eventsOf returns all events of a trace.
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
	require.Contains(t, string(must.Get(os.ReadFile(out))(t)), "dropped 2 damaged\ns 1 0 5\n")
}

func TestATraceThatCannotBeConvertedLeavesWhatThereWas(t *testing.T) {
	in := written(t, "in", "timer-trace 1\ns 1 0 5\ngarbage\nend\n")
	out := written(t, "out", "precious")
	bench(t, "trace", "convert", in, filepath.Join(filepath.Dir(out), "new")).ends(t, exitUsage).complains(t, in+`:3: unknown event: "garbage"`, "--skip-bad")
	bench(t, "trace", "convert", in, out).refused(t, out+" is there already, want another file to write")
	require.Equal(t, "precious", string(must.Get(os.ReadFile(out))(t)))
	require.Len(t, must.Get(os.ReadDir(filepath.Dir(out)))(t), 1)
}

func TestWrongTracesAndFlags(t *testing.T) {
	sound := written(t, "sound", "timer-trace 1\ns 1 0 5\nend\n")
	damaged := written(t, "damaged", "timer-trace 1\ns 1 0 5\nx 1 1\nend\n")
	brief := written(t, "brief", "x-1 [000] d..1. 5.000000: timer_start: timer=aa expires=7 [timeout=5]\n")
	other := written(t, "other", "hello\n")
	for _, c := range []struct {
		args   []string
		status int
		want   []string
	}{
		{[]string{"trace"}, exitUsage, []string{"info", "convert"}},
		{[]string{"trace", "info", "--hz", "-1", sound}, exitUsage, []string{"--hz"}},
		{[]string{"trace", "info", "--hz=10001", brief}, exitUsage, []string{"--hz 10001, want 1 to 10000"}},
		{[]string{"trace", "info", damaged}, exitUsage, []string{damaged + ":3: unknown event", "--skip-bad"}},
		{[]string{"trace", "info", brief}, exitUsage, []string{brief + ":1: cannot find out", "give HZ", "--hz"}},
		{[]string{"trace", "info", other}, exitUsage, []string{"not a trace"}},
		{[]string{"trace", "convert", sound, filepath.Join(sound, "below")}, exitFailed, []string{sound}},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			t.Chdir(t.TempDir())
			bench(t, c.args...).ends(t, c.status).complains(t, append(c.want, "bench: ")...)
			isEmpty(t)
		})
	}
	bench(t, "trace", "info", "--no-charts", "--hz=250", brief).ends(t, 0)
	bench(t, "trace", "info", "--no-charts", "--skip-bad", damaged).ends(t, 0).says(t, "skipped, unknown event: 1")
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
