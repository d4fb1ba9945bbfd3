package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"html"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/internal/must"
	"schedbench/internal/report"
)

// printed are the commands that the program prints, each with what prints it.
type printed map[string]string

var (
	// literal is a command in a string of the code: after the word, up to what ends a command in a sentence.
	literal = regexp.MustCompile(`(?:^|["(]|[:;] )bench( (?:[^").;]|\.\w)*)`)
	// quoted is a command in what is printed.
	quoted = regexp.MustCompile(`"bench((?: [^"]*)?)"`)
	// further is what a message adds to the command that printed it.
	further = regexp.MustCompile(`the same (?:command )?with (--.+?)(?:\n| goes on| measures| leaves)`)
	// code is a command on a page.
	code = regexp.MustCompile(`<code>(.*?)</code>`)
	tags = regexp.MustCompile(`<[^>]*>`)
)

// says collects what is printed by a command.
func (p printed) says(by []string, texts ...string) {
	from := strings.Join(by, " ")
	for _, text := range texts {
		for _, found := range quoted.FindAllStringSubmatch(text, -1) {
			p[strings.TrimSpace(found[1])] = from
		}
		for _, found := range further.FindAllStringSubmatch(text, -1) {
			p[from+" "+found[1]] = from
		}
	}
}

// run collects what a command prints, which has to end with a status.
func (p printed) run(t *testing.T, status int, args ...string) (got outcome) {
	t.Helper()
	got = bench(t, args...).ends(t, status)
	p.says(args, got.out, got.err)
	return got
}

// shown collects what the card and the page of a run print, and holds the lines of the card to its facts.
func (p printed) shown(t *testing.T, dir string) {
	t.Helper()
	said := p.run(t, 0, "plot", dir).out
	limits := reportFlags{P99: 20 * time.Millisecond, CPU: 0.02, judgeFlags: judgeFlags{Margin: 0.1}}
	var lines strings.Builder
	for _, o := range report.Judge(loaded(t, dir), limits.options()).Card().Open {
		lines.WriteString(o.What + ": " + o.Command + " ")
	}
	_, open, _ := strings.Cut(said, "\nNOT ANSWERED")
	open, _, _ = strings.Cut(open, "\nALL OF IT")
	require.True(t, strings.HasPrefix(lines.String(), strings.Join(strings.Fields(open), " ")), "%s\nof %s", open, lines.String())

	p.page(t, dir)
}

// page collects what the page of a run prints.
func (p printed) page(t *testing.T, dir string) {
	t.Helper()
	page := textOf(t, filepath.Join(dir, pageFile))
	all := code.FindAllStringSubmatch(page, -1)
	for _, found := range all {
		_, line, _ := strings.Cut(html.UnescapeString(tags.ReplaceAllString(found[1], "")), "bench")
		p[strings.TrimSpace(line)] = "the page of " + dir
	}
	p.says([]string{"the page of", dir}, html.UnescapeString(tags.ReplaceAllString(page, "")))
}

// literals collects the commands in the strings of the code: what no run of this test prints is in these.
func (p printed) literals(t *testing.T) {
	t.Helper()
	require.NoError(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if _, err := os.Stat(filepath.Join(path, "go.mod")); d.IsDir() && path != ".." && err == nil {
			return fs.SkipDir // a module with a command of its own
		}
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") || filepath.Base(filepath.Dir(path)) == "docs" {
			return nil
		}
		ast.Inspect(must.Get(parser.ParseFile(token.NewFileSet(), path, nil, 0))(t), func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			text := must.Get(strconv.Unquote(lit.Value))(t)
			text = strings.ReplaceAll(text, `\"`, `"`) // in the tags of flags
			for _, found := range literal.FindAllStringSubmatch(text, -1) {
				p[strings.TrimSpace(found[1])] = path
			}
			return true
		})
		return nil
	}))
}

