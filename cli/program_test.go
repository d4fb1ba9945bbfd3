package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/heapsched"
	"schedbench/internal/must"
	"schedbench/internal/report"
	"schedbench/live"
	"schedbench/schedulers"
)

type ownCommand struct {
	Times int `default:"1"`
	Folders
}

func (c *ownCommand) Run(ctx context.Context, w io.Writer, measure Measure) error {
	fmt.Fprint(w, "asked ", c.Times, " times")
	if c.Folders == (Folders{}) {
		return ctx.Err()
	}
	plan, err := (&planFlags{Quick: true, Experiments: []string{"cost"}, Ops: []string{"pair"}, Contestants: []string{"heapsched"}, Pending: []number{100}}).plan(nil)
	if err != nil {
		return err
	}
	return c.Show(w, func() (*rundata.Data, string, error) {
		data, dir, err := measure(plan, c.Out, "ask")
		fmt.Fprintln(w, "measured into", dir)
		return data, dir, err
	}, func(*rundata.Data) []report.Chapter { return nil })
}

func TestAProgramHasCommandsOfItsOwn(t *testing.T) {
	p := Program{Commands: []Command{{Name: "ask", Help: "Ask.", Flags: &ownCommand{}}}}
	require.Equal(t, "asked 3 times", byProgram(t, p, "", "ask", "--times", "3").ends(t, 0).out)

	dir := t.TempDir()
	measured := byProgram(t, p, "", "ask", "--out", dir).ends(t, 0).out
	require.FileExists(t, filepath.Join(dir, dataDir, "run.bench"))
	shown := byProgram(t, p, "", "ask", "--from", dir).ends(t, 0).out
	require.Equal(t, strings.Replace(measured, "measured into "+dir+"\n", "", 1), shown)

	byProgram(t, p, "", "--help").ends(t, 0).says(t, "Ask.", "verify")
	byProgram(t, p, "", "aks").refused(t, `unknown command "aks", did you mean ask?`)
	byProgram(t, p, "", "ask", "--tiems", "3").refused(t, "unknown flag --tiems", "bench ask --help")

	ended, end := context.WithCancel(t.Context())
	end()
	var out, errOut bytes.Buffer
	require.Equal(t, exitInterrupted, p.run(ended, []string{"ask"}, &out, &errOut))
	errOut.Reset()
	dir = t.TempDir()
	require.Equal(t, exitInterrupted, p.run(ended, []string{"ask", "--out", dir}, &out, &errOut))
	require.Contains(t, errOut.String(), `"bench ask --from `+dir+`" shows what there is`)
}

// A user of another program copies its commands, and not those of bench.
func TestCommandsCallTheProgramAsItWasCalled(t *testing.T) {
	p := Program{Contestants: []harness.Contestant{ownContestant("mine")}, called: "go run example.com/own"}
	dir := t.TempDir()
	t.Chdir(t.TempDir())
	for _, c := range [][2]string{
		{"--quick --experiments cost --pending 10 --ops pair --contestants mine,hierwheel --out " + dir, "go run example.com/own tune --help"},
		{"plot " + dir, "go run example.com/own --experiments cost"},
		{"--help", `Run "go run example.com/own <command> --help"`},
		{"tune", `("go run example.com/own workloads" lists them)`},
		{"tune --quick", `Run "go run example.com/own tune --help"`},
		{"workloads", `"go run example.com/own workloads NAME"`},
		{"open " + dir[:len(dir)-1], "want the folder of a run"},
	} {
		got := byProgram(t, p, "", strings.Fields(c[0])...)
		said := got.out + got.err
		require.Contains(t, strings.Join(strings.Fields(said), " "), c[1], c[0])
		require.NotRegexp(t, `(^|["(]|[:;] )bench `, said, c[0])
	}
	require.Equal(t, "./own", invocation("./own"))
	require.Equal(t, "'/a b/own'", invocation("/a b/own"))
	require.Regexp(t, `^(go run |/tmp/go-build)`, invocation("/tmp/go-build1/b001/exe/own"))
}

// ownContestant is a scheduler of a program that calls Main.
func ownContestant(name string) harness.Contestant {
	return harness.Contestant{
		Name: name, Family: "a heap of the program", About: "made elsewhere",
		New: func(harness.Geometry) (schedulers.Scheduler[uint64], error) { return heapsched.New[uint64](), nil },
	}
}

func withOwn(t *testing.T, own []harness.Contestant, args ...string) outcome {
	t.Helper()
	return byProgram(t, Program{Contestants: own}, "", args...)
}

func ownContestants() []harness.Contestant {
	start := func(d time.Duration, f func()) (*time.Timer, error) { return time.AfterFunc(d, f), nil }
	return []harness.Contestant{ownContestant("mine"), {
		Name: "clockwork", Family: "timers of the program", About: "made elsewhere", // it has AfterFunc and Stop, and no scheduler
		Open: func(harness.Geometry) (live.Timers, error) { return live.Own[*time.Timer]{Start: start}, nil },
	}}
}

