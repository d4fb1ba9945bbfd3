package house

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/internal/must"
)

const module = "schedbench"

// floors are the packages of the module from the ground up: each may import those of lower floors only.
var floors = [][]string{
	{"schedulers"},
	{"internal/bitset", "internal/minheap", "internal/quantile", "internal/table", "internal/ticks", "internal/words", "internal/house", "internal/lists", "internal/check", "internal/machine", "internal/must"},
	{"internal/store", "internal/report/chart", "internal/report/chart/charttest", "internal/report/text"},
	{"internal/buckets"},
	{"schedulers/schedtest"},
	{"heapsched", "listsched", "singlewheel", "roundswheel", "hierwheel", "fifosched"},
	{"workload"},
	{"workload/trace", "workload/workloadtest", "driver"},
	{"record", "clock"},
	{"internal/replay"},
	{"live"},
	{"internal/judge"},
	{"harness/rundata"},
	{"harness/blocks", "harness/quiet"},
	{"harness"},
	{"harness/experiments"},
	{"catalog"},
	{"internal/tune"},
	{"internal/report/card"},
	{"internal/report"},
	{"internal/report/tuning", "internal/report/page", "internal/compare", "internal/compare/revision"},
	{"cli"},
	{"cmd/bench", "internal/docs"},
}

func floorOf(pkg string) int {
	return slices.IndexFunc(floors, func(f []string) bool { return slices.Contains(f, pkg) })
}

// eachFile calls f with every Go file of the module but tests, and its package.
func eachFile(t *testing.T, mode parser.Mode, f func(pkg string, file *ast.File)) {
	t.Helper()
	root, files := filepath.Join("..", ".."), 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || hasModule(path)):
			return fs.SkipDir
		case filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, mode)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(path))
		if err == nil {
			files++
			f(filepath.ToSlash(dir), file)
		}
		return err
	})
	require.NoError(t, err)
	require.Greater(t, files, 100, "the files were found")
}

// imports returns what the packages of the module import of it, by package.
func imports(t *testing.T) map[string][]string {
	found := map[string][]string{}
	eachFile(t, parser.ImportsOnly, func(pkg string, file *ast.File) {
		list := found[pkg]
		for _, i := range file.Imports {
			if name, ok := strings.CutPrefix(must.Get(strconv.Unquote(i.Path.Value))(t), module+"/"); ok {
				list = append(list, name)
			}
		}
		found[pkg] = list // also that of a package which imports none
	})
	return found
}

// hasModule reports whether a folder is a module of its own.
func hasModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

func TestPackagesImportDownwardsOnly(t *testing.T) {
	for pkg, imported := range imports(t) {
		floor := floorOf(pkg)
		require.GreaterOrEqual(t, floor, 0, "%s has no floor: give it one here and in CONTRIBUTING.md", pkg)
		for _, name := range imported {
			require.Less(t, floorOf(name), floor, "%s imports %s, which is no lower floor", pkg, name)
		}
	}
}

// synonyms are words that identifiers do not have, with the word for the same thing.
var synonyms = map[string]string{
	"competitor": "contestant or participant", "runner": "contestant or variant", "contender": "contestant", "candidate": "contestant",
	"party": "contestant", "keeper": "contestant", "subject": "contestant", "whoever": "contestant",
	"yardstick": "baseline", "spot": "cell", "question": "cell or chapter", "topic": "measure", "inquiry": "group",
	"told": "significant", "untold": "unclear", "again": "AA", "duplicate": "AA", "twice": "AA",
}

// right are packages and identifiers in which a synonym is the right word: users of tune read of candidates and a
// runner-up, and again is a key of profiles.
var right = regexp.MustCompile(`^(?:(?:cli|internal/tune|internal/report/tuning) (?:Candidates?|RunnerUp)|workload [Aa]gain)$`)

// wordOf finds the words that an identifier is made of.
var wordOf = regexp.MustCompile(`[A-Z]+[a-z0-9]*|[a-z0-9]+`)

// synonymsIn returns the synonyms among the words of an identifier, each in the singular.
func synonymsIn(identifier string) (found []string) {
	for _, word := range wordOf.FindAllString(identifier, -1) {
		word = strings.ToLower(word)
		for synonym := range synonyms {
			if word == synonym || word == synonym+"s" || word == strings.TrimSuffix(synonym, "y")+"ies" {
				found = append(found, synonym)
			}
		}
	}
	return found
}