// filled has what is put in the places of a command, by the word before.
var filled = map[string]string{
	"plot": "'a run'", "tune": "idle", "replay": "heartbeat", "workloads": "heartbeat", "--explain": "netty",
	"--contestants": "hierwheel", "--experiments": "burst", "--profiles": "heartbeat", "--ops": "pair", "--pending": "100",
	"--tick": "5ms", "--ticks": "5ms", "--blocks": "1", "--live-for": "10ms",
}

var (
	place  = regexp.MustCompile(`^(%[a-z]|[A-Z]+|<command>)$`)
	typing = regexp.MustCompile(`'[^']*'|\S+`)
)

// typedIn returns the words of a command line, as a shell does.
func typedIn(line string) (words []string) {
	last := ""
	for _, word := range append(typing.FindAllString(line, -1), "%s") {
		if word == "<command>" {
			word = "tune"
		} else if place.MatchString(word) {
			word = filled[last]
		}
		if last = word; word != "" {
			words = append(words, strings.Trim(word, "'"))
		}
	}
	return words
}

// instant has the flags by which a command takes an instant: in place of those it has, and without others.
var instant = []struct{ command, flag, value, without string }{
	{command: "run", flag: "--quick"},
	{command: "run", flag: "--blocks", value: "1"},
	{command: "run", flag: "--pending", value: "100"},
	{command: "run", flag: "--experiments", value: "cost", without: "--experiments"},
	{command: "run", flag: "--ops", value: "pair", without: "--ops"},
	{command: "run", flag: "--contestants", value: "heapsched,hierwheel,time.AfterFunc", without: "--contestants --only"},
	{command: "replay", flag: "--for", value: "100ms"},
	{command: "replay", flag: "--live-for", value: "10ms"},
	{command: "replay", flag: "--contestants", value: "heapsched,hierwheel"},
	{command: "verify", flag: "--ops", value: "10"},
}

var promised = map[string]string{
	"run": "\nALL OF IT ", "replay": "replayed answers", "plot": "\nALL OF IT ", "tune": "\nPICK ", "workloads": "heartbeat", "list": "CONTESTANT",
	"verify": "rules kept, 0 broken", "open": pageFile, "merge": " series of ", "--help": "Usage: ",
}

func flagged(args []string, flags string) bool {
	return slices.ContainsFunc(strings.Fields(flags), func(flag string) bool { return slices.Contains(args, flag) })
}

// tiny returns a command line that takes an instant, and the command. One with a folder goes on with a run of this test.
func tiny(t *testing.T, words []string) (command string, args []string) {
	t.Helper()
	if flagged(words, "--help") {
		return "--help", words
	}
	parser := must.Get(parserOf(&cli{}, io.Discard, io.Discard, func(int) {}))(t)
	parsed := must.Get(parser.Parse(words))(t)
	command, args = parsed.Selected().Name, slices.Clone(words)
	if flagged(words, "--out") {
		return command, args
	}
	for _, f := range instant {
		if f.command != command || flagged(args, f.without) {
			continue
		}
		if i := slices.Index(args, f.flag); i >= 0 {
			args = slices.Delete(args, i, i+1+len(strings.Fields(f.value)))
		}
		args = append(append(args, f.flag), strings.Fields(f.value)...)
	}
	parsed = must.Get(parser.Parse(args))(t)
	for _, p := range parsed.Path {
		if c, ok := parsed.Selected().Target.Addr().Interface().(selective); ok && p.Flag != nil && c.noEffect(p.Flag.Name) != "" {
			i := slices.Index(args, "--"+p.Flag.Name)
			args = slices.Delete(args, i, i+2)
		}
	}
	if slices.Contains([]string{"run", "replay"}, command) {
		args = append(args, "--out", t.TempDir())
	}
	return command, args
}

