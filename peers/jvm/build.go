package jvm

import (
	"crypto/sha256"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed java/*.java
var sources embed.FS

const nettySource = "NettyTimers.java" // is left out on a machine without Netty

// build returns the folder of the program in the cache. It compiles unless that has one of the same sources, Java and jars.
func (m machine) build(cache string) (dir string, err error) {
	hash := sha256.New()
	fmt.Fprintln(hash, m.version(), m.nettyVersion())
	names, _ := fs.Glob(sources, "java/*") // neither this nor to read what is embedded fails
	for _, name := range names {
		text, _ := sources.ReadFile(name)
		hash.Write(text)
	}
	dir = filepath.Join(cache, "schedbench", fmt.Sprintf("jvm-%x", hash.Sum(nil)[:8]))
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), "building-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	if err := m.compile(tmp); err != nil {
		return "", err
	}
	if err := os.Rename(tmp, dir); err != nil {
		if _, there := os.Stat(dir); there != nil { // or another process was faster
			return "", err
		}
	}
	return dir, nil
}

// compile compiles the sources into a folder, and leaves them there.
func (m machine) compile(dir string) error {
	if err := os.CopyFS(dir, sources); err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(dir, "java", "*"))
	if err != nil {
		return err
	}
	files = slices.DeleteFunc(files, func(name string) bool { return m.netty == nil && filepath.Base(name) == nettySource })
	out, err := exec.Command(m.javac, append([]string{"-d", dir, "-cp", m.classPath(dir)}, files...)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("javac: %w: %s", err, out)
	}
	return nil
}

// classPath returns where Java finds the program in a folder, and what it needs.
func (m machine) classPath(dir string) string {
	return strings.Join(append([]string{dir}, m.netty...), string(filepath.ListSeparator))
}
