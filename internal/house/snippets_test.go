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

	"schedbench/internal/must"
)

// snippet is what a text shows of Go.
var snippet = regexp.MustCompile("(?ms)^```go\n(.*?)^```$")

// documents returns the texts that show Go to whoever comes to the project.
func documents(t *testing.T, root string) (files []string) {
	t.Helper()
	for _, pattern := range []string{"*.md", "docs/*.md", "examples/*/*.md"} {
		files = append(files, must.Get(filepath.Glob(filepath.Join(root, pattern)))(t)...)
	}
	return files
}

// What a text shows of Go compiles as it stands, imports and all, in a module that finds this
// one as the text says: by require and replace.
func TestTheGoInTextsCompiles(t *testing.T) {
	root := must.Get(filepath.Abs(filepath.Join("..", "..")))(t)
	dir, count := t.TempDir(), 0
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	}
	for _, file := range documents(t, root) {
		text := must.Get(os.ReadFile(file))(t)
		for i, found := range snippet.FindAllStringSubmatch(string(text), -1) {
			code, name := found[1], "snippet.go"
			if strings.Contains(code, "testing.T)") {
				name = "snippet_test.go"
			}
			relative := must.Get(filepath.Rel(root, file))(t)
			require.Regexp(t, `(?m)^package `, code, "%s: the %d. block of go is no file: want one with its package and its imports", relative, i+1)
			write(filepath.Join(strings.NewReplacer("/", "_", ".md", "").Replace(relative)+fmt.Sprint("_", i+1), name), code)
			count++
		}
	}
	require.NotZero(t, count)

	const own = "example.com/ownscheduler"
	write("go.sum", string(must.Get(os.ReadFile(filepath.Join(root, "go.sum")))(t)))
	write("go.mod", fmt.Sprintf("module snippets\n\ngo 1.26.0\n\nrequire (\n\t%s v0.0.0\n\t%s v0.0.0\n)\n\nreplace (\n\t%s => %s\n\t%s => %s\n)\n",
		module, own, module, root, own, filepath.Join(root, "examples", "ownscheduler")))
	vet := exec.Command("go", "vet", "-mod=mod", "./...")
	vet.Dir = dir
	out, err := vet.CombinedOutput()
	require.NoError(t, err, "%s", out)
}
