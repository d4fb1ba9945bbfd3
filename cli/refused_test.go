package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/internal/lists"
)

// fails runs command lines that fail with a status. They print and write nothing. After its line, a row has what its error says.
func fails(t *testing.T, status int, rows ...[]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for _, row := range rows {
		t.Run(row[0], func(t *testing.T) {
			got := bench(t, strings.Fields(row[0])...).ends(t, status).complains(t, row[1:]...)
			require.Contains(t, "\n"+got.err, "\nbench: ")
			require.Empty(t, got.out)
			isEmpty(t)
		})
	}
}

func TestAWrongCommandLineExitsWith2AndSaysWhatIsExpected(t *testing.T) {
	names := lists.Each(catalog.All(), func(c harness.Contestant) string { return c.Name })
	fails(t, exitUsage, [][]string{
		{"bogus --quick", `unknown command "bogus", want one of run, replay, trace, workloads, list, plot, `, "bench --help"},
		{"tun rpc-timeout", `unknown command "tun", did you mean run or tune?`, "bench --help"},
		{"work", `unknown command "work", did you mean workloads?`},
		{"trace dump x", `unknown command "dump", want one of info, convert`, "bench trace --help"},
		{"trace inof x", `unknown command "inof", did you mean info?`},
		{"list bogus", "unexpected argument bogus", "bench list --help"},
		{"tune rpc-timeot", `unknown profile or file "rpc-timeot", did you mean rpc-timeout?`},
		{"tune", "no workload: name a profile"},
		{"tune rpc-timeout@-1", "want a positive number after @"},
		{"tune a b", "unexpected argument b"},
		{"workloads nothing", `"nothing", want one of kafka-purgatory, `},
		{"tune rpc-timeout --explain netyt", `--explain: unknown system "netyt", did you mean netty?`},
		{"--contestants hierwhel", `--contestants: unknown contestant "hierwhel", did you mean hierwheel?`},
		{"--experiments cots", `unknown experiment "cots", did you mean cost?`},
		{"--ops inser", `--ops: unknown operation "inser", did you mean insert?`},
		{"--p99", "--p99: expected duration, but nothing follows\n"},
		{"--seed x", `--seed: expected a whole number of at least 0 but got "x"`},
		{"--delays normal --ticks 1us", "--delays: unknown", "--ticks: tick 1µs"},
		{"--bogus", "unknown flag --bogus", "bench --help"},
		append([]string{"verify --contestants nope", `"nope"`}, names...),
		{"verify --ops=-1", "--ops -1", "0 or more"},
		{"--only presets --ticks 5ms", "--ticks 5ms has no effect on ", "each has its own tick or none", "--explain NAME --tick"},
		{"--contestants netty --ticks 5ms", "--ticks 5ms has no effect on netty: "},
		{"--pending=-5", `--pending: "-5", want a whole number from 1 to 100M`},
		{"--memory none", `--memory: "none", want an amount of memory`},
		{"--pending 1000,1k", "pending count 1000", "twice"},
		{"--contestants netty,kafka,netty", "--contestants: contestant netty is given twice"},
		{"--experiments=", "--experiments is empty, want NAME,...", "bench run --help"},
		{"--pending=", "--pending is empty, want N,..."},
		{"verify --contestants=", "--contestants is empty, want NAME,..."},
		{"--out=", "--out: no name, want that of a folder"},
		{"--experiments=burst --burst=-1", "--burst: -1 timers, want 0 to 10000000"},
		{"--experiments burst --burst 0", "nothing to measure"},
		{"--experiments tails --pending 100M", "nothing to measure: no cell fits these flags; tails has cells of 100 to 10M pending timers"},
		{"plot nowhere", "no measurements in ", filepath.Join("nowhere", dataDir)},
		{"--cpu 200%", "--cpu", `"200%"`, "1% or 0.01"},
		{"--p99=-1s", `--p99: "-1s", want a positive duration such as 10ms`},
		{"--p99 -1s", `--p99: "-1s", want a value that does not begin with -`},
		{"plot", "no folder under results holds a " + filepath.Join(dataDir, "run.bench")},
		{"trace info", "no file: name a trace", "bench trace info --help"},
		{"trace convert a", "no file to write", "bench trace convert --help"},
		{"replay", `no workload: name a profile ("bench workloads" lists them) or a trace`},
		{"--ticks 5", `--ticks: "5", want a positive duration such as 10ms or 1m30s`},
		{"replay heartbeat --live-for 5s", "--live-for 5s has no effect without --live"},
		{"verify --contestants netty,time.AfterFunc", "--contestants: netty, time.AfterFunc: nothing to check"},
		{"compare a b --pairs 3", "--pairs 3 has no effect without --rev"},
		{"compare --rev HEAD --drain 2", "--drain 2 has no effect without the experiment drain"},
		{"replay heartbeat --hz 5", "--hz 5 has no effect without a trace of the kernel", "bench replay --help"},
		{"replay heartbeat --skip-bad", "--skip-bad has no effect without a trace\n"},
		{"tune --pending 10 --delay 1s --skip-bad", "--skip-bad has no effect without a trace\n"},
		{"verify --ops 0 --seed 5", "--seed 5 has no effect beside --ops 0"},
		{"--data-only --tables", "--tables has no effect beside --data-only"},
		{"--blocks 2 --budget 1m", "--blocks and --budget can't be used together"},
		{"--quick --drain 5", "--drain 5 has no effect without the experiment drain"},
		{"--experiments jitter --delays uniform,minute", "--delays uniform,minute has no effect without the experiment cost or memory"},
		{"--memory 1GB --pending 1M", "--memory 1000000000 has no effect with 1M pending timers or fewer"},
		{"--experiments cost --p99 5ms", "--p99 5ms has no effect without the experiment jitter or idle"},
		{"trace info nowhere", "nowhere: no such file or directory, want a trace"},
		{"trace convert x nowhere/y", "nowhere/y: there is no folder", "nowhere to write into"},
		{"replay heartbeat --scale x", `--scale: expected a number but got "x"`},
		{"trace convert", "no files: name a trace, and a file to write"},
		{"--quick --full", "--quick", "--full"},
		{"--only presets --contestants hierwheel", "--contestants and --only"},
		{"--only wheels", `--only must be "presets" but got "wheels"`},
		{"--contestants time.AfterFunc --experiments cost --ops tick", "nothing to measure"},
		{"compare a", "want the folders of two runs"},
		{"compare a b", "no measurements in"},
		{"compare a b --only (", "--only \"(\", want regular expressions"},
		{"compare a b --margin -1%", "--margin"},
		{"compare --json --tables a b", "--tables and --json can't be used together"},
		{"plot --json --tables", "--json", "--tables"},
		{"merge a b", "missing flags: --out"},
		{"replay nosuch", `unknown profile or file "nosuch"`},
		{"replay heartbeat@0", `scale "0", want a positive number after @`},
		{"replay heartbeat@fast", `scale "fast"`},
		{"replay heartbeat heartbeat", "workload heartbeat is given twice"},
		{"replay heartbeat --scale 0", "--scale 0, want a positive number"},
		{"replay heartbeat --scale 1e15", "operations per second"},
		{"replay a.trace --hz 99999", "--hz 99999, want 1 to 10000"},
		{"replay heartbeat --limit 0s", `--limit: "0s"`},
		{"replay heartbeat --live --live-for 1s --contestants nobody", "unknown contestant"},
		{"replay heartbeat --contestants time.AfterFunc --out x", "--contestants: time.AfterFunc: without a scheduler there is nothing to replay in virtual time, want --live"},
		{"tune --pending 10", "--delay is missing"},
		{"tune --delay 1s", "--rate or --pending is missing"},
		{"tune --cancel 10%", "--delay is missing"},
		{"tune --delay 1s --rate 1k --cancel-after 1s", "goes with --cancel"},
		{"tune --delay soon --rate 1k", `--delay soon: "soon"`},
		{"tune --delay 20% --rate 1k", "--delay 20%"},
		{"tune --delay 1s --rate soon", "--rate soon"},
		{"tune --delay 1s --rate 0", "--rate 0"},
		{"tune --delay 1s --rate 1k --cancel 120%", "--cancel 120%"},
		{"tune --delay 1s --rate 1k --cancel 10% --cancel-after 2s", "--cancel-after 2s"},
		{"tune --delay 10s --rate 1k --pending 5", "--pending 5 and --rate 1k contradict each other: timers that are pending for 10 s each make 10000 pending"},
		{"tune --delay 10s --rate 1k --pending 1M --cancel 50%", "contradict each other"},
		{"tune --delay 10s --rate 1k --pending 100 --cancel 50% --cancel-after 1s", "contradict each other"},
		{`tune --delay "]] --rate 1k`, "--delay"},
		{"tune --delay 1d --rate 1M/s", "pending"},
		{"tune --delay 1h --pending 50M", "--pending 50000000: 50000000 is not a whole number from 1 to 10M"},
		{"tune --delay 1us --pending 1M", "--pending 1000000 with --delay 1us: "},
		{"tune --pending 30k --delay 30s --reset 1k/s", "take --reset 1001/s or more"},
		{"tune --pending 50k --delay 30s --reset 1k/s", "--pending 50000 and --reset 1k/s contradict each other: each timer would be reset every 50 s, and fire after 30 s; take --reset 1667/s or more"},
		{"tune --pending 50k --delay 30s --reset 5000", "--reset 5000: want a share such as 99%, or a rate such as 5k/s"},
		{"tune --pending 50k --delay 30s --reset 5k/fortnight", "--reset 5k/fortnight: want a share"},
		{"tune --rate 1k/s --delay 30s --reset 120%", "--reset 120%"},
		{"tune --pending 50k --delay 30s --reset 5k/s --cancel 10%", "--cancel 10% with --reset 5k/s needs --rate"},
		{"tune --rate 1k/s --delay 30s --reset 50% --cancel 60%", "add up to 110 %"},
		{"tune rpc-timeout --p99 0s", `--p99: "0s", want a positive duration`},
		{"tune rpc-timeout --p99 5ms --p50 1ms", "--p50 and --p99 can't be used together"},
		{"tune rpc-timeout --cpu 0", "want a share"},
		{"tune rpc-timeout --memory 0", "want an amount of memory such as 64MiB"},
		{"tune rpc-timeout --must-tick --no-tick", "--must-tick and --no-tick can't be used together"},
		{"tune rpc-timeout --time 1ms", "--time 1ms, want 10s to 24h"},
		{"tune rpc-timeout --wakeups 0", "--wakeups 0, want a rate such as 100/s"},
		{"tune rpc-timeout --wakeups often", "--wakeups often, want a rate"},
		{"tune rpc-timeout --match {", "--match: "},
		{"tune rpc-timeout --match {}", "--match is for processes that tune starts"},
		{"tune rpc-timeout --tick 5ms", "--tick 5ms has no effect without --explain"},
		{"tune rpc-timeout --slots 5", "--slots 5 has no effect without --explain"},
		{"tune rpc-timeout --precise", "--precise has no effect without --explain"},
		{"tune rpc-timeout --explain nosuch", `unknown system "nosuch", want one of`},
		{"tune rpc-timeout --explain hierwheel --tick 5ms", "hierwheel needs --tick and --slots"},
		{"tune rpc-timeout --explain netty --slots 0", "--slots 0, want 1 or more"},
		{"tune rpc-timeout --explain heapsched --slots 5", "5 slots for heapsched"},
		{"tune rpc-timeout --explain heapsched --tick 5ms", "want none; --must-tick makes it tick"},
		{"tune rpc-timeout --explain roundswheel --tick 5ms --slots=-8", "-8 slots"},
		{"tune rpc-timeout --delay 5s", "rpc-timeout and --delay 5s are two workloads"},
		{"tune rpc-timeout --hz 250", "--hz 250 has no effect without a trace of the kernel"},
	}...)
}