func TestContestantsOfTheProgramTakePart(t *testing.T) {
	own := ownContestants()
	withOwn(t, own, "list").ends(t, 0).says(t, "a heap of the program", "clockwork")
	got := withOwn(t, own, "verify", "--ops", "1000", "--contestants", "mine").ends(t, 0)
	require.Regexp(t, `(?m)^mine: \d+ rules kept, 0 broken, .* 1000 random operations`, got.out)
	withOwn(t, own, "verify", "--contestants", "clockwork").refused(t, "--contestants: clockwork: nothing to check without a scheduler")

	measuring := func(line string) outcome {
		return byProgram(t, Program{processes: true, Contestants: own}, "", append(strings.Fields(line), "--out", t.TempDir())...).ends(t, 0)
	}
	got = measuring("--quick --blocks 1 --experiments cost,burst,jitter,idle,live --pending 100 --burst 100 --ops pair,live-pair --contestants mine,clockwork,time.AfterFunc --tables")
	require.Regexp(t, `(?m)^ +pair +mine +100 `, got.out, "it has a row in the table")
	got.says(t, "clockwork")
	measuring("replay sub-ms --live --live-for 50ms --for 100ms --contestants mine,clockwork,hierwheel").says(t, "mine", "clockwork")
	bench(t, "--contestants", "mine").ends(t, exitUsage) // other programs do not have it
}

func TestARunSaysWhichRulesAnOwnSchedulerBreaks(t *testing.T) {
	args := []string{"--quick", "--experiments", "cost", "--pending", "10", "--ops", "pair", "--blocks", "1", "--contestants", "mine,hierwheel", "--data-only", "--out"}
	allocates := ownContestant("mine")
	allocates.New = func(g harness.Geometry) (schedulers.Scheduler[uint64], error) {
		return must.Get(catalog.Find([]string{catalog.ContainerHeap}))(t)[0].New(g)
	}
	dir := t.TempDir()
	withOwn(t, []harness.Contestant{allocates}, append(args, dir)...).ends(t, 0).complains(t, "mine breaks the rule no-allocations: ")
	card := withOwn(t, []harness.Contestant{allocates}, "plot", dir)
	require.Regexp(t, `YOUR OWN mine: .*breaks the rules? .*no-allocations`, strings.Join(strings.Fields(card.out), " "), "the card says so too")
	withOwn(t, []harness.Contestant{ownContestant("mine")}, append(args, t.TempDir())...).lacks(t, "breaks the rule")
}

// keeping cancels no more than a hundred timers.
type keeping struct {
	schedulers.Scheduler[uint64]
	cancelled int
}

func (k *keeping) Cancel(id schedulers.ID) bool {
	k.cancelled++
	return k.cancelled <= 100 && k.Scheduler.Cancel(id)
}

func TestVerifyEndsAtTheFirstDifferenceFromTheModel(t *testing.T) {
	keeps := ownContestant("mine")
	keeps.New = func(harness.Geometry) (schedulers.Scheduler[uint64], error) {
		return &keeping{Scheduler: heapsched.New[uint64]()}, nil
	}
	got := withOwn(t, []harness.Contestant{keeps}, "verify", "--contestants", "mine").ends(t, exitFailed)
	require.Regexp(t, `(?m)^mine: BROKEN model: .*Cancel`, got.out)
	require.Regexp(t, `(?m)^mine: \d+ rules kept, [1-9]\d* broken, .*; random operations compared with the model up to the first difference$`, got.out)
	got.lacks(t, "100000 random operations")
}

func TestTuneSaysWhichContestantsItCannotMeasure(t *testing.T) {
	own := ownContestants()
	withOwn(t, own, "tune", "heartbeat", "--explain", "mine").refused(t, "it has no driver")
	withOwn(t, own, "tune", "heartbeat", "--explain", "clockwork", "--tick", "1ms").refused(t, "clockwork is measured as it is")
	bench(t, "tune", "heartbeat", "--explain", "clockwork").ends(t, exitUsage) // other programs do not have it
}

func TestAContestantOfTheProgramNeedsANameOfItsOwn(t *testing.T) {
	for name, what := range map[string]string{
		"heapsched": "this module has one", "HeapSched": "this module has one", "netty": "this module has one", "akka": "this module has one",
		"time.AfterFunc": "this module has one", "empty": "a control", "mine-again": "want another ending: -again", "a b": "without a slash or a space",
	} {
		withOwn(t, []harness.Contestant{ownContestant(name)}, "list").ends(t, exitFailed).complains(t, "cli.Main: ", what)
	}
	withOwn(t, []harness.Contestant{ownContestant("mine"), ownContestant("mine"), ownContestant("kafka")}, "list").
		complains(t, "contestant mine is given twice", `"kafka"`) // all at once
}
