package cli

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/harness/blocks"
	"schedbench/harness/rundata"
	"schedbench/internal/must"
	"schedbench/internal/report"
	"schedbench/internal/report/card"
	"schedbench/workload"
)

// understood fails unless a command line is one that this program knows, and would measure.
func understood(t *testing.T, line string) {
	t.Helper()
	if help, ok := strings.CutSuffix(line, " --help"); ok {
		bench(t, append(strings.Fields(help)[1:], "--help")...).ends(t, 0)
		return
	}
	c := parsed(t, line)
	if c.Run.group = c.Run.Only; len(c.Replay.Workloads) > 0 {
		return
	}
	for _, name := range c.Run.Profiles {
		name, _, _ = strings.Cut(name, "@")
		_, err := workload.Find(name)
		require.NoError(t, err, line)
	}
	c.Run.Profiles = oneWorkload // TestEverySizeIsAPlanOfAllContestants reads the usual ones
	plan, err := c.Run.plan(nil)
	require.NoError(t, err, line)
	plan.Start = func(context.Context, blocks.Order) *exec.Cmd { return nil } // or nothing is paused
	require.NotEmpty(t, plan.Cells(), line)
}

// parsed reads a command line that begins with the name of the program.
func parsed(t *testing.T, line string) *cli {
	t.Helper()
	words := strings.Fields(line)
	require.Equal(t, "bench", words[0], line)
	var c cli
	_, err := must.Get(parserOf(&c, io.Discard, io.Discard, func(int) { t.Error(line) }))(t).Parse(words[1:])
	require.NoError(t, err, line)
	return &c
}

// publishedData loads the published run, once for all tests: none changes it.
var publishedData = sync.OnceValues(func() (*rundata.Data, error) {
	return rundata.Load(filepath.Join("..", "results", "published", dataDir))
})

// Whatever a card says would answer is a command that measures something.
func TestTheCommandsOfACardAreUnderstood(t *testing.T) {
	published := must.Get(publishedData())(t)
	n, seen, digits := 0, map[string]bool{}, regexp.MustCompile(`[0-9]+`)
	for _, d := range []*rundata.Data{published, {}, onlyExperiments(published, rundata.Cost), onlyExperiments(published, rundata.Jitter, rundata.Live),
		onlyExperiments(published, rundata.Idle), onlyExperiments(published, rundata.Profiles), onlyExperiments(published, rundata.Tails),
		onlyExperiments(published, rundata.Memory), onlyExperiments(published, rundata.Burst, rundata.Drain), onlyExperiments(published, rundata.Pause)} {
		for _, margin := range []float64{1.1, 1.0001} {
			c := report.Judge(d, report.Options{Requirement: report.Requirement{P99: 20e6, CPUShare: 0.02}, Margin: margin}).Card()
			for _, open := range c.Open {
				n++
				if like := digits.ReplaceAllString(open.Command, "1"); !seen[like] {
					understood(t, open.Command)
					seen[like] = true
				}
			}
		}
	}
	require.Greater(t, n, 30)
}

// onlyExperiments leaves out all but some.
func onlyExperiments(d *rundata.Data, experiments ...string) *rundata.Data {
	some := *d
	some.Series = nil
	for _, e := range experiments {
		some.Series = append(some.Series, d.Select(e)...)
	}
	return &some
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
	bench(t, "plot", "--json", "--tables", dir).ends(t, exitUsage)
}

// The command beside a section of the page is one that the program understands, and that
// measures the experiments of the section.
func TestCommandsOfSectionsAreUnderstood(t *testing.T) {
	data := must.Get(publishedData())(t)
	commands := 0
	by := func(d *rundata.Data, command, says string) {
		other := *d
		other.Env = map[string]string{"command": command}
		for _, s := range report.Judge(&other, report.Options{}).Sections() {
			if s.Command == "" && d != data { // of few experiments
				continue
			}
			require.NotEmpty(t, s.Command, s.Title)
			require.Contains(t, s.Command, says)
			understood(t, s.Command)
			commands++
		}
	}
	by(data, "bench", "")
	require.Greater(t, commands, 4)
	few := onlyExperiments(data, rundata.Memory, rundata.Burst)
	by(few, "bench --quick", "bench --quick ")
	by(few, "bench run --full", "bench --full ")
	by(onlyExperiments(data, rundata.Profiles), "bench replay heartbeat --out somewhere --limit 1s --out=there", "bench replay heartbeat --limit 1s")
	require.Greater(t, commands, 8)
}

// places stand for what a command is printed with: verbs of formats, and words such as DIR.
var places = regexp.MustCompile(`%[a-z]|\b[A-Z]+\b`)

// parses returns what is wrong with a command line, whatever stands in its places, or which flag has no effect.
func parses(line string) (err error) {
	line = strings.ReplaceAll(line, "%d", "12")
	for _, with := range []string{"12", "12ms", "cost", ""} {
		parser, failed := parserOf(&cli{}, io.Discard, io.Discard, func(int) {})
		if failed != nil {
			return failed
		}
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
	count, tests := 0, regexp.MustCompile(`go test( [^`+"`"+`\n|>]*)`)
	files := must.Get(filepath.Glob("../*.md"))(t)
	more := must.Get(filepath.Glob("../[drewc]*/*.md"))(t)
	for _, path := range append(files, more...) {
		text := strings.ReplaceAll(string(must.Get(os.ReadFile(path))(t)), "\\\n", " ")
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

// played copies what the published run has of one experiment, changed.
func played(t *testing.T, change func(line string) string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, dataDir), 0o755))
	for _, pattern := range []string{"run.bench", "jitter.*"} {
		found := must.Get(filepath.Glob(filepath.Join("..", "results", "published", dataDir, pattern)))(t)
		require.NotEmpty(t, found, pattern)
		for _, from := range found {
			text := must.Get(rundata.ReadText(from))(t)
			var lines strings.Builder
			for l := range strings.Lines(string(text)) {
				lines.WriteString(change(l))
			}
			require.NoError(t, os.WriteFile(filepath.Join(dir, dataDir, strings.TrimSuffix(filepath.Base(from), ".gz")), []byte(lines.String()), 0o644))
		}
	}
	return dir
}

// A run with wrong answers is shown and kept whole, and the exit status is that of a failure.
func TestPlotOfWrongAnswersFails(t *testing.T) {
	first := true
	dir := played(t, func(l string) string {
		if first && strings.HasPrefix(l, "Benchmark") && strings.Contains(l, "impl=hierwheel/") && strings.Contains(l, " 0 lost") {
			first = false
			return strings.Replace(l, " 0 lost", " 3 lost", 1)
		}
		return l
	})
	require.False(t, first, "nothing was changed")
	for _, flags := range [][]string{nil, {"--json"}, {"--readme"}} {
		got := bench(t, append(append([]string{"plot"}, flags...), dir)...).ends(t, exitFailed)
		require.Contains(t, got.err, "answers were wrong: hierwheel lost 3 timers", flags)
		if flags == nil {
			require.Contains(t, got.out, "WRONG         hierwheel lost 3 timers: do not take it")
		} else if flags[0] == "--json" {
			require.Contains(t, got.out, `"lost": 3`)
		}
	}
	for _, name := range []string{reportFile, answersFile, regretFile, pageFile, "README.md"} {
		require.FileExists(t, filepath.Join(dir, name))
	}
}
