// Package revision measures two revisions of this module side by side: it builds an old one and the working tree, and
// lets processes of both take turns. They share what the machine does meanwhile, and average where each process lies in
// memory, which no number of samples within a run shows.
package revision

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"schedbench/internal/lists"
	"schedbench/internal/machine"
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

const module = "schedbench"

// Checkout is a checkout of this module, whose working tree is compared with a commit.
type Checkout struct {
	// Changed lists the files that differ, but for tests, texts, and comments of Go. A file that was moved differs where it was
	// and where it is.
	Changed []string

	root   string // of the module
	prefix string // of the module in the checkout
	commit string
}

// Find returns the checkout that a folder is in, compared with the commit that a name of git's stands for.
func Find(ctx context.Context, dir, rev string) (c Checkout, err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return c, err
	}
	for c.root = dir; machine.Line(filepath.Join(c.root, "go.mod")) != "module "+module; c.root = filepath.Dir(c.root) {
		if c.root == filepath.Dir(c.root) {
			return c, fmt.Errorf("%s is not in a checkout of module %s, want to be called in one", dir, module)
		}
	}
	if c.prefix, err = c.git(ctx, "rev-parse", "--show-prefix"); err != nil {
		return c, fmt.Errorf("%s is not in a checkout of git: %w", c.root, err)
	}
	if c.commit, err = c.git(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}"); err != nil {
		return c, fmt.Errorf("git knows no revision %q in %s", rev, c.root)
	}
	c.Changed, err = c.changed(ctx)
	return c, err
}

// BuildBoth builds the commit and the working tree into a folder, the commit first.
func (c Checkout) BuildBoth(ctx context.Context, into string) (both [2]Build, err error) {
	aside := filepath.Join(into, "tree")
	if _, err := c.git(ctx, "worktree", "add", "--detach", "--quiet", aside, c.commit); err != nil {
		return both, fmt.Errorf("cannot check out %s: %w", c.commit, err)
	}
	defer func() { // also if it was interrupted, since git remembers the folder otherwise
		_, removed := c.git(context.WithoutCancel(ctx), "worktree", "remove", "--force", aside)
		err = errors.Join(err, removed)
	}()
	if both[0], err = build(ctx, filepath.Join(aside, c.prefix), filepath.Join(into, Sides[0]), c.commit); err != nil {
		return both, err
	}
	both[1], err = build(ctx, c.root, filepath.Join(into, Sides[1]), "the working tree")
	return both, err
}

// build builds the command of a tree. Paths are left out of the program, which is then the same wherever it is built.
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
	program, err := os.ReadFile(b.Path)
	sum := sha256.Sum256(program)
	b.Identity = fmt.Sprintf("%x", sum[:8])
	return b, err
}

var flagOf = regexp.MustCompile(`--[a-z0-9][a-z0-9-]*`)

// Flags lists the flags that a build says it knows.
func (b Build) Flags(ctx context.Context) ([]string, error) {
	out, err := exec.CommandContext(ctx, b.Path, "run", "--help").CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%s does not say what flags it knows: %w\n%s", b.Commit, err, out)
	}
	return flagOf.FindAllString(string(out), -1), nil
}

// measuring are the folders of what measures. Drivers are measured themselves.
var measuring = []string{"harness", "live", "internal/replay", "workload", "cli"}

// Measuring lists the changed files of the measuring code.
func (c Checkout) Measuring() []string { return c.In(measuring...) }

// In lists the changed files in some folders.
func (c Checkout) In(folders ...string) []string {
	return lists.Only(c.Changed, func(name string) bool {
		return slices.ContainsFunc(folders, func(f string) bool { return strings.HasPrefix(name, f+"/") })
	})
}

// Untouched returns those of some packages, each a folder of the root, whose code is the same in the commit and in the
// working tree: no file of theirs, of what they import, or of what measures has changed.
func (c Checkout) Untouched(ctx context.Context, packages []string) (same []string, err error) {
	experiments, err := c.imports(ctx, "harness/experiments")
	if err != nil {
		return nil, ctx.Err() // without what measures nothing is known to be the same
	}
	experiments = slices.DeleteFunc(experiments, func(f string) bool { return slices.Contains(packages, f) })
	ofAll := func(name string) bool { return slices.Contains([]string{"go.mod", "go.sum", "go.work"}, name) }
	if slices.ContainsFunc(c.Changed, ofAll) || len(c.In(slices.Concat(measuring, experiments, []string{"catalog", "cmd/bench"})...)) > 0 {
		return nil, nil
	}
	for _, p := range packages {
		if folders, err := c.imports(ctx, p); err == nil && len(c.In(folders...)) == 0 {
			same = append(same, p)
		}
	}
	return same, ctx.Err()
}

// imports lists the folders of this module that a package is built from, its own among them.
func (c Checkout) imports(ctx context.Context, pkg string) (folders []string, err error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-deps", "-f", "{{if .Module}}{{.ImportPath}}{{end}}", "./"+pkg)
	cmd.Dir = c.root
	paths, err := cmd.Output()
	for path := range strings.SplitSeq(string(paths), "\n") {
		if folder, ours := strings.CutPrefix(strings.TrimSpace(path), module+"/"); ours {
			folders = append(folders, folder)
		}
	}
	return folders, err
}

func (c Checkout) changed(ctx context.Context) (names []string, err error) {
	for _, args := range [][]string{
		{"diff", "--relative", "--no-renames", "--name-only", "-z", c.commit},
		{"ls-files", "--others", "--exclude-standard", "-z"},
	} {
		out, err := c.git(ctx, append(args, "--", ".", ":(exclude)*_test.go", ":(exclude)*.md")...)
		if err != nil {
			return nil, err
		}
		names = append(names, strings.FieldsFunc(out, func(r rune) bool { return r == 0 })...)
	}
	return slices.DeleteFunc(names, func(name string) bool { return c.sameCode(ctx, name) }), ctx.Err()
}

// sameCode reports whether a file of Go has the same tokens in the commit and in the working tree.
func (c Checkout) sameCode(ctx context.Context, name string) bool {
	if filepath.Ext(name) != ".go" {
		return false
	}
	old, err := c.git(ctx, "show", c.commit+":./"+name)
	now, err2 := os.ReadFile(filepath.Join(c.root, name))
	return err == nil && err2 == nil && slices.Equal(tokens([]byte(old)), tokens(now))
}

// comment matches a comment that is no directive.
var comment = regexp.MustCompile(`^//(\s|$)`)

// tokens returns what a file of Go consists of, but for comments that are no directives.
func tokens(source []byte) (list []string) {
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(source)), source, nil, scanner.ScanComments)
	for {
		_, kind, literal := s.Scan()
		switch {
		case kind == token.EOF:
			return list
		case kind != token.COMMENT || !comment.MatchString(literal):
			list = append(list, kind.String()+" "+literal)
		}
	}
}

// git returns what git says in the checkout, even if the environment names another one. It runs no hooks.
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
	return strings.TrimRight(string(out), "\r\n"), nil
}
