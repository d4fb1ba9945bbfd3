package rundata

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"schedbench/internal/machine"
)

// modified marks a commit beside which there were changes in what a program is built from.
const modified = "-modified"

// commit and build are the same as long as the program runs.
var commit, build = sync.OnceValue(findCommit), sync.OnceValue(findBuild)

// findCommit returns the version control revision that the program was built from. The toolchain notes it, except in
// what go run builds: for that findCommit asks git.
func findCommit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	settings := settingsOf(info)
	if revision := settings["vcs.revision"]; revision != "" {
		return shortened(revision, settings["vcs.modified"] == "true")
	}
	_, file, _, ok := runtime.Caller(0)
	if !isOurs(info.Main.Path) || !ok || !filepath.IsAbs(file) { // a program of others, or one without paths
		return ""
	}
	return commitOf(filepath.Join(filepath.Dir(file), "..", ".."), builtAt())
}

// isOurs reports whether a module is this one, or one of those that lie beside it in the same checkout.
func isOurs(main string) bool { return main == module || strings.HasPrefix(main, module+"/") }

// shortened returns a revision as it is noted.
func shortened(revision string, changed bool) string {
	revision = revision[:min(12, len(revision))]
	if changed {
		revision += modified
	}
	return revision
}

// builtAt returns since when the executable has been there. It is now if go run or go
// test has built it just now, perhaps from what they keep.
func builtAt() time.Time {
	path, err := os.Executable()
	if err != nil || strings.Contains(filepath.ToSlash(path), "/go-build") {
		return time.Now()
	}
	info, err := os.Stat(path)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// sources are what programs of this module are built from.
var sources = []string{"--", "*.go", "*.toml", "go.mod", "go.sum"}

// commitOf returns the commit that is checked out in the folder of this module, and ""
// if the folder is no checkout of it, or has sources that are younger than the program.
// Other files may change: those of results do, while they are measured.
func commitOf(root string, built time.Time) string {
	if machine.Line(filepath.Join(root, "go.mod")) != "module "+module {
		return ""
	}
	head, ok := git(root, "rev-parse", "--show-prefix", "HEAD")
	prefix, revision, _ := strings.Cut(head, "\n")
	if !ok || prefix != "" { // the folder is one in a checkout of something else
		return ""
	}
	changes, ok := git(root, append([]string{"status", "--porcelain"}, sources...)...)
	list, listed := git(root, append([]string{"ls-files", "-z"}, sources...)...)
	if !ok || !listed || slices.ContainsFunc(strings.Split(list, "\x00"), func(name string) bool {
		info, err := os.Stat(filepath.Join(root, name))
		return err == nil && !info.IsDir() && info.ModTime().After(built)
	}) {
		return ""
	}
	return shortened(strings.TrimSpace(revision), changes != "")
}

// git returns the output of git in a folder, and whether it succeeded. Variables that name another repository have no
// effect, and git changes nothing.
func git(dir string, args ...string) (string, bool) {
	cmd := exec.Command("git", append([]string{"--no-optional-locks", "-C", dir}, args...)...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") })
	out, err := cmd.Output()
	return string(out), err == nil
}

// findBuild returns a text that distinguishes builds of one commit: a hash of how the program was built, and, where the
// commit does not say from what, of the program itself. Unlike a difference to the commit, the program has all that was
// built, files that git does not know too.
func findBuild() string {
	h := sha256.New()
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if !strings.HasPrefix(s.Key, "vcs") && s.Key != "-trimpath" && s.Key != "-ldflags" {
				fmt.Fprintf(h, "%s=%s\n", s.Key, s.Value)
			}
		}
	}
	if c := commit(); c == "" || strings.HasSuffix(c, modified) {
		if err := addProgram(h); err != nil {
			return ""
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:6])
}

// slowing are the settings of a build that make a program slow, and what they are called:
// the checks of sanitizers, counts of coverage.
var slowing = []struct{ setting, name string }{
	{"-race", "race detector"}, {"-msan", "memory sanitizer"}, {"-asan", "address sanitizer"}, {"-cover", "coverage"},
}

// slowedBy names what makes this build of the program slow, "" if nothing does.
func slowedBy() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return slowedBySettings(settingsOf(info))
}

// slowedBySettings names what makes a build with some settings slow.
func slowedBySettings(settings map[string]string) string {
	var found []string
	for _, s := range slowing {
		if settings[s.setting] == "true" {
			found = append(found, s.name)
		}
	}
	flags := strings.FieldsFunc(settings["-gcflags"], func(r rune) bool { return r == ' ' || r == '=' || r == '\'' || r == '"' })
	if slices.Contains(flags, "-N") || slices.Contains(flags, "-l") {
		found = append(found, "no optimization")
	}
	return strings.Join(found, ", ")
}

func addProgram(h io.Writer) error {
	path, err := os.Executable()
	if err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(h, f)
	return err
}

func settingsOf(info *debug.BuildInfo) map[string]string {
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	return settings
}
