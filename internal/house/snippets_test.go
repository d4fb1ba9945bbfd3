package house

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// snippet is what a text shows of Go.
var snippet = regexp.MustCompile("(?ms)^```go\n(.*?)^```$")

// documents returns the texts that show Go to whoever comes to the project.
func documents(t *testing.T, root string) (files []string) {
	t.Helper()
	for _, pattern := range []string{"*.md", "docs/*.md", "examples/*/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		require.NoError(t, err)
		files = append(files, found...)
	}
	return files
}

// What a text shows of Go compiles as it stands, imports and all, in a module that finds this
// one as the text says: by require and replace.
func TestTheGoInTextsCompiles(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	dir, count := t.TempDir(), 0
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	}
	for _, file := range documents(t, root) {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for i, found := range snippet.FindAllStringSubmatch(string(text), -1) {
			code, name := found[1], "snippet.go"
			if strings.Contains(code, "testing.T)") {
				name = "snippet_test.go"
			}
			relative, err := filepath.Rel(root, file)
			require.NoError(t, err)
			require.Regexp(t, `(?m)^package `, code, "%s: the %d. block of go is no file: want one with its package and its imports", relative, i+1)
			write(filepath.Join(strings.NewReplacer("/", "_", ".md", "").Replace(relative)+fmt.Sprint("_", i+1), name), code)
			count++
		}
	}
	require.NotZero(t, count)

	const own = "example.com/ownscheduler"
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	require.NoError(t, err)
	write("go.sum", string(sums))
	write("go.mod", fmt.Sprintf("module snippets\n\ngo 1.26.0\n\nrequire (\n\t%s v0.0.0\n\t%s v0.0.0\n)\n\nreplace (\n\t%s => %s\n\t%s => %s\n)\n",
		module, own, module, root, own, filepath.Join(root, "examples", "ownscheduler")))
	vet := exec.Command("go", "vet", "-mod=mod", "./...")
	vet.Dir = dir
	out, err := vet.CombinedOutput()
	require.NoError(t, err, "%s", out)
}
