package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "schedbench"

// floors are the packages of the module from the ground up: each may import those
// of lower floors only. Packages of one floor do not know each other.
var floors = [][]string{
	{"schedulers"},
	{"internal/bitset", "internal/minheap", "internal/quantile", "internal/table", "internal/ticks", "internal/words", "internal/house"},
	{"internal/store"},
	{"internal/buckets"},
	{"schedulers/schedtest"},
	{"internal/wheeltest"},
	{"heapsched", "listsched", "singlewheel", "roundswheel", "hierwheel", "fifosched"},
	{"workload"},
	{"workload/trace", "workload/workloadtest", "driver"},
	{"record"},
	{"replay"},
	{"live"},
	{"judge"},
	{"harness"},
	{"catalog"},
	{"tune"},
	{"report/chart", "report/text"},
	{"report"},
	{"report/tuning", "report/page", "compare", "compare/revision"},
	{"cli"},
	{"cmd/bench", "internal/yardstick", "internal/docs"},
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
			name, err := strconv.Unquote(i.Path.Value)
			require.NoError(t, err)
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
	for _, name := range imports(t)["report/chart"] {
		require.NotContains(t, []string{"harness", "tune", "catalog", "workload"}, name)
	}
}

// TestATypeNameMeansOneThing finds names that two packages have for types of their
// own: whoever reads both would have to keep them apart.
func TestATypeNameMeansOneThing(t *testing.T) {
	declared := map[string]string{}
	eachFile(t, parser.SkipObjectResolution, func(pkg string, file *ast.File) {
		for _, d := range file.Decls {
			decl, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range decl.Specs {
				if typ, ok := spec.(*ast.TypeSpec); ok && !typ.Name.IsExported() {
					name := typ.Name.Name
					if other, taken := declared[name]; taken && other != pkg {
						t.Errorf("type %s is declared in %s and in %s: want a name of its own for each", name, other, pkg)
					}
					declared[name] = pkg
				}
			}
		}
	})
	require.Greater(t, len(declared), 100, "types were found")
}
