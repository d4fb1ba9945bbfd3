package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// printed are commands in texts that the program prints: after the word, up to what ends a command in a sentence.
var printed = regexp.MustCompile(`(?:^|["(]|[:;] )bench( (?:[^").;]|\.\w)*)`)

// places stand for what a command is printed with: verbs of formats, and words such as DIR.
var places = regexp.MustCompile(`%[a-z]|\b[A-Z]+\b`)

// commandsIn returns the commands in the strings of a Go file.
func commandsIn(t *testing.T, path string) (all []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	require.NoError(t, err)
	ast.Inspect(file, func(n ast.Node) bool {
		lit, ok := n.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return true
		}
		text, err := strconv.Unquote(lit.Value)
		require.NoError(t, err)
		if strings.HasPrefix(text, "--experiments ") { // sections and topics say only the flags
			text = "bench " + text
		}
		text = strings.ReplaceAll(text, `\"`, `"`) // in the tags of flags
		for _, found := range printed.FindAllStringSubmatch(text, -1) {
			all = append(all, strings.TrimSpace(found[1]))
		}
		return true
	})
	return all
}

// parses returns what is wrong with a command line, whatever stands in its places.
func parses(line string) (err error) {
	line = strings.ReplaceAll(line, "%d", "12")
	for _, with := range []string{"12", "12ms", "cost", ""} {
		parser, failed := parserOf(&cli{}, io.Discard, io.Discard, func(int) {})
		if failed != nil {
			return failed
		}
		words := strings.Fields(places.ReplaceAllString(line, with))
		if _, err = parser.Parse(words); err == nil {
			return nil
		}
		if _, err := parser.Parse(append(words, "12")); err == nil { // what follows is added when it is printed
			return nil
		}
	}
	return err
}

// Every command that a card, a page or a message prints is one: its flags are known, and their values of their kind.
func TestPrintedCommandsAreCommands(t *testing.T) {
	count := 0
	require.NoError(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if _, err := os.Stat(filepath.Join(path, "go.mod")); d.IsDir() && path != ".." && err == nil {
			return fs.SkipDir // a module with a command of its own
		}
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") || slices.Contains([]string{"docs", "metal"}, filepath.Base(filepath.Dir(path))) {
			return nil
		}
		for _, line := range commandsIn(t, path) {
			count++
			if err := parses(line); err != nil {
				t.Errorf("%s prints \"bench %s\": %v", path, line, err)
			}
		}
		return nil
	}))
	require.Greater(t, count, 20, "commands were found")
	require.Error(t, parses("--experiments cost --opps pair"))
	require.Error(t, parses("tune %s --tick soon"))
}

// documented are commands in Markdown: a line of a code block, up to what explains it, or in backquotes.
var documented = regexp.MustCompile("(?m)(?:^(?: {4}|\\t)?(?:\\$ |\\./)?|`)(?:bench|go run \\./cmd/bench|go tool bench)((?: [^\\s`#|>&()]+)*)")

// Every command in the documentation is one, too. A command of the go tool has its packages before flags of tests.
func TestDocumentedCommandsAreCommands(t *testing.T) {
	count, tests := 0, regexp.MustCompile(`go test( [^`+"`"+`\n|>]*)`)
	files, err := filepath.Glob("../*.md")
	require.NoError(t, err)
	more, err := filepath.Glob("../[drewc]*/*.md")
	require.NoError(t, err)
	for _, path := range append(files, more...) {
		read, err := os.ReadFile(path)
		require.NoError(t, err)
		text := strings.ReplaceAll(string(read), "\\\n", " ")
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
