package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/harness/rundata"
	"schedbench/internal/must"
)

// checkout makes a checkout of a module with a command bench, which says that hierwheel
// takes 20 ns. It is where the test then is.
func checkout(t *testing.T) (dir string, write func(name, text string)) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	program := must.Get(os.ReadFile(filepath.Join("testdata", "otherbench", "main.go.txt")))(t)
	buildsOnce(t)
	dir = t.TempDir()
	t.Chdir(dir)
	write = func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	}
	write("go.mod", "module schedbench\n\ngo 1.26\n")
	write(".gitignore", "/out*\n")
	write("cmd/bench/main.go", string(program))
	takes(write, 20)
	git(t, "init", "--quiet")
	commitAll(t)
	return dir, write
}

// buildsOnce puts a go command first that builds each program once, and without -trimpath, for which the standard library
// would be compiled a second time. .ci/smoke compares what -trimpath builds.
func buildsOnce(t *testing.T) {
	t.Helper()
	tool := must.Get(exec.LookPath("go"))(t)
	bin := t.TempDir()
	text := fmt.Sprintf(`#!/bin/sh
[ "$1" = build ] || exec %[1]s "$@"
built=%[2]s/$(cat cmd/bench/*.go | cksum | tr ' ' -)
[ -f "$built" ] || %[1]s build -o "$built" "$5" || exit 1
exec cp "$built" "$4"
`, tool, bin)
	require.NoError(t, os.WriteFile(filepath.Join(bin, "go"), []byte(text), 0o755))
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// takes has the working tree's hierwheel take some nanoseconds.
func takes(write func(name, text string), ns int) {
	write("cmd/bench/speed.go", fmt.Sprintf("package main\n\nconst hierwheel = %d.0\n", ns))
}

func git(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b"}, args...)...).CombinedOutput()
	require.NoError(t, err, string(out))
	return string(out)
}

func commitAll(t *testing.T) {
	t.Helper()
	git(t, "add", "-A")
	git(t, "commit", "--quiet", "-m", "change")
}

func TestARevisionIsComparedWithTheWorkingTree(t *testing.T) {
	dir, write := checkout(t)
	out := filepath.Join(dir, "out")
	same := bench(t, "compare", "--rev", "HEAD", "--pairs", "4", "--out", "out-same").ends(t, 0)
	require.Contains(t, same.out, "HEAD and the working tree are the same program: nothing to measure.")
	require.NotContains(t, same.out, "What measures differs too")

	takes(write, 26)
	write("harness/cost.go", "package harness\n")
	git(t, "add", "-A")
	args := []string{"compare", "--rev", "HEAD", "--pairs", "4", "--out", out}
	benchUntil(t, "[4/8]", args...).complains(t, "interrupted: what was measured is kept in "+out+"; the same command with --out "+out+" goes on from there")
	require.Equal(t, 1, strings.Count(git(t, "worktree", "list"), "\n"), "what was checked out aside is gone")

	got := bench(t, args...).ends(t, exitWorse)
	require.NotContains(t, got.err, "[3/8]", "what was measured is kept")
	require.Contains(t, got.err, "[4/8] pair 2, OLD\n[5/8] pair 3, OLD\n[6/8] pair 3, NEW\n[7/8] pair 4, NEW\n", "who comes first alternates")
	got.says(t, "OLD is HEAD (", "What measures differs too (harness/cost.go): ", "\nWORSE         Cost/op=pair/impl=hierwheel/pending=1000 1.3")
	require.NotContains(t, got.out, "are the same program")
	require.Equal(t, 1, strings.Count(git(t, "worktree", "list"), "\n"))

	run := loaded(t, filepath.Join(out, "new-4"))
	require.Equal(t, "--experiments=cost --pending=1000,100000 --seed=1 --out "+filepath.Join(out, "new-4"), run.Env["command"], "no flag that it does not know")
	for _, side := range []string{"old", "new"} {
		require.Len(t, loaded(t, filepath.Join(out, side)).Series[0].Blocks(rundata.NsPerOp), 4)
	}

	more := bench(t, "compare", "--rev", "HEAD", "--pairs", "5", "--out", out).ends(t, exitWorse)
	require.Contains(t, more.err, "[9/10] pair 5, OLD", "more of them, of the same")
	require.NotContains(t, more.err, "pair 4")

	takes(write, 27)
	bench(t, args...).refused(t, "--out: the folder holds something else: "+filepath.Join(out, "about.txt")+" says")
}

func TestWhatCannotBeBuiltOrMeasuredIsSaid(t *testing.T) {
	_, write := checkout(t)
	refused := func(reason string, args ...string) {
		t.Helper()
		bench(t, append([]string{"compare"}, args...)...).refused(t, reason)
		require.Equal(t, 1, strings.Count(git(t, "worktree", "list"), "\n"))
	}
	refused(`git knows no revision "nowhere"`, "--rev", "nowhere", "--out", "out1")
	refused("--rev measures both itself", "--rev", "HEAD", "out1", "out2")
	refused("--pending 9 has no effect without --rev", "out1", "out2", "--pending", "9")
	takes(write, 26) // else there is nothing to measure
	refused("HEAD does not know --goroutines", "--rev", "HEAD", "--experiments", "parallel", "--goroutines", "2", "--out", "out2")
	refused(`--pending: "-1", want a whole number from 1 to 100M`, "--rev", "HEAD", "--pending=-1", "--out", "out3")
	write("kept/by.txt", "somebody\n")
	refused("there is no about.txt in ", "--rev", "HEAD", "--out", "kept")

	write("cmd/bench/speed.go", "package main\n\nconst hierwheel = nothing\n")
	refused("the working tree cannot be built", "--rev", "HEAD", "--out", "out4")
	commitAll(t)
	takes(write, 20)
	refused("cannot be built: exit status 1", "--rev", "HEAD", "--out", "out5")

	t.Chdir(t.TempDir())
	bench(t, "compare", "--rev", "HEAD").refused(t, "is not in a checkout of module schedbench")
}
