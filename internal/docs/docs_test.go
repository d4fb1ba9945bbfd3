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

// shownAs is a page with a sample of a kind.
func shownAs(kind string, lines ...string) string {
	return "# A page\n\n<!-- output" + kind + ": bench list -->\n\n```text\n" + strings.Join(lines, "\n") + "\n```\n\nand more\n"
}

func checked(t *testing.T, text, printed string) error {
	t.Helper()
	return must.Get(parse("page.md", text))(t).check(func(command string) (string, error) {
		require.Equal(t, "bench list", command)
		return printed, nil
	})
}

// Other figures, units and contestants are no other form; words, labels, lines and columns are.
func TestCheckComparesForm(t *testing.T) {
	const now = "TAKE  hierwheel, without ticks: 3.1× (2.7× to 3.4×) as fast\n\n  pending  heapsched  hierwheel\n  ───────  ─────────  ─────────\n  1k       30 ns ±2%  1.2 µs ±11%\n"
	for name, c := range map[string]struct {
		have string
		fits bool
	}{
		"the same":          {now, true},
		"other figures":     {strings.NewReplacer("3.1×", "14×", "30 ns", "30.5 µs", "±11%", "±1%", "1k", "100k").Replace(now), true},
		"other widths":      {strings.NewReplacer("───────", "─────────", "1k   ", "1k        ").Replace(now), true},
		"another winner":    {strings.Replace(now, "TAKE  hierwheel", "TAKE  time.AfterFunc", 1), true},
		"other words":       {strings.Replace(now, "as fast", "as quick", 1), false},
		"another label":     {strings.Replace(now, "TAKE", "PICK", 1), false},
		"another head":      {strings.Replace(now, "pending", "waiting", 1), false},
		"a line too few":    {strings.Join(strings.Split(now, "\n")[:4], "\n"), false},
		"a line too many":   {now + "more\n", false},
		"a column too many": {strings.Replace(now, "30 ns ±2%", "30 ns ±2%  30 ns ±2%", 1), false},
	} {
		t.Run(name, func(t *testing.T) {
			err := checked(t, shownAs("", strings.Split(strings.TrimRight(c.have, "\n"), "\n")...), now)
			require.Equal(t, c.fits, err == nil, "%v", err)
		})
	}
}

// What differs is named with the file and the line of the sample.
func TestCheckSaysWhere(t *testing.T) {
	err := checked(t, shownAs("", "one", "two", "three"), "one\nfour\nthree\n")
	require.ErrorContains(t, err, "page.md:7: bench list prints\n    four\nand not\n    two\n")
	require.ErrorContains(t, checked(t, shownAs("", "one", "two"), "one\n"), "page.md:7: ")
	require.ErrorContains(t, checked(t, shownAs("", "one"), "one\ntwo\n"), "page.md:6: ")
}

// By labels, sentences may be others, and labels and heads may not.
func TestCheckOfLabels(t *testing.T) {
	const now = "PICK    hierwheel 5ms\n        which leaves much over\nPROOF   held\n\n  choice  CPU\n  ──────  ───\n  a       1 %\n"
	have := func(r ...string) []string {
		return strings.Split(strings.NewReplacer(r...).Replace(strings.TrimRight(now, "\n")), "\n")
	}
	require.NoError(t, checked(t, shownAs(" labels", have()...), now))
	require.NoError(t, checked(t, shownAs(" labels", have("held", "refuted: it is late by 3 ms", "        which leaves much over\n", "")...), now))
	require.Error(t, checked(t, shownAs(" labels", have("PROOF", "REFUTED")...), now))
	require.Error(t, checked(t, shownAs(" labels", have("PROOF   held\n", "")...), now))
	require.Error(t, checked(t, shownAs(" labels", have("CPU", "memory")...), now))
}

// What measures for long is not run to be checked, and only run if asked to.
func TestWhatMeasuresIsRunIfAskedTo(t *testing.T) {
	name := filepath.Join(t.TempDir(), "page.md")
	p := must.Get(parse(name, shownAs(" measured", "old")))(t)
	ran := 0
	output := func(string) (string, error) { ran++; return "new\n", nil }
	require.NoError(t, p.check(output))
	require.NoError(t, p.refresh(output, false))
	require.Zero(t, ran)
	require.NoError(t, p.refresh(output, true))
	require.Equal(t, 1, ran)
	require.Equal(t, shownAs(" measured", "new"), string(must.Get(os.ReadFile(name))(t)))
}

// Samples are replaced by what is printed, of any length, and nothing else changes; then the check finds no difference.
func TestSamplesAreReplaced(t *testing.T) {
	name := filepath.Join(t.TempDir(), "page.md")
	two := func(first, second string) string {
		return shownAs("", first) + "\n    <!-- output: in a block of code is none -->\n" + shownAs("", second)
	}
	p := must.Get(parse(name, strings.ReplaceAll(two("old", "older\nstill"), "    <!--", "text <!--")))(t)
	require.Len(t, p.examples, 2)
	require.NoError(t, p.refresh(func(string) (string, error) { return "\nnew  \nand longer\n\n", nil }, false))
	text := must.Get(os.ReadFile(name))(t)
	require.Equal(t, strings.ReplaceAll(two("new\nand longer", "new\nand longer"), "    <!--", "text <!--"), string(text))
}

// Comments that promise what is not there, and commands that fail, are errors.
func TestErrors(t *testing.T) {
	for _, text := range []string{
		"<!-- output: bench list -->\n\nno block\n",
		"<!-- output: bench list -->\n\n```\nno end\n",
		"<!-- output: bench list -->",
		"<!-- output fast: bench list -->\n\n```\n```\n",
	} {
		_, err := parse("page.md", text)
		require.ErrorContains(t, err, "page.md:1: ")
	}
	p := must.Get(parse(filepath.Join(t.TempDir(), "page.md"), shownAs("", "old")))(t)
	broken := func(string) (string, error) { return "", errors.New("status 2") }
	require.ErrorContains(t, p.check(broken), "status 2")
	require.ErrorContains(t, p.refresh(broken, false), "status 2")
	p = must.Get(parse("page.md", "```\n<!-- output: bench list -->\n```\n"))(t)
	require.Empty(t, p.examples, "an example of a comment is none")
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
