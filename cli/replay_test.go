package cli

import (
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

// TestProfilesAndTracesAreReplayed replays one of each kind with some contestants,
// and draws it again.
func TestProfilesAndTracesAreReplayed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "replay")
	got := bench(t, "replay", "tcp-rto@0.1", written(t, "mine.toml", yearly), aTrace(t), "--for", "2s", "--svg", "--tables", "--out", dir,
		"--contestants", "heapsched,singlewheel,hierwheel,container-heap").ends(t, 0)
	got.says(t, "Replay of tcp-rto@0.1, with a tick of 1ms", "Replay of yearly", "Replay of program", "answer",
		"singlewheel cannot hold delays of 8760h0m0s with a tick of 1ms", "VERDICT\n- ",
		"replayed answers were those of the model", "Left out: singlewheel cannot hold delays of 8760h0m0s")
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