func TestWhatCannotBeWrittenOrRead(t *testing.T) {
	garbage, file := t.TempDir(), written(t, "file", "")
	put(t, filepath.Join(garbage, dataDir, rundata.RunName), "garbage\n")
	broken := written(t, "broken.toml", "name = \"x\"\nfrobnicate = 1\n")
	sound := written(t, "sound", "timer-trace 1\ns 1 0 5\nend\n")
	damaged := written(t, "damaged", "timer-trace 1\ns 1 0 5\nx 1 1\nend\n")
	brief := written(t, "brief", "x-1 [000] d..1. 5.000000: timer_start: timer=aa expires=7 [timeout=5]\n")
	fails(t, exitFailed, [][]string{
		{"--quick --out " + filepath.Join(file, "below"), file},
		{"--quick --out " + garbage, "run.bench:1: "},
		{"trace convert " + sound + " " + filepath.Join(sound, "below"), sound},
	}...)
	fails(t, exitUsage, [][]string{
		{"plot " + file, "bench: " + file + " is a file, want a folder"},
		{"--quick --out " + file, file + " is a file, want a folder"},
		{"plot " + garbage, filepath.Join(garbage, dataDir, "run.bench:1: ")},
		{"workloads " + broken, broken + ":"},
		{"workloads " + sound, `the command "trace info" describes a trace`},
		{"replay " + broken, broken + ":"},
		{"replay " + file, "not a trace"},
		{"replay " + sound + "@2", "a trace has no scale"},
		{"tune " + garbage, garbage + ": not a trace but a folder"},
		{"trace", "info", "convert"},
		{"trace info --hz -1 " + sound, "--hz"},
		{"trace info --hz=10001 " + brief, "--hz 10001, want 1 to 10000"},
		{"trace info " + damaged, damaged + ":3: unknown event", "--skip-bad"},
		{"trace info " + brief, brief + ":1: cannot find out", "give HZ", "--hz"},
		{"trace info " + broken, "not a trace"},
	}...)
	bench(t, "trace", "info", "--hz=250", brief).ends(t, 0)
	bench(t, "trace", "info", "--skip-bad", damaged).ends(t, 0).says(t, "skipped, unknown event: 1")
}
