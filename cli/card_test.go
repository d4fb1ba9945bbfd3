package cli

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/harness/blocks"
	"schedbench/harness/rundata"
	"schedbench/internal/must"
	"schedbench/internal/report"
	"schedbench/internal/report/card"
	"schedbench/internal/tune"
	"schedbench/workload"
)

// understood fails unless a command line is one that this program knows, and would measure.
func understood(t *testing.T, line string) {
	t.Helper()
	if help, ok := strings.CutSuffix(line, " --help"); ok {
		bench(t, append(strings.Fields(help)[1:], "--help")...).ends(t, 0)
		return
	}
	words := strings.Fields(line)
	require.Equal(t, "bench", words[0], line)
	var c cli
	_, err := must.Get(parserOf(&c, io.Discard, io.Discard, func(int) { t.Error(line) }))(t).Parse(words[1:])
	require.NoError(t, err, line)
	if c.Run.group = c.Run.Only; len(c.Replay.Workloads) > 0 {
		return
	}
	for _, name := range c.Run.Profiles {
		name, _, _ = strings.Cut(name, "@")
		must.Get(workload.Find(name))(t)
	}
	c.Run.Profiles = oneWorkload // TestEverySizeIsAPlanOfAllContestants reads the usual ones
	plan, err := c.Run.plan(nil)
	require.NoError(t, err, line)
	plan.Start = func(context.Context, blocks.Order) *exec.Cmd { return nil } // or nothing is paused
	require.NotEmpty(t, plan.Cells(), line)
}

// The commands that a card prints are understood, and would measure something: those of the published run, and of parts of it
// that other commands had measured.
func TestCommandsOfCardsAreUnderstood(t *testing.T) {
	t.Parallel()
	all := must.Get(rundata.Load(filepath.Join("..", published, dataDir)))(t)
	n, seen, digits := 0, map[string]bool{}, regexp.MustCompile(`[0-9]+`)
	for _, experiments := range [][]string{
		rundata.ExperimentNames(), nil, {rundata.Cost}, {rundata.Jitter, rundata.Live}, {rundata.Idle}, {rundata.Profiles}, {rundata.Parallel},
	} {
		d := *all
		d.Env, d.Series = maps.Clone(all.Env), nil
		d.Env["command"] = "bench"
		for _, e := range experiments {
			d.Series = append(d.Series, all.Select(e)...)
		}
		// With so small a margin much is unclear.
		r := report.Judge(&d, report.Options{Requirement: tune.Requirements{Lateness: 20e6, CPU: 0.02}, Margin: 1.0001})
		for _, open := range r.Card().Open {
			n++
			if like := digits.ReplaceAllString(open.Command, "1"); !seen[like] {
				understood(t, open.Command)
				seen[like] = true
			}
		}
	}
	require.Greater(t, n, 10)
}

func TestFactsAreAllThatIsPrintedIfAskedFor(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	got := bench(t, costRun("--json", "--out", dir)...).ends(t, 0)
	var c card.Card
	require.NoError(t, json.Unmarshal([]byte(got.out), &c))
	require.Equal(t, card.Schema, c.Schema)
	require.Equal(t, []string{"pair", "reset", "insert"}, c.Worst.Columns)
	require.True(t, c.Run.Complete)
	again := bench(t, "plot", "--json", dir)
	require.Equal(t, got.out, again.out)
}

// places stand for what a command is printed with: verbs of formats, and words such as DIR.
var places = regexp.MustCompile(`%[a-z]|\b[A-Z]+\b`)

// parses returns what is wrong with a command line, whatever stands in its places, or which flag has no effect.
func parses(line string) (err error) {
	line = strings.ReplaceAll(line, "%d", "12")
	parser, failed := parserOf(&cli{}, io.Discard, io.Discard, func(int) {})
	if failed != nil {
		return failed
	}
	for _, with := range []string{"12", "12ms", "cost", ""} {
		words := strings.Fields(places.ReplaceAllString(line, with))
		parsed, failed := parser.Parse(words)
		if err = failed; err == nil {
			return checkEffects(parsed)
		}
		if _, err := parser.Parse(append(words, "12")); err == nil { // what follows is added when it is printed
			return nil
		}
	}
	return err
}

// documented are commands in Markdown: a line of a code block, up to what explains it, or in backquotes.
var documented = regexp.MustCompile("(?m)(?:^(?: {4}|\\t)?(?:\\$ |\\./)?|`)(?:bench|go run \\./cmd/bench|go tool bench)((?: [^\\s`#|>&()]+)*)")

// Every command in the documentation is one, too. A command of the go tool has its packages before flags of tests.
func TestDocumentedCommandsAreCommands(t *testing.T) {
	t.Parallel()
	count, tests := 0, regexp.MustCompile(`go test( [^`+"`"+`\n|>]*)`)
	files := must.Get(filepath.Glob("../*.md"))(t)
	more := must.Get(filepath.Glob("../[drewc]*/*.md"))(t)
	for _, path := range append(files, more...) {
		text := strings.ReplaceAll(textOf(t, path), "\\\n", " ")
		for _, found := range documented.FindAllStringSubmatch(text, -1) {
			line, _, _ := strings.Cut(found[1], "  ")
			line = strings.TrimSpace(strings.ReplaceAll(line, "COMMAND", "list"))
			count++
			if err := parses(line); err != nil && !slices.Contains([]string{"merge", "trace convert"}, line) { // these are names
				t.Errorf("%s: bench %s: %v", path, line, err)
			}
		}
		for _, found := range tests.FindAllStringSubmatch(text, -1) {
			if own, pkg := strings.Index(found[1], " -whole"), strings.Index(found[1], " ./"); own >= 0 && own < pkg {
				t.Errorf("%s: go test%s: a flag of the test before the package", path, found[1])
			}
		}
	}
	require.Greater(t, count, 40, "commands were found")
}

// A run with wrong answers is shown and kept whole, and the exit status is that of a failure.
func TestPlotOfWrongAnswersFails(t *testing.T) {
	t.Parallel()
	dir, wrong, right := t.TempDir(), false, regexp.MustCompile(`(?m)^Benchmark.*impl=hierwheel/.* 0 lost`)
	for _, pattern := range []string{"run.bench", "jitter.*"} {
		for _, from := range must.Get(filepath.Glob(filepath.Join("..", published, dataDir, pattern)))(t) {
			text := string(must.Get(rundata.ReadText(from))(t))
			if line := right.FindString(text); line != "" && !wrong {
				text, wrong = strings.Replace(text, line, strings.TrimSuffix(line, "0 lost")+"3 lost", 1), true
			}
			put(t, filepath.Join(dir, dataDir, filepath.Base(from)), text)
		}
	}
	require.True(t, wrong, "an answer was changed")
	for _, flags := range [][]string{nil, {"--json"}, {"--readme"}} {
		got := bench(t, append(append([]string{"plot"}, flags...), dir)...).ends(t, exitFailed)
		require.Contains(t, got.err, "answers were wrong: hierwheel lost 3 timers", flags)
		if flags == nil {
			require.Contains(t, got.out, "WRONG         hierwheel lost 3 timers: do not take it")
		} else if flags[0] == "--json" {
			require.Contains(t, got.out, `"lost": 3`)
		}
	}
	for _, name := range []string{reportFile, answersFile, pageFile, "README.md"} {
		require.FileExists(t, filepath.Join(dir, name))
	}
}
