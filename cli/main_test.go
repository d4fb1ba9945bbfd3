package cli

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/harness"
	"schedbench/harness/experiments"
	"schedbench/harness/rundata"
	"schedbench/internal/lists"
	"schedbench/internal/must"
	"schedbench/schedulers"
	"schedbench/workload"
)

func TestAWrongCommandLineExitsWith2AndSaysWhatIsExpected(t *testing.T) {
	names := lists.Each(catalog.All(), func(c harness.Contestant) string { return c.Name })
	for _, c := range []struct {
		line string
		want []string
	}{
		{"bogus --quick", []string{`unknown command "bogus", want one of run, replay, trace, workloads, list, plot, `, "bench --help"}},
		{"tun rpc-timeout", []string{`unknown command "tun", did you mean run or tune?`, "bench --help"}},
		{"work", []string{`unknown command "work", did you mean workloads?`}},
		{"trace dump x", []string{`unknown command "dump", want one of info, convert`, "bench trace --help"}},
		{"trace inof x", []string{`unknown command "inof", did you mean info?`}},
		{"list bogus", []string{"unexpected argument bogus", "bench list --help"}},
		{"tune rpc-timeot", []string{`unknown profile or file "rpc-timeot", did you mean rpc-timeout?`}},
		{"tune", []string{"no workload: name a profile"}},
		{"tune rpc-timeout@-1", []string{"want a positive number after @"}},
		{"tune a b", []string{"unexpected argument b"}},
		{"workloads nothing", []string{`"nothing", want one of kafka-purgatory, `}},
		{"workloads --workload nothing", []string{"want one of kafka-purgatory, "}},
		{"tune rpc-timeout --explain netyt", []string{`--explain: unknown system "netyt", did you mean netty?`}},
		{"--contestants hierwhel", []string{`--contestants: unknown contestant "hierwhel", did you mean hierwheel?`}},
		{"--experiments cots", []string{`unknown experiment "cots", did you mean cost?`}},
		{"--ops inser", []string{`--ops: unknown operation "inser", did you mean insert?`}},
		{"--p99", []string{"--p99: expected duration, but nothing follows\n"}},
		{"--seed x", []string{`--seed: expected a whole number of at least 0 but got "x"`}},
		{"--goroutines 0", []string{"--goroutines: 0 goroutines, want 1 to 256"}},
		{"--delays normal --ticks 1us", []string{"--delays: unknown", "--ticks: tick 1µs"}},
		{"--bogus", []string{"unknown flag --bogus", "bench --help"}},
		{"verify --contestants nope", append(names, `"nope"`)},
		{"verify --ops=-1", []string{"--ops -1", "0 or more"}},
		{"--only presets --ticks 5ms", []string{"--ticks 5ms has no effect on ", "each has its own tick or none", "--explain NAME --tick"}},
		{"--contestants netty --ticks 5ms", []string{"--ticks 5ms has no effect on netty: "}},
		{"--pending=-5", []string{`--pending: "-5", want a whole number from 1 to 100M`}},
		{"--memory none", []string{`--memory: "none", want an amount of memory`}},
		{"--pending 1000,1k", []string{"pending count 1000", "twice"}},
		{"--contestants netty,kafka,netty", []string{"--contestants: contestant netty is given twice"}},
		{"--experiments=", []string{"--experiments is empty, want NAME,...", "bench run --help"}},
		{"--pending=", []string{"--pending is empty, want N,..."}},
		{"verify --contestants=", []string{"--contestants is empty, want NAME,..."}},
		{"--out=", []string{"--out: no name, want that of a folder"}},
		{"--experiments=burst --burst=-1", []string{"--burst: -1 timers, want 0 to 10000000"}},
		{"--experiments burst --burst 0", []string{"nothing to measure"}},
		{"--experiments tails --pending 100M", []string{"nothing to measure: no cell fits these flags; tails has cells of 100 to 10M pending timers"}},
		{"plot nowhere", []string{"no measurements in ", filepath.Join("nowhere", dataDir)}},
		{"--cpu 200%", []string{"--cpu", `"200%"`, "1% or 0.01"}},
		{"--p99=-1s", []string{`--p99: "-1s", want a positive duration such as 10ms`}},
		{"--p99 -1s", []string{`--p99: "-1s", want a value that does not begin with -`}},
		{"plot", []string{"no folder under results holds a " + filepath.Join(dataDir, "run.bench")}},
		{"trace info", []string{"no file: name a trace", "bench trace info --help"}},
		{"trace convert a", []string{"no file to write", "bench trace convert --help"}},
		{"replay", []string{`no workload: name a profile ("bench workloads" lists them) or a trace`}},
		{"--ticks 5", []string{`--ticks: "5", want a positive duration such as 10ms or 1m30s`}},
		{"replay heartbeat --live-for 5s", []string{"--live-for 5s has no effect without --live"}},
		{"verify --contestants netty,time.AfterFunc", []string{"--contestants: netty, time.AfterFunc: nothing to check"}},
		{"compare a b --pairs 3", []string{"--pairs 3 has no effect without --rev"}},
		{"compare --rev HEAD --goroutines 2", []string{"--goroutines 2 has no effect without the experiment parallel"}},
		{"replay heartbeat --hz 5", []string{"--hz 5 has no effect without a trace of the kernel", "bench replay --help"}},
		{"replay heartbeat --skip-bad", []string{"--skip-bad has no effect without a trace\n"}},
		{"tune --pending 10 --delay 1s --skip-bad", []string{"--skip-bad has no effect without a trace\n"}},
		{"trace info x --no-charts --svg", []string{"--svg has no effect beside --no-charts"}},
		{"workloads --no-charts --out x", []string{"--out ", "has no effect beside --no-charts"}},
		{"verify --ops 0 --seed 5", []string{"--seed 5 has no effect beside --ops 0"}},
		{"--data-only --tables", []string{"--tables has no effect beside --data-only"}},
		{"--blocks 2 --budget 1m", []string{"--budget 1m0s has no effect beside --blocks"}},
		{"--quick --drain 5", []string{"--drain 5 has no effect without the experiment drain"}},
		{"--experiments jitter --delays uniform,minute", []string{"--delays uniform,minute has no effect without the experiment cost or memory"}},
		{"--memory 1GB --pending 1M", []string{"--memory 1000000000 has no effect with 1M pending timers or fewer"}},
		{"publish x --experiments cost --burst 5", []string{"--burst 5 has no effect without the experiment burst"}},
		{"--experiments cost --p99 5ms", []string{"--p99 5ms has no effect without the experiment jitter or idle"}},
		{"trace info nowhere", []string{"nowhere: no such file or directory, want a trace"}},
		{"trace convert x nowhere/y", []string{"nowhere/y: there is no folder", "nowhere to write into"}},
		{"replay heartbeat --scale x", []string{`--scale: expected a number but got "x"`}},
		{"trace convert", []string{"no files: name a trace, and a file to write"}},
		{"--quick --full", []string{"--quick", "--full"}},
		{"--only presets --contestants hierwheel", []string{"--contestants and --only"}},
		{"--only wheels", []string{`--only must be "presets" but got "wheels"`}},
		{"--contestants time.AfterFunc --experiments cost --ops tick", []string{"nothing to measure"}},
	} {
		t.Run(c.line, func(t *testing.T) {
			t.Chdir(t.TempDir())
			bench(t, strings.Fields(c.line)...).refused(t, append(c.want, "bench: ")...)
			isEmpty(t)
		})
	}
}

