package rundata

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/internal/must"
)

// repository makes a folder with files, and commits them.
func repository(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	dir = t.TempDir()
	for name, text := range files {
		put(t, filepath.Join(dir, name), text)
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"},
		{"-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "all"}} {
		out, ok := git(dir, args...)
		require.True(t, ok, "git %v: %s", args, out)
	}
	return dir
}

// put writes a file that was there an hour ago.
func put(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	at := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(path, at, at))
}

func headOf(t *testing.T, dir string) string {
	t.Helper()
	head, ok := git(dir, "rev-parse", "HEAD")
	require.True(t, ok)
	return head[:12]
}

// thisModule are files of a checkout of this module.
func thisModule() map[string]string {
	return map[string]string{"go.mod": "module schedbench\n\ngo 1.26.0\n", "harness/run.go": "package harness\n", "README.md": "...\n"}
}

func TestGitIsAskedForTheCommit(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(t *testing.T, dir string)
		want   string // after the revision
	}{
		{"nothing", func(*testing.T, string) {}, ""},
		{"a source", func(t *testing.T, dir string) { put(t, filepath.Join(dir, "harness/run.go"), "package other\n") }, modified},
		{"a new source", func(t *testing.T, dir string) { put(t, filepath.Join(dir, "harness/new.go"), "package harness\n") }, modified},
		{"a source removed", func(t *testing.T, dir string) { require.NoError(t, os.Remove(filepath.Join(dir, "harness/run.go"))) }, modified},
		{"a profile", func(t *testing.T, dir string) { put(t, filepath.Join(dir, "workload/p.toml"), "") }, modified},
		{"what is required", func(t *testing.T, dir string) { put(t, filepath.Join(dir, "go.sum"), "") }, modified},
		{"results, which are written meanwhile", func(t *testing.T, dir string) { put(t, filepath.Join(dir, "results/data/run.bench"), "") }, ""},
		{"words", func(t *testing.T, dir string) { put(t, filepath.Join(dir, "README.md"), "other words\n") }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := repository(t, thisModule())
			c.change(t, dir)
			require.Equal(t, headOf(t, dir)+c.want, commitOf(dir, time.Now()))
		})
	}
}

func TestACommitIsLeftOutThatIsNotKnown(t *testing.T) {
	t.Run("no checkout", func(t *testing.T) {
		dir := t.TempDir()
		put(t, filepath.Join(dir, "go.mod"), thisModule()["go.mod"])
		require.Empty(t, commitOf(dir, time.Now()))
	})
	t.Run("no folder", func(t *testing.T) { require.Empty(t, commitOf(filepath.Join(t.TempDir(), "none"), time.Now())) })
	t.Run("another module", func(t *testing.T) {
		require.Empty(t, commitOf(repository(t, map[string]string{"go.mod": "module schedbenches\n"}), time.Now()))
	})
	t.Run("a copy in a checkout of something else", func(t *testing.T) {
		dir := repository(t, map[string]string{"go.mod": "module other\n", "copy/go.mod": "module schedbench\n"})
		require.Empty(t, commitOf(filepath.Join(dir, "copy"), time.Now()))
	})
	t.Run("sources that are younger than the program", func(t *testing.T) {
		dir := repository(t, thisModule())
		require.NotEmpty(t, commitOf(dir, time.Now().Add(-time.Minute)))
		require.Empty(t, commitOf(dir, time.Now().Add(-2*time.Hour)))
	})
	t.Run("no git", func(t *testing.T) {
		dir := repository(t, thisModule())
		t.Setenv("PATH", t.TempDir())
		require.Empty(t, commitOf(dir, time.Now()))
	})
}

func TestGitIsNotToldOfAnotherRepository(t *testing.T) {
	dir, other := repository(t, thisModule()), repository(t, map[string]string{"a": "b"})
	t.Setenv("GIT_DIR", filepath.Join(other, ".git"))
	t.Setenv("GIT_WORK_TREE", other)
	require.Equal(t, headOf(t, dir), commitOf(dir, time.Now()))
	require.NotEqual(t, headOf(t, dir), headOf(t, other))
}

// TestTheCommitIsKnownWithoutTheToolchain asks for that of this test, of which the
// toolchain says as little as of what go run builds.
func TestTheCommitIsKnownWithoutTheToolchain(t *testing.T) {
	root := filepath.Join("..", "..")
	_, file, _, _ := runtime.Caller(0)
	if _, ok := git(root, "rev-parse", "HEAD"); !ok || !filepath.IsAbs(file) {
		t.Skip("not a checkout, or built without paths")
	}
	got := Get(Environment(), "commit")
	require.Equal(t, headOf(t, root), strings.TrimSuffix(got, modified))
}

func TestModulesOfThisCheckoutHaveItsCommit(t *testing.T) {
	for main, want := range map[string]bool{"schedbench": true, "schedbench/durable": true, "schedbenches": false, "example.com/schedbench": false, "": false} {
		require.Equal(t, want, isOurs(main), main)
	}
}

func TestABuildIsToldFromOthers(t *testing.T) {
	got := Get(Environment(), "build")
	require.Regexp(t, "^[0-9a-f]{12}$", got)
	require.Equal(t, got, findBuild(), "it is the same each time")
}

func TestNoPathOfTheMachineIsNoted(t *testing.T) {
	here := must.Get(os.Getwd())(t)
	program := must.Get(os.Executable())(t)
	for _, p := range Environment() {
		require.NotContains(t, p.Value, filepath.Dir(here), p.Key)
		require.NotContains(t, p.Value, filepath.Dir(program), p.Key)
	}
}
