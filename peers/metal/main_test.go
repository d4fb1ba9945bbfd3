package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/internal/check"
	"schedbench/internal/lists"
	"schedbench/internal/must"
)

// absent finds only the programs that are named.
func absent(but ...string) func(string) (string, error) {
	return func(name string) (string, error) {
		return "/bin/" + name, check.That(slices.Contains(but, name), "not found")
	}
}

func TestTheCompilerIsThatOfTheEnvironmentOrCC(t *testing.T) {
	cc := must.Get(findCompiler("mycc -m64", absent("mycc", "cc")))(t)
	require.Equal(t, []string{"mycc", "-m64"}, cc.command)
	cc = must.Get(findCompiler(" ", absent("cc")))(t)
	require.Equal(t, []string{"cc"}, cc.command)
	_, err := findCompiler("", absent())
	require.ErrorIs(t, err, errNoCompiler)
	_, err = findCompiler("mycc", absent("cc"))
	require.ErrorContains(t, err, "mycc")
	require.NotErrorIs(t, err, errNoCompiler)
}

// A processor that the compiler cannot name is no reason not to measure; that it compiles nothing is.
func TestTheCompilerIsAskedForThisProcessorFirst(t *testing.T) {
	compiled(t) // there is one
	cc := &compiler{command: []string{"sh", "-c", `case "$*" in *native*) exit 1;; esac`, "cc"}}
	require.NoError(t, cc.build(t.Context(), t.TempDir()))
	require.NotContains(t, cc.flags, "-march=native")
	cc = &compiler{command: []string{"sh", "-c", "echo no such flag; exit 1", "cc"}}
	require.ErrorContains(t, cc.build(t.Context(), t.TempDir()), "no such flag")
}

func outcome(t *testing.T, env []string, args ...string) (out string, err error) {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(append(os.Environ(), asMetal+"=1"), env...)
	text, err := cmd.CombinedOutput()
	return string(text), err
}

func TestNothingIsMeasuredWithoutACompiler(t *testing.T) {
	require.Contains(t, must.Get(outcome(t, []string{"CC=", "PATH=" + t.TempDir()}))(t), "no C compiler was found")
}

func TestWrongFlagsAreRefused(t *testing.T) {
	for args, says := range map[string]string{
		"--pending 0":             "--pending 0, want 1 to 10000000",
		"--blocks 0":              "--blocks 0, want 1 to 1000",
		"--contestants nobody":    `unknown contestant "nobody"`,
		"--contestants listsched": "listsched is not measured",
		"--contestants netty":     "netty is not measured",
	} {
		out, err := outcome(t, nil, strings.Fields(args)...)
		require.Error(t, err, args)
		require.Contains(t, out, says, args)
	}
	out, err := outcome(t, []string{"CC=no-such-compiler"})
	require.Error(t, err)
	require.Contains(t, out, `CC is "no-such-compiler"`)
}

// TestAllOfItAtTinySizes runs processes of both sides, and judges again what they show.
func TestAllOfItAtTinySizes(t *testing.T) {
	compiled(t)
	dir := t.TempDir()
	out, err := outcome(t, nil, "--quick", "--contestants", "hierwheel,roundswheel", "--out", dir)
	require.NoError(t, err, out)
	for _, part := range []string{"hierwheel compared with C-hierarchical-256: pair with 1k pending, ", "roundswheel compared with C-hashed-512: ", "; run-out with 1k pending, "} {
		require.Contains(t, out, part)
	}
	again, err := outcome(t, nil, "--from", dir)
	require.NoError(t, err, again)
	require.True(t, strings.HasSuffix(out, again), "%s\n%s", out, again)
	data := must.Get(rundata.Load(filepath.Join(dir, "data")))(t)
	require.True(t, data.Complete)
	require.Len(t, data.Series, 2*4)
	require.NotEmpty(t, data.Env["c-compiler"])
}

func TestWhatTheCompilerSaysIsNothing(t *testing.T) {
	dir := compiled(t)
	cc := must.Get(findCompiler(os.Getenv("CC"), exec.LookPath))(t)
	for _, define := range wheels {
		out := must.Get(cc.run(t.Context(), dir, "-std=c11", "-O2", "-Wall", "-Wextra", define, "-o", program(dir, "warned"), filepath.Join("c", "main.c")))(t)
		require.Empty(t, string(out))
	}
}

