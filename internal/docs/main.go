// Command docs puts the output of commands into README.md and docs/*.md, where they show it:
//
//	go run ./internal/docs
//
// A sample is a fenced block under a comment that says which command prints it:
//
//	<!-- output: bench trace info workload/trace/testdata/nginx.trace.gz -->
//
// The command runs in bash, in a folder with copies of results and workload: it writes nothing into the checkout. Pipes
// may shorten what it prints. It prints what the repository has, so each run prints the same.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run is the command, called at the root of the module.
func run() error {
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "docs-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	shell := &shell{dir}
	if err := shell.fill(); err != nil {
		return err
	}
	for _, name := range append([]string{"README.md"}, pages...) {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		page, samples, err := fresh(name, string(text), shell.output)
		if err != nil {
			return err
		}
		if page != string(text) {
			if err := os.WriteFile(name, []byte(page), 0o666); err != nil {
				return err
			}
		}
		fmt.Printf("%s: %d samples\n", name, samples)
	}
	return nil
}

// shell runs commands in a folder of its own.
type shell struct{ dir string }

// fill builds bench, and copies what commands may read.
func (s *shell) fill() error {
	for _, name := range []string{"results", "workload"} {
		if err := os.CopyFS(filepath.Join(s.dir, name), os.DirFS(name)); err != nil {
			return err
		}
	}
	build := exec.Command("go", "build", "-o", filepath.Join(s.dir, "bin", "bench"), "./cmd/bench")
	build.Stderr = os.Stderr
	return build.Run()
}

// output returns what a command prints, without what is on its other stream.
func (s *shell) output(command string) (string, error) {
	c := exec.Command("bash", "-o", "pipefail", "-c", command)
	c.Dir = s.dir
	c.Env = append(os.Environ(), "PATH="+filepath.Join(s.dir, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"), "NO_COLOR=1",
		"XDG_CACHE_HOME="+filepath.Join(s.dir, "cache"))
	printed, err := c.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return "", fmt.Errorf("%w: %s", err, exit.Stderr)
	}
	if err == nil && strings.TrimSpace(string(printed)) == "" {
		err = errors.New("it prints nothing")
	}
	return string(printed), err
}
