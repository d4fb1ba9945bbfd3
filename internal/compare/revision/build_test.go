package revision

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/internal/must"
)

func TestUntouchedIsWhatNoChangeReaches(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	git := func(args ...string) {
		cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
	}
	write("go.mod", "module schedbench\n\ngo 1.26\n")
	for name, imports := range map[string]string{
		"heapsched": "", "internal/ticks": "", "catalog": "", "cli": "", "words": "", "hierwheel": `import _ "schedbench/internal/ticks"`,
		"harness": "", "harness/experiments": `import _ "schedbench/heapsched"; import _ "schedbench/harness"`,
	} {
		write(name+"/x.go", "package "+filepath.Base(name)+"\n\n"+imports+"\n")
	}
	write("harness/tables/by profile.toml", "a = 1\nb = 2\nc = 3\n")
	git("init", "--quiet")
	git("add", "-A")
	git("commit", "--quiet", "-m", "change")
	both := []string{"heapsched", "hierwheel"}
	found := func() Checkout { return must.Get(Find(t.Context(), dir, "HEAD"))(t) }
	untouched := func() []string { return must.Get(found().Untouched(t.Context(), append(both, "nowhere")))(t) }
	for _, step := range []struct {
		changed string
		same    []string
	}{
		{"words/more.go", both},
		{"heapsched/words.md", both},
		{"hierwheel/add_amd64.s", both[:1]},
		{"hierwheel/two words.go", both[:1]},
		{"cli/more.go", nil},
		{"harness/tables/two words.toml", nil},
		{"hierwheel/x_test.go", both},
		{"heapsched/more.go", both[1:]}, // also what measures imports it
		{"internal/ticks/more.go", both[:1]},
		{"catalog/more.go", nil},
		{"harness/more.go", nil},
	} {
		write(step.changed, "package "+filepath.Base(filepath.Dir(step.changed))+"\n")
		require.ElementsMatch(t, step.same, untouched(), step.changed)
		require.NoError(t, os.Remove(filepath.Join(dir, step.changed)))
	}
	write("go.mod", "module schedbench\n\ngo 1.25\n")
	require.Empty(t, untouched())
	git("checkout", "--quiet", "go.mod")
	require.Equal(t, both, untouched())

	for text, same := range map[string][]string{
		"// Package harness has a comment.\npackage harness\n\n\t// and more\n//\n": both,
		"package harness\n\n//go:generate more\n":                                   nil,
		"package harness\n\n// F does more.\nfunc F() {}\n":                         nil,
		"": nil,
	} {
		write("harness/x.go", text)
		require.Equal(t, same, untouched(), text)
		require.Equal(t, same == nil, slices.Equal(found().Changed, []string{"harness/x.go"}), text)
	}
	line := "package harness\n\nconst text = `\n// %s line\n`\n"
	write("harness/x.go", fmt.Sprintf(line, "a"))
	git("commit", "--quiet", "-am", "change")
	write("harness/x.go", fmt.Sprintf(line, "another"))
	require.Equal(t, []string{"harness/x.go"}, found().Changed, "a line of a string is no comment")
	git("checkout", "--quiet", "harness/x.go")

	git("mv", "harness/tables/by profile.toml", "words/by profile.toml")
	require.Empty(t, untouched(), "what measures lacks a file")
	require.Equal(t, []string{"harness/tables/by profile.toml"}, found().Measuring())
}

func TestWhatMeasuresIsThere(t *testing.T) {
	for _, folder := range measuring {
		require.DirExists(t, filepath.Join("..", "..", "..", folder))
	}
}

// turns returns a measurement whose processes write a run, and the list of those that have run.
func turns(t *testing.T, out string, pairs int) (*Turns, *[]string) {
	t.Helper()
	ran := &[]string{}
	return &Turns{
		Out: out, Pairs: pairs, About: "this\n", Progress: func(int, int, Process) {},
		Run: func(_ context.Context, p Process) error {
			*ran = append(*ran, filepath.Base(p.Dir))
			writeRun(t, p.Dir, "true")
			return nil
		},
	}, ran
}

func writeRun(t *testing.T, dir, complete string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "data"), 0o755))
	for name, text := range map[string]string{
		"run.bench":    "# plan: 1\n# order: one\n# complete: " + complete + "\n",
		"one.bench.gz": "BenchmarkCost/op=pair/impl=hierwheel 1 20 ns/op\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "data", name), []byte(text), 0o644))
	}
}

func TestWhoComesFirstAlternates(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	m, ran := turns(t, out, 3)
	found := must.Get(m.Measure(t.Context(), "data"))(t)
	require.Equal(t, []string{"old-1", "new-1", "new-2", "old-2", "old-3", "new-3"}, *ran)
	require.Len(t, found[0], 3)
	require.Len(t, found[1], 3)
	require.Equal(t, []string{filepath.Join(out, "new-1"), filepath.Join(out, "new-2"), filepath.Join(out, "new-3")}, m.Dirs(1))
}

// A process that did not come to its end is no block; what did is measured once.
func TestWhatIsNotCompleteIsMeasuredAnew(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	m, ran := turns(t, out, 2)
	run := m.Run
	fails := errors.New("it fails")
	m.Run = func(ctx context.Context, p Process) error {
		if p.Pair == 1 {
			writeRun(t, p.Dir, "false")
			return fails
		}
		return run(ctx, p)
	}
	_, err := m.Measure(t.Context(), "data")
	require.ErrorIs(t, err, fails)
	require.Equal(t, []string{"old-1", "new-1"}, *ran)

	require.NoError(t, os.WriteFile(filepath.Join(out, "new-2", "data", "left"), nil, 0o644))
	m, ran = turns(t, out, 2)
	must.Get(m.Measure(t.Context(), "data"))(t)
	require.Equal(t, []string{"new-2", "old-2"}, *ran)
	require.NoFileExists(t, filepath.Join(out, "new-2", "data", "left"))
}

func TestAFolderOfSomethingElseIsLeftAlone(t *testing.T) {
	out := t.TempDir() // which is as good as none
	m, _ := turns(t, out, 1)
	must.Get(m.Measure(t.Context(), "data"))(t)
	m.About = "that\n"
	_, err := m.Measure(t.Context(), "data")
	require.ErrorIs(t, err, ErrOther)
	require.ErrorContains(t, err, "says\nthis\nthis comparison is\nthat")

	full := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(full, "precious"), nil, 0o644))
	require.ErrorIs(t, Check(full), ErrOther)
	require.FileExists(t, filepath.Join(full, "precious"))
}

func TestAProgramThatFailsIsQuoted(t *testing.T) {
	dir := t.TempDir()
	b := Build{Path: filepath.Join(dir, "missing"), Commit: "0123"}
	err := Command([2]Build{b, b}, nil)(t.Context(), Process{Dir: filepath.Join(dir, "old-1")})
	require.ErrorContains(t, err, "0123: ")
	require.FileExists(t, filepath.Join(dir, "old-1.log"))
	_, err = b.Flags(t.Context())
	require.ErrorContains(t, err, "0123 does not say what flags it knows")
}
