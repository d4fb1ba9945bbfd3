package house

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/internal/must"
)

var (
	// link is one of Markdown, or an image, with where it leads.
	link = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	// fenced is text in which nothing is a link.
	fenced = regexp.MustCompile("(?ms)^```.*?^```$")
)

// Where texts lead, something is: a file that git keeps, or a folder of such. A file that lies there and
// is ignored would be missing from every clone.
func TestLinksLeadSomewhere(t *testing.T) {
	root := filepath.Join("..", "..")
	kept := keptFiles(t, root)
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
			require.True(t, leads(kept, path.Join(path.Dir(file), target)), "%s leads to %s, which is not kept", file, target)
			count++
		}
	}
	require.NotZero(t, count)
}

// leads is whether a file is kept, or one in a folder of that name.
func leads(kept map[string]bool, target string) bool {
	if kept[target] {
		return true
	}
	for file := range kept {
		if strings.HasPrefix(file, target+"/") {
			return true
		}
	}
	return target == "."
}

// keptFiles are those that git keeps or is about to; without a checkout, all that there are.
func keptFiles(t *testing.T, root string) map[string]bool {
	kept := map[string]bool{}
	out, err := exec.Command("git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err == nil {
		for _, file := range strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00") {
			if _, err := os.Lstat(filepath.Join(root, filepath.FromSlash(file))); err == nil { // else it is to be removed
				kept[file] = true
			}
		}
		return kept
	}
	require.NoError(t, filepath.WalkDir(root, func(file string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(root, file)
			kept[filepath.ToSlash(name)] = true
		}
		return err
	}))
	return kept
}