func TestOneWordForEachThing(t *testing.T) {
	require.Equal(t, []string{"runner"}, synonymsIn("waitingRunners"))
	require.Equal(t, []string{"party"}, synonymsIn("parties"))
	require.Empty(t, synonymsIn("against"))
	eachFile(t, parser.SkipObjectResolution, func(pkg string, file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && !right.MatchString(pkg+" "+id.Name) {
				for _, synonym := range synonymsIn(id.Name) {
					t.Errorf("%s: %s has %q: write %s", pkg, id.Name, synonym, synonyms[synonym])
				}
			}
			return true
		})
	})
}

// oldPhrases are words and phrases that texts and comments do not have.
var oldPhrases = regexp.MustCompile(`(?i)\b(?:tells?|told|untold|whoever|(?:some|no|any)body|of whom|so that|by (?:its|their) make|if there is one|yardsticks?)\b`)

func TestTextsHaveNoOldPhrase(t *testing.T) {
	require.Equal(t, "Somebody", oldPhrases.FindString("Somebody leads"))
	require.Empty(t, oldPhrases.FindString("a hotelier is unclear"))
	eachFile(t, parser.ParseComments|parser.SkipObjectResolution, func(pkg string, file *ast.File) {
		check := func(text string) {
			if phrase := oldPhrases.FindString(text); phrase != "" {
				t.Errorf("%s has %q in: %s", pkg, phrase, text)
			}
		}
		for _, c := range file.Comments {
			check(strings.Join(strings.Fields(c.Text()), " "))
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
				check(l.Value)
			}
			return true
		})
	})
}

func TestNoFolderHasTooManyFiles(t *testing.T) {
	files := map[string]int{}
	eachFile(t, parser.PackageClauseOnly, func(pkg string, _ *ast.File) { files[pkg]++ })
	for pkg, n := range files {
		require.LessOrEqual(t, n, 25, "%s: want a folder of its own for a part of it", pkg)
	}
}

// link is one of Markdown, or an image, with where it leads; fenced is text in which nothing is a link.
var (
	link   = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	fenced = regexp.MustCompile("(?ms)^```.*?^```$")
)

// Links lead to what git keeps: a file that is ignored would be missing from every clone.
func TestLinksLeadSomewhere(t *testing.T) {
	root := filepath.Join("..", "..")
	kept := keptIn(t, root)
	count := 0
	for file := range kept {
		if path.Ext(file) != ".md" {
			continue
		}
		text := must.Get(os.ReadFile(filepath.Join(root, filepath.FromSlash(file))))(t)
		for _, found := range link.FindAllStringSubmatch(fenced.ReplaceAllString(string(text), ""), -1) {
			target, _, _ := strings.Cut(found[1], "#")
			if target == "" || strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
				continue
			}
			require.True(t, kept[path.Join(path.Dir(file), target)], "%s leads to %s, which is not kept", file, target)
			count++
		}
	}
	require.NotZero(t, count)
}

// keptIn returns the files that git keeps or is about to, and their folders.
func keptIn(t *testing.T, root string) map[string]bool {
	t.Helper()
	out, err := exec.Command("git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		t.Skip("this is no checkout:", err)
	}
	kept := map[string]bool{".": true}
	for file := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if _, err := os.Lstat(filepath.Join(root, filepath.FromSlash(file))); err == nil { // else it is to be removed
			for ; !kept[file]; file = path.Dir(file) {
				kept[file] = true
			}
		}
	}
	return kept
}

// snippet is what a text shows of Go.
var snippet = regexp.MustCompile("(?ms)^```go\n(.*?)^```$")

// What a text shows of Go compiles as it stands, in a module that requires this one and replaces it by a path.
func TestTheGoInTextsCompiles(t *testing.T) {
	root := must.Get(filepath.Abs(filepath.Join("..", "..")))(t)
	dir, count := t.TempDir(), 0
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	}
	var files []string
	for _, pattern := range []string{"*.md", "docs/*.md", "examples/*/*.md"} {
		files = append(files, must.Get(filepath.Glob(filepath.Join(root, pattern)))(t)...)
	}
	for _, file := range files {
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
