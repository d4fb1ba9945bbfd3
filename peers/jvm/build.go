package jvm

import (
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed java/*.java
var sources embed.FS

// nettySource is left out on a machine without Netty.
const nettySource = "NettyTimers.java"

// build returns the folder of the program, in the user's cache. It compiles the program unless the folder has one of the
// same sources, Java and jars.
func (m machine) build(cache string) (dir string, err error) {
	hash := sha256.New()
	fmt.Fprintln(hash, m.version(), m.nettyVersion())
	err = eachSource(func(_ string, text []byte) error { _, err := hash.Write(text); return err })
	if err != nil {
		return "", err
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

// eachSource calls f for each source.
func eachSource(f func(name string, text []byte) error) error {
	return fs.WalkDir(sources, "java", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := sources.ReadFile(path)
		return errors.Join(err, f(d.Name(), text))
	})
}

// compile compiles the sources into a folder, and leaves them there.
func (m machine) compile(dir string) error {
	var files []string
	err := eachSource(func(name string, text []byte) error {
		if name == nettySource && m.netty == nil {
			return nil
		}
		files = append(files, filepath.Join(dir, name))
		return os.WriteFile(files[len(files)-1], text, 0o644)
	})
	if err != nil {
		return err
	}
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