// keeps runs a tiny command, and holds it to what it promises.
func keeps(t *testing.T, command string, args []string) {
	t.Helper()
	var got outcome
	if command == "tune" { // which measures for ten seconds at least: the smoke test has it do so
		got, _, _ = tuned(t, nil, args[1:]...)
	} else {
		got = byProgram(t, byProcesses, "", args...)
	}
	got.ends(t, 0)
	require.Contains(t, promised, command)
	require.Contains(t, "\n"+got.out, promised[command], "%v", args)
	i := slices.Index(args, "--out")
	switch command {
	case "run", "replay":
		data := loaded(t, args[i+1])
		require.True(t, data.Complete, args)
		names := map[bool]string{true: "profiles,live", false: "profiles"}[flagged(args, "--live")]
		if command == "run" {
			names = args[slices.Index(args, "--experiments")+1]
		}
		for _, e := range must.Get(experimentsOf(strings.Split(names, ",")))(t) {
			require.NotEmpty(t, data.Select(e), "%v measures %s", args, e)
		}
	}
}

// collected returns what tiny runs, their pages and messages print, in the folder of the test.
func collected(t *testing.T) printed {
	t.Helper()
	p := printed{}
	p.literals(t)
	p.page(t, filepath.Join("..", published)) // a run of all experiments
	t.Chdir(t.TempDir())
	for _, name := range []string{"DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"} {
		t.Setenv(name, "") // no browser is opened
	}
	require.NoError(t, os.Rename(aTrace(t), "a trace.gz"))
	p.run(t, exitUsage, "open")

	p.run(t, 0, strings.Fields("--quick --blocks 1 --data-only --experiments cost,jitter,idle --pending 100 --ops pair,live-pair --ticks 5ms "+
		"--contestants heapsched,hierwheel,time.AfterFunc --out run")...)
	require.NoError(t, os.Rename("run", "a run"))
	p.run(t, exitUsage, "open", "a run")
	p.shown(t, "a run")

	part := costRun("--out", "part of a run")
	stopped := benchUntil(t, "block-01", part...)
	p.says(part[:len(part)-2], stopped.err)
	p.shown(t, "part of a run")

	for _, live := range [][]string{nil, {"--live", "--live-for", "10ms"}} {
		dir := "replay" + strings.Join(live, " ")
		p.run(t, 0, append([]string{"replay", "a trace.gz", "heartbeat", "--for", "100ms", "--contestants", "heapsched,hierwheel", "--out", dir}, live...)...)
		p.shown(t, dir)
	}

	for _, dir := range []string{"one", "two"} {
		bench(t, dataRun("--out", dir)...).ends(t, 0)
	}
	p.run(t, 0, "merge", "one", "two", "--out", "both of them")
	p.shown(t, "both of them")

	tune := []string{"tune", "idle", "--explain", "netty"}
	got, _, _ := tuned(t, nil, tune[1:]...)
	p.says(tune, got.out)

	for _, line := range []string{"frobnicate", "--ops sort", "tune", "replay", "plot", "trace info", "--only presets --ticks 5ms", "compare", "merge"} {
		p.run(t, exitUsage, strings.Fields(line)...)
	}
	for _, line := range []string{"list", "workloads", "--help", "tune --help", "run --help"} {
		p.run(t, 0, strings.Fields(line)...)
	}
	return p
}

// Every command that a card, a page or a message prints does what it promises, on tiny sizes. Most of the time of a
// measurement is waiting, so those into folders of their own go on side by side.
func TestPrintedCommandsDoWhatTheyPromise(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("idle cells need Linux")
	}
	p, did := collected(t), map[string]bool{}
	var measured sync.WaitGroup
	atOnce := make(chan struct{}, 6)
	for _, line := range slices.Sorted(maps.Keys(p)) {
		words := typedIn(line)
		command, args := tiny(t, words)
		alike := strings.TrimSuffix(strings.Join(args, " "), args[len(args)-1]) // but for a folder that is new
		if did[alike] && command != "plot" && !flagged(args, "--help") {
			continue
		}
		did[alike] = true
		run := func() {
			t.Run(line, func(t *testing.T) {
				t.Log("printed by", p[line])
				keeps(t, command, args)
			})
		}
		if command == "verify" { // counts allocations
			measured.Wait()
		}
		if flagged(words, "--out") || command != "run" && command != "replay" {
			run()
			continue
		}
		measured.Go(func() {
			atOnce <- struct{}{}
			run()
			<-atOnce
		})
	}
	measured.Wait()
	require.Greater(t, len(p), 35, "commands were found")
}
