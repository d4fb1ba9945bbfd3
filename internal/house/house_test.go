package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
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

// floors are the packages of the module from the ground up: each may import those
// of lower floors only. Packages of one floor do not know each other.
var floors = [][]string{
	{"schedulers"},
	{"internal/bitset", "internal/minheap", "internal/quantile", "internal/table", "internal/ticks", "internal/words", "internal/house", "internal/lists", "internal/check", "internal/machine", "internal/must"},
	{"internal/store"},
	{"internal/buckets"},
	{"schedulers/schedtest"},
	{"internal/wheeltest"},
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
	{"internal/report/chart", "internal/report/text"},
	{"internal/report/card"},
	{"internal/report"},
	{"internal/report/tuning", "internal/report/page", "internal/compare", "internal/compare/revision"},
	{"cli"},
	{"cmd/bench", "internal/metal", "internal/docs"},
}

func floorOf(pkg string) int {
	return slices.IndexFunc(floors, func(f []string) bool { return slices.Contains(f, pkg) })
}

// eachFile calls f with every Go file of the module but tests, and its package.
func eachFile(t *testing.T, mode parser.Mode, f func(pkg string, file *ast.File)) {
	t.Helper()
	root := filepath.Join("..", "..")
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
			f(filepath.ToSlash(dir), file)
		}
		return err
	})
	require.NoError(t, err)
}

// imports returns what the packages of the module import of it, by package.
func imports(t *testing.T) map[string][]string {
	found := map[string][]string{}
	eachFile(t, parser.ImportsOnly, func(pkg string, file *ast.File) {
		found[pkg] = append(found[pkg], "")
		for _, i := range file.Imports {
			name := must.Get(strconv.Unquote(i.Path.Value))(t)
			if name, ok := strings.CutPrefix(name, module+"/"); ok {
				found[pkg] = append(found[pkg], name)
			}
		}
	})
	return found
}

// hasModule reports whether a folder is a module of its own.
func hasModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

func TestPackagesImportDownwardsOnly(t *testing.T) {
	all := imports(t)
	require.Greater(t, len(all), 15, "the packages were found")
	for pkg, imported := range all {
		floor := floorOf(pkg)
		require.GreaterOrEqual(t, floor, 0, "%s has no floor: give it one here and in CONTRIBUTING.md", pkg)
		for _, name := range imported {
			if name != "" {
				require.Less(t, floorOf(name), floor, "%s imports %s, which is no lower floor", pkg, name)
			}
		}
	}
}

func TestTheDrawingKitKnowsNothingOfExperiments(t *testing.T) {
	for _, name := range imports(t)["internal/report/chart"] {
		require.NotContains(t, []string{"harness", "internal/tune", "catalog", "workload"}, name)
	}
}

// synonyms are words that identifiers do not have, with the word for the same thing.
var synonyms = map[string]string{
	"competitor": "contestant or participant", "runner": "contestant or variant", "contender": "contestant", "candidate": "contestant",
	"party": "contestant", "keeper": "contestant", "subject": "contestant", "whoever": "contestant",
	"yardstick": "baseline", "spot": "cell", "question": "cell", "topic": "group", "inquiry": "group",
	"told": "significant", "untold": "unclear", "again": "AA", "duplicate": "AA", "twice": "AA",
}

// plain are the packages whose identifiers have none of them.
var plain = []string{"harness", "harness/blocks", "harness/quiet", "harness/rundata", "harness/experiments", "internal/lists", "internal/check", "internal/machine", "internal/house",
	"live", "record", "workload/trace", "internal/compare", "internal/compare/revision", "internal/replay", "internal/buckets", "internal/store", "internal/docs", "internal/table", "internal/quantile", "internal/words", "internal/judge"}

// gone are the synonyms that no package has any more.
var gone = []string{"yardstick"}

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
	seen := 0
	eachFile(t, parser.SkipObjectResolution, func(pkg string, file *ast.File) {
		isPlain := slices.Contains(plain, pkg)
		if isPlain {
			seen++
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				for _, synonym := range synonymsIn(id.Name) {
					if !isPlain && !slices.Contains(gone, synonym) {
						continue
					}
					t.Errorf("%s: %s has %q: write %s", pkg, id.Name, synonym, synonyms[synonym])
				}
			}
			return true
		})
	})
	require.Greater(t, seen, 20, "files were looked at")
}

// spoken are the folders whose texts and comments have none of the old phrases.
var spoken = []string{"harness", "live", "internal/judge", "internal/report", "internal/compare", "internal/lists", "internal/check", "internal/machine", "internal/house",
	"cli", "workload", "record", "schedulers/schedtest", "internal/metal", "internal/replay", "internal/buckets", "internal/store", "internal/docs", "internal/table",
	"internal/quantile", "internal/words"}

// oldPhrases are words and phrases that texts and comments do not have.
var oldPhrases = regexp.MustCompile(`(?i)\b(?:tells?|told|untold|whoever|(?:some|no|any)body|of whom|so that|by (?:its|their) make|if there is one|yardsticks?)\b`)

func TestTextsHaveNoOldPhrase(t *testing.T) {
	require.Equal(t, "Somebody", oldPhrases.FindString("Somebody leads"))
	require.Empty(t, oldPhrases.FindString("a hotelier is unclear"))
	seen := 0
	eachFile(t, parser.ParseComments|parser.SkipObjectResolution, func(pkg string, file *ast.File) {
		if !slices.ContainsFunc(spoken, func(dir string) bool { return pkg == dir || strings.HasPrefix(pkg, dir+"/") }) {
			return
		}
		seen++
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
	require.Greater(t, seen, 100, "files were looked at")
}

func TestNoFolderHasTooManyFiles(t *testing.T) {
	files := map[string]int{}
	eachFile(t, parser.PackageClauseOnly, func(pkg string, _ *ast.File) { files[pkg]++ })
	require.Greater(t, len(files), 15, "the packages were found")
	for _, pkg := range append(slices.Clone(plain), "internal/report") {
		require.LessOrEqual(t, files[pkg], 25, "%s: want a folder of its own for a part of it", pkg)
	}
}