func TestHelpExitsWith0(t *testing.T) {
	for line, want := range map[string][]string{
		"--help":        {"run", "list", "plot", "verify"},
		"run --help":    {experimentNames()[:12], "--pending=N,... ", "--p99", "--cpu", "--svg", "--out", "--budget", "--seed", "--quick", "--full"},
		"plot --help":   {"<dir>", "--p99"},
		"verify --help": {"--ops", "--rules"},
		"tune --help":   strings.Fields("--pending --rate --delay --cancel --p99 --cpu --memory --must-tick --no-tick --no-precise --explain --time --wakeups --why --out"),
	} {
		got := bench(t, strings.Fields(line)...).ends(t, 0)
		require.Empty(t, got.err, line)
		got.says(t, want...)
	}
}

func TestListNamesAllThatCanBeMeasured(t *testing.T) {
	got := bench(t, "list").ends(t, 0)
	require.Empty(t, got.err)
	for _, c := range append(catalog.All(), catalog.Presets()...) {
		got.says(t, c.Name, c.Family)
	}
	got.says(t, append(rundata.Ops(), experiments.Delays()...)...)
	for _, e := range rundata.ExperimentNames() {
		require.Contains(t, got.out, strings.ToLower(e))
	}
	groups := strings.Split(got.out, "\n\n")
	require.Len(t, groups, 5)
	for i, title := range []string{"CONTESTANT", "BASELINE", "PRESET", "OPERATION", "experiments: "} {
		require.True(t, strings.HasPrefix(groups[i], title), groups[i])
	}
	require.Contains(t, got.out, "compared:    bare schedulers with each other and container-heap, drivers with time.AfterFunc\n")
	require.Contains(t, groups[1], "container-heap")
	require.Contains(t, groups[2], "netty")
	require.Contains(t, groups[3], "idle tick")
}

// .ci/smoke verifies all contestants, and package catalog tests them by the same rules.
func TestVerifyFindsContestantsSound(t *testing.T) {
	got := bench(t, "verify", "--ops", "1000", "--contestants", "heapsched,hierwheel").ends(t, 0)
	require.NotContains(t, got.out, "BROKEN")
	require.Regexp(t, `(?m)^heapsched: \d+ rules kept, 0 broken, .* 1000 random operations`, got.out)
	require.Regexp(t, `(?m)^hierwheel: \d+ rules kept, 0 broken, .* 1000 random operations`, got.out)
}

