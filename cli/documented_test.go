package cli

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/internal/must"
)

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
