package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/internal/must"
)

// shownAs is a page with a sample.
func shownAs(lines ...string) string {
	return "# A page\n\n<!-- output: bench list -->\n\n```text\n" + strings.Join(lines, "\n") + "\n```\n\nand more\n"
}

// Samples are replaced by what is printed, of any length, and nothing else changes.
func TestSamplesAreReplaced(t *testing.T) {
	two := func(first, second string) string {
		return shownAs(first) + "\ntext <!-- output: in a text is none -->\n```\na block\n```\n" + shownAs(second)
	}
	output := func(command string) (string, error) {
		require.Equal(t, "bench list", command)
		return "\nnew  \nand longer\n\n", nil
	}
	page, samples, err := fresh("page.md", two("old", "older\nstill"), output)
	require.NoError(t, err)
	require.Equal(t, 2, samples)
	require.Equal(t, two("new\nand longer", "new\nand longer"), page)
}

// Comments that promise what is not there, and commands that fail, are errors.
func TestErrors(t *testing.T) {
	broken := func(string) (string, error) { return "", errors.New("status 2") }
	for _, text := range []string{
		"<!-- output: bench list -->\n\nno block\n",
		"<!-- output: bench list -->\n\n```\nno end\n",
		"<!-- output: bench list -->",
	} {
		_, _, err := fresh("page.md", text, broken)
		require.ErrorContains(t, err, "page.md: 1 comments have no fenced block")
	}
	_, _, err := fresh("page.md", shownAs("old"), broken)
	require.ErrorContains(t, err, "page.md: bench list: status 2")
}

// A command that fails before a pipe fails, and so does one that prints nothing.
func TestPipesDoNotHideFailures(t *testing.T) {
	s := &shell{t.TempDir()}
	if _, err := s.output("true"); err != nil && strings.Contains(err.Error(), "executable file not found") {
		t.Skip("there is no bash")
	}
	require.Equal(t, "one\nthree\n", must.Get(s.output("echo one; echo two | sed s/two/three/"))(t))
	_, err := s.output("(echo; exit 3) | cat")
	require.ErrorContains(t, err, "exit status 3")
	_, err = s.output("printf '\\n'")
	require.ErrorContains(t, err, "prints nothing")
}

// The index has every page and every decision.
func TestTheIndexIsComplete(t *testing.T) {
	dir := filepath.Join("..", "..", "docs")
	index := must.Get(os.ReadFile(filepath.Join(dir, "README.md")))(t)
	for _, pattern := range []string{"*.md", "decisions/*.md"} {
		found := must.Get(filepath.Glob(filepath.Join(dir, pattern)))(t)
		require.NotEmpty(t, found)
		for _, name := range found {
			link := must.Get(filepath.Rel(dir, name))(t)
			if link != "README.md" {
				require.Contains(t, string(index), "("+filepath.ToSlash(link)+")")
			}
		}
	}
}
