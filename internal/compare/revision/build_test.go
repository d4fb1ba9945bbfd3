package revision

import (
	"os"
	"os/exec"
	"path/filepath"
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
	c := must.Get(Find(t.Context(), dir))(t)

	both := []string{"heapsched", "hierwheel"}
	untouched := func() []string {
		return must.Get(c.Untouched(t.Context(), "HEAD", append(both, "nowhere")))(t)
	}
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

	same := must.Get(c.Same(t.Context(), "HEAD", "catalog"))(t)
	require.True(t, same)
	write("catalog/more.go", "package catalog\n")
	same = must.Get(c.Same(t.Context(), "HEAD", "catalog"))(t)
	require.False(t, same)
	require.NoError(t, os.Remove(filepath.Join(dir, "catalog", "more.go")))

	git("mv", "harness/tables/by profile.toml", "words/by profile.toml")
	require.Empty(t, untouched(), "what measures lacks a file")
	require.Equal(t, []string{"harness/tables/by profile.toml"}, must.Get(c.Measuring(t.Context(), "HEAD"))(t))
}

func TestWhatMeasuresIsThere(t *testing.T) {
	for _, folder := range measuring {
		require.DirExists(t, filepath.Join("..", "..", "..", folder))
	}
}