func TestVerifyExitsWith1WhereARuleIsBroken(t *testing.T) {
	got := bench(t, "verify", "--ops", "10", "--rules", "--contestants", "container-heap,time.AfterFunc").ends(t, exitFailed)
	got.says(t, "container-heap: BROKEN no-allocations: ", "the rule: ", "container-heap: kept never-early: ")
	require.NotContains(t, got.out, "heapsched")
	require.Contains(t, got.out, "time.AfterFunc: not checked, it has no bare scheduler")
	require.Contains(t, got.err, "rules are broken")
}

func TestVerifyIsInterruptedBetweenSeeds(t *testing.T) {
	s := must.Get(described(catalog.Contestants()[0]))(t)
	ctx, cancel := context.WithCancel(t.Context())
	made, sound := 0, s.New
	s.New = func() (schedulers.Scheduler[uint64], error) {
		made++
		cancel()
		return sound()
	}
	differs, err := (&verifyCmd{Ops: math.MaxInt}).compare(ctx, s)
	require.NoError(t, differs)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, 1, made)
}

func TestWhatCannotBeWrittenOrRead(t *testing.T) {
	dir, file := t.TempDir(), written(t, "file", "")
	broken := written(t, "broken.toml", "name = \"x\"\nfrobnicate = 1\n")
	garbage := filepath.Join(dir, "garbage", dataDir)
	require.NoError(t, os.MkdirAll(garbage, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(garbage, "run.bench"), []byte("garbage\n"), 0o644))
	for _, c := range []struct {
		name   string
		args   []string
		status int
		want   string
	}{
		{"a folder below a file", []string{"--quick", "--out", filepath.Join(file, "below")}, exitFailed, file},
		{"a folder that is a file", []string{"plot", file}, exitUsage, "bench: " + file + " is a file, want a folder"},
		{"a new folder that is a file", []string{"--quick", "--out", file}, exitUsage, file + " is a file, want a folder"},
		{"data that are no data", []string{"plot", filepath.Join(dir, "garbage")}, exitUsage, filepath.Join(garbage, "run.bench:1: ")},
		{"a profile that is none", []string{"workloads", broken}, exitUsage, broken + ":"},
		{"a profile that is a trace", []string{"workloads", aTrace(t)}, exitUsage, `the command "trace info" describes a trace`},
		{"a trace that is none", []string{"trace", "info", broken}, exitUsage, "not a trace"},
		{"a trace that is a folder", []string{"tune", dir}, exitUsage, dir + ": not a trace but a folder"},
		{"a run of garbage", []string{"--quick", "--out", filepath.Join(dir, "garbage")}, exitFailed, "run.bench:1: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := bench(t, c.args...).ends(t, c.status).complains(t, c.want)
			require.Contains(t, "\n"+got.err, "\nbench: ")
		})
	}
}

// ownProfile is a profile such as a user would write.
const ownProfile = `name = "mine"
about = "A thing of my own."
source = "a guess: nothing else."
length = "1s"
tick = "1ms"
[[timers]]
name = "t"
arrivals = "poisson(100/s)"
delay = "5s"
cancel = { share = "40%", after = "1s" }
`

func TestWorkloadsListsAllProfiles(t *testing.T) {
	mine := written(t, "mine.toml", ownProfile)
	t.Chdir(t.TempDir())
	got := bench(t, "workloads", "--workload", mine, "--no-charts").ends(t, 0)
	require.Empty(t, got.err)
	lines := strings.Split(got.out, "\n")
	require.Equal(t, strings.Fields("PROFILE ARRIVALS DELAY CANCELLED RESET PENDING OPS/S MODELLED ON"), strings.Fields(lines[0]))
	all := workload.Builtin()
	for i, p := range all {
		require.True(t, strings.HasPrefix(lines[1+i], p.Name+" "), lines[1+i])
	}
	require.Equal(t, strings.Fields("mine poisson(100/s) 5s 40 % 0 % 100 140 a guess"), strings.Fields(lines[1+len(all)]))
	for _, line := range lines {
		require.Less(t, len(line), 170)
	}
}

func TestWorkloadsDescribesThoseThatAreNamed(t *testing.T) {
	mine := written(t, "mine.toml", ownProfile)
	t.Chdir(t.TempDir())
	got := bench(t, "workloads", "tcp-rto", mine, "--no-charts").ends(t, 0)
	tcp := must.Get(workload.Find("tcp-rto"))(t)
	require.Equal(t, tcp.Describe()+"\n"+must.Get(workload.Find(mine))(t).Describe(), got.out)
	isEmpty(t)
}

func TestWorkloadsDrawsIntoTheGivenFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	bench(t, "workloads", "idle", "--out", "here", "--svg").ends(t, 0).says(t, "profiles.png profiles.svg")
	require.FileExists(t, filepath.Join("here", "profiles.svg"))

	bench(t, "workloads", "idle").says(t, "charts: results/workloads: profiles.png")
	require.FileExists(t, filepath.Join("results", "workloads", "profiles.png"))
}
