package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed c/*
var sources embed.FS

// errNoCompiler means that there is none, which is no failure: the product needs none.
var errNoCompiler = errors.New("no C compiler was found (cc, or CC in the environment)")

// compiler is a C compiler that understands the flags of cc.
type compiler struct {
	command []string
	flags   []string // that build took
	version string   // set by build
}

// findCompiler returns the compiler that CC names, as make has it, or cc.
func findCompiler(cc string, look func(name string) (string, error)) (*compiler, error) {
	if command := strings.Fields(cc); len(command) > 0 {
		if _, err := look(command[0]); err != nil {
			return nil, fmt.Errorf("CC is %q in the environment: %w", cc, err)
		}
		return &compiler{command: command}, nil
	}
	if _, err := look("cc"); err != nil {
		return nil, errNoCompiler
	}
	return &compiler{command: []string{"cc"}}, nil
}

// wheels are the programs, by what is defined when they are compiled.
var wheels = map[string]string{"hierarchical": "-DHIERARCHICAL", "hashed": "-DHASHED"}

// build compiles the programs into a folder, for this very processor if the compiler can.
func (c *compiler) build(ctx context.Context, dir string) error {
	if err := os.CopyFS(dir, sources); err != nil {
		return err
	}
	if out, err := c.run(ctx, dir, "--version"); err == nil {
		c.version, _, _ = strings.Cut(string(out), "\n")
	}
	err := c.compile(ctx, dir, "-std=c11", "-O2", "-march=native")
	if err != nil && ctx.Err() == nil {
		err = c.compile(ctx, dir, "-std=c11", "-O2")
	}
	return err
}

func (c *compiler) compile(ctx context.Context, dir string, flags ...string) error {
	c.flags = flags
	for name, define := range wheels {
		out, err := c.run(ctx, dir, slices.Concat(flags, []string{"-Wall", "-Wextra", define, "-o", program(dir, name), filepath.Join("c", "main.c")})...)
		if err != nil {
			return fmt.Errorf("%s does not compile the %s wheel: %w\n%s", strings.Join(c.command, " "), name, err, out)
		}
	}
	return nil
}

func program(dir, wheel string) string { return filepath.Join(dir, wheel+".exe") }

func (c *compiler) run(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, c.command[0], slices.Concat(c.command[1:], args)...)
	cmd.Dir = dir
	return cmd.CombinedOutput()
}

// String says what compiled.
func (c *compiler) String() string { return c.version + ", " + strings.Join(c.flags, " ") }
