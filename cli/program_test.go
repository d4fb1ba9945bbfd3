package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/harness"
)

type ownCommand struct {
	Times int `default:"1"`
	Out   string
}

func (c *ownCommand) Run(ctx context.Context, w io.Writer, measure Measure) error {
	fmt.Fprint(w, "asked ", c.Times, " times")
	if c.Out == "" {
		return ctx.Err()
	}
	plan, err := (&planFlags{Quick: true, Experiments: []string{"cost"}, Ops: []string{"pair"}, Contestants: []string{"heapsched"}, Pending: []number{100}}).plan(nil)
	if err != nil {
		return err
	}
	_, dir, err := measure(plan, c.Out, "ask")
	fmt.Fprint(w, "measured into ", dir)
	return err
}

func TestAProgramHasCommandsOfItsOwn(t *testing.T) {
	p := Program{Commands: []Command{{Name: "ask", Help: "Ask.", Flags: &ownCommand{}}}}
	require.Equal(t, "asked 3 times", byProgram(t, p, "", "ask", "--times", "3").ends(t, 0).out)

	dir := t.TempDir()
	require.Contains(t, byProgram(t, p, "", "ask", "--out", dir).ends(t, 0).out, "measured into "+dir)
	require.FileExists(t, filepath.Join(dir, dataDir, "run.bench"))

	byProgram(t, p, "", "--help").ends(t, 0).says(t, "Ask.", "verify")

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
		{"workloads --no-charts", `"go run example.com/own workloads NAME"`},
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