func TestWhatAProcessPrintsIsRead(t *testing.T) {
	require.Equal(t, shown{net: 4.5, fired: 7, sum: 1<<64 - 1}, must.Get(parse("lap 5.5 1\nlap 4 3\nlap 9 2\nfired 7 18446744073709551615\n"))(t))
	for _, bad := range []string{
		"", "lap 1 1\n", "fired 1 1\n", "lap 1\nfired 1 1\n", "lap x 1\nfired 1 1\n", "lap 1 1\nfired -1 1\n",
		"lap 1 1 1\nfired 1 1\n", "leap 1 1\nfired 1 1\n", "lap 1 1\nfired 0 0\n",
	} {
		_, err := parse(bad)
		require.Error(t, err, bad)
	}
}

func TestWhoFiresSomethingElseIsFound(t *testing.T) {
	fires := func(name string, sum uint64) player {
		return player{name, func(context.Context, exercise) (shown, error) { return shown{1, 2, sum}, nil }}
	}
	x := exerciseOf(opPair, 3)
	require.NoError(t, agree(t.Context(), []player{fires("right", 5), fires("alike", 5)}, x))
	err := agree(t.Context(), []player{fires("right", 5), fires("wrong", 6)}, x)
	require.ErrorContains(t, err, "of right 2 with the sum 5, of wrong 2 with the sum 6")
}

func TestTheProgramInCRefusesWhatItCannotDo(t *testing.T) {
	p := inC("hierwheel", compiled(t))
	for _, x := range []exercise{{op: "nothing", pending: 1, count: 1}, {op: opPair, pending: -1, count: 1}, {op: opPair, pending: 1 << 40}} {
		_, err := p.do(t.Context(), x)
		require.ErrorContains(t, err, "exit status 2", x.String())
	}
}

func exerciseOf(op string, seed uint64) exercise {
	x := exercise{op: op, pending: 300, count: 2000, laps: 2, seed: seed}
	if op == opRunOut {
		x.count = 2
	}
	return x
}

// TestAllFireTheSame holds schedulers and wheels in C to each other, without which a ratio means nothing.
func TestAllFireTheSame(t *testing.T) {
	schedulers := lists.Each(named(t, catalog.ContainerHeap, catalog.Hier, catalog.Rounds, catalog.Single, catalog.Heap), inGo)
	for _, op := range operations {
		require.NoError(t, agree(t.Context(), schedulers, exerciseOf(op, 7)))
	}
	dir := compiled(t)
	for _, op := range operations {
		for seed := range uint64(3) {
			players := []player{schedulers[0], inC(catalog.Hier, dir), inC(catalog.Rounds, dir)}
			require.NoError(t, agree(t.Context(), players, exerciseOf(op, seed)))
		}
	}
}

// A different seed is a different exercise, or a sum that agrees would mean nothing.
func TestSumsTellExercisesApart(t *testing.T) {
	sums := map[uint64]bool{}
	for _, op := range operations {
		for seed := range uint64(5) {
			shown := must.Get(inGo(named(t, catalog.Heap)[0]).do(t.Context(), exerciseOf(op, seed)))(t)
			sums[shown.sum] = true
		}
	}
	require.Len(t, sums, 5*(len(operations)-1)+1, "all timers that are put off are due in the last hour")
}

// The loop alone leaves no trace: what is done next is what would have been done.
func TestTheLoopAloneChangesNothing(t *testing.T) {
	for _, op := range operations {
		s := must.Get(named(t, catalog.Hier)[0].New(geometry))(t)
		g := newGoSide(exerciseOf(op, 1), s)
		require.NoError(t, g.warmUp())
		ids, now, fired := slices.Clone(g.ids), g.now, g.fired
		must.Get(g.alone())(t)
		require.Equal(t, fmt.Sprint(ids, now, fired), fmt.Sprint(g.ids, g.now, g.fired), op)
		require.Same(t, s, g.s)
	}
}

const asMetal = "METAL_OF_TESTS" // has the program of the tests be the command: it starts itself for each block

func TestMain(m *testing.M) {
	if os.Getenv(asMetal) != "" {
		main()
	}
	status := m.Run()
	if dir, _ := programs(); dir != "" {
		os.RemoveAll(dir)
	}
	os.Exit(status)
}

// programs compiles the programs in C, once, and returns their folder.
var programs = sync.OnceValues(func() (dir string, err error) {
	cc, err := findCompiler(os.Getenv("CC"), exec.LookPath)
	if err != nil {
		return "", err
	}
	if dir, err = os.MkdirTemp("", "metal"); err != nil {
		return "", err
	}
	return dir, cc.build(context.Background(), dir)
})

// compiled returns the folder of the programs in C, or skips the test.
func compiled(t *testing.T) string {
	t.Helper()
	dir, err := programs()
	if errors.Is(err, errNoCompiler) {
		t.Skip(err)
	}
	require.NoError(t, err)
	return dir
}

func named(t *testing.T, names ...string) []harness.Contestant {
	t.Helper()
	return must.Get(contestants(names))(t)
}
