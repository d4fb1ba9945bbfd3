// Package revision measures two revisions of this module side by side: it builds an old
// one aside and the working tree beside it, and lets processes of both take turns.
//
// Two runs one after the other differ by what the machine does meanwhile, and by where
// each process happens to lie in memory, which no number of samples within a run shows.
// Many short processes that alternate share the one and average the other.
package revision

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Build is a program that was built from a revision.
type Build struct {
	// Path is that of the program.
	Path string
	// Commit names what it was built from: a commit, or "the working tree".
	Commit string
	// Identity is the same for builds of the same.
	Identity string
}

// WorkingTree is the Commit of what is built from the working tree.
const WorkingTree = "the working tree"

// module is what the module is called that can be built.
const module = "schedbench"

// Checkout is a checkout of this module.
type Checkout struct {
	root   string // of the module
	prefix string // of the module in the checkout
}

// Find returns the checkout that a folder is in.
func Find(ctx context.Context, dir string) (c Checkout, err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return c, err
	}
	for c.root = dir; !ofModule(c.root); c.root = filepath.Dir(c.root) {
		if c.root == filepath.Dir(c.root) {
			return c, fmt.Errorf("%s is not in a checkout of module %s", dir, module)
		}
	}
	c.prefix, err = c.git(ctx, "rev-parse", "--show-prefix")
	if err != nil {
		return c, fmt.Errorf("%s is not in a checkout of git: %w", c.root, err)
	}
	return c, nil
}

// ofModule reports whether a folder is the root of the module.
func ofModule(dir string) bool {
	text, _ := os.ReadFile(filepath.Join(dir, "go.mod"))
	first, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(first) == "module "+module
}

// Commit returns the commit that a name of git's stands for.
func (c Checkout) Commit(ctx context.Context, rev string) (string, error) {
	commit, err := c.git(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
	if err != nil {
		return "", fmt.Errorf("git knows no revision %q in %s", rev, c.root)
	}
	return commit, nil
}

// BuildBoth builds a commit and the working tree into a folder, the commit first.
func (c Checkout) BuildBoth(ctx context.Context, commit, into string) (both [2]Build, err error) {
	aside := filepath.Join(into, "tree")
	if _, err := c.git(ctx, "worktree", "add", "--detach", "--quiet", aside, commit); err != nil {
		return both, fmt.Errorf("cannot check out %s: %w", commit, err)
	}
	defer func() { // also if it was interrupted, since git remembers the folder otherwise
		_, removed := c.git(context.WithoutCancel(ctx), "worktree", "remove", "--force", aside)
		err = errors.Join(err, removed)
	}()
	if both[0], err = build(ctx, filepath.Join(aside, c.prefix), filepath.Join(into, Sides[0]), commit); err != nil {
		return both, err
	}
	both[1], err = build(ctx, c.root, filepath.Join(into, Sides[1]), WorkingTree)
	return both, err
}

// build builds the command of a tree. Paths are left out of the program, which is then
// the same wherever it is built.
func build(ctx context.Context, dir, path, commit string) (Build, error) {
	if err := os.Mkdir(path, 0o755); err != nil {
		return Build{}, err
	}
	b := Build{Path: filepath.Join(path, "bench"), Commit: commit}
	if os.PathSeparator == '\\' {
		b.Path += ".exe"
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", b.Path, "./cmd/bench")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return b, fmt.Errorf("%s cannot be built: %w\n%s", commit, cmp.Or(ctx.Err(), err), out)
	}
	f, err := os.Open(b.Path)
	if err != nil {
		return b, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return b, err
	}
	b.Identity = fmt.Sprintf("%x", h.Sum(nil)[:8])
	return b, nil
}

// flagOf finds flags in a help text.
var flagOf = regexp.MustCompile(`--[a-z0-9][a-z0-9-]*`)

// Flags lists the flags that a build says it knows.
func (b Build) Flags(ctx context.Context) ([]string, error) {
	out, err := exec.CommandContext(ctx, b.Path, "run", "--help").CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%s does not say what flags it knows: %w\n%s", b.Commit, err, out)
	}
	return flagOf.FindAllString(string(out), -1), nil
}

// Measuring lists the files that measure and that differ between a commit and the working
// tree, of which cells of one name may hold something else.
func (c Checkout) Measuring(ctx context.Context, commit string) ([]string, error) {
	out, err := c.git(ctx, "diff", "--name-only", commit, "--", "harness", "live", "replay", "workload", ":(exclude)*_test.go")
	if err != nil {
		return nil, err
	}
	return strings.Fields(out), nil
}

// Untouched returns those of some packages, each a folder of the root, whose code is the same in
// a commit and in the working tree: neither a file of theirs nor of what they import has
// changed, nor what measures.
func (c Checkout) Untouched(ctx context.Context, commit string, packages []string) (same []string, err error) {
	changed, err := c.git(ctx, "diff", "--relative", "--name-only", commit, "--", "*.go", "go.mod", "go.sum", ":(exclude)*_test.go")
	if err != nil {
		return nil, err
	}
	added, err := c.git(ctx, "ls-files", "--others", "--exclude-standard", "--", "*.go", ":(exclude)*_test.go")
	if err != nil {
		return nil, err
	}
	folders := map[string]bool{} // those that changed
	for _, name := range strings.Fields(changed + "\n" + added) {
		folders[filepath.Dir(filepath.Join(c.root, name))] = true
	}
	clean := func(pkg string, but ...string) bool {
		cmd := exec.CommandContext(ctx, "go", "list", "-deps", "-f", "{{if .Module}}{{.Dir}}{{end}}", "./"+pkg)
		cmd.Dir = c.root
		dirs, err := cmd.Output()
		return err == nil && !slices.ContainsFunc(strings.Fields(string(dirs)), func(dir string) bool {
			return folders[dir] && !slices.Contains(but, filepath.Base(dir))
		})
	}
	if folders[c.root] || folders[filepath.Join(c.root, "catalog")] || !clean("harness/experiments", packages...) {
		return nil, nil
	}
	return slices.DeleteFunc(slices.Clone(packages), func(p string) bool { return !clean(p) }), nil
}

// git returns what git says in the checkout, even if the environment names another one. It
// runs no hooks.
func (c Checkout) git(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "core.hooksPath=" + os.DevNull}, args...)...)
	cmd.Dir = c.root
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") })
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // git tidies up after itself then
	cmd.WaitDelay = 20 * time.Second
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w: %s", err, strings.TrimSpace(string(exit.Stderr)))
		}
		return "", cmp.Or(ctx.Err(), err)
	}
	return strings.TrimSpace(string(out)), nil
}
