package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchfmt"
)

// absent finds only the programs that are named.
func absent(but ...string) func(string) (string, error) {
	return func(name string) (string, error) {
		for _, b := range but {
			if b == name {
				return "/bin/" + name, nil
			}
		}
		return "", errors.New("not found")
	}
}

func TestTheCompilerIsThatOfTheEnvironmentOrTheFirstThereIs(t *testing.T) {
	cc, err := findCompiler("mycc -m64", absent("mycc", "cc"))
	require.NoError(t, err)
	require.Equal(t, []string{"mycc", "-m64"}, cc.command)
	cc, err = findCompiler(" ", absent("clang", "gcc"))
	require.NoError(t, err)
	require.Equal(t, []string{"gcc"}, cc.command)
	_, err = findCompiler("", absent())
	require.ErrorIs(t, err, errNoCompiler)
	_, err = findCompiler("mycc", absent("cc"))
	require.ErrorContains(t, err, "mycc")
	require.NotErrorIs(t, err, errNoCompiler)
}

// A processor that the compiler cannot name is no reason not to measure; that it compiles
// nothing is.
func TestTheCompilerIsAskedForThisProcessorFirst(t *testing.T) {
	compiled(t) // there is one
	cc := &compiler{command: []string{"sh", "-c", `case "$*" in *native*) exit 1;; esac`, "cc"}}
	require.NoError(t, cc.build(t.Context(), t.TempDir()))
	require.NotContains(t, cc.flags, "-march=native")
	cc = &compiler{command: []string{"sh", "-c", "echo no such flag; exit 1", "cc"}}
	require.ErrorContains(t, cc.build(t.Context(), t.TempDir()), "no such flag")
}

func TestNothingIsMeasuredWithoutACompiler(t *testing.T) {
	t.Setenv("CC", "")
	t.Setenv("PATH", t.TempDir())
	status, out, _ := outcome(t)
	require.Zero(t, status)
	require.Contains(t, out, "no C compiler was found")
}

func TestWrongFlagsAreRefused(t *testing.T) {
	for args, says := range map[string]string{
		"--pending 0":                 "0 pending, want 1 to 10000000",
		"--pending 1,x":               "--pending",
		"--pending=":                  "nothing to measure",
		"--rounds 0":                  "0 rounds, want 1 to 1000",
		"--ops pair,insert":           `operation "insert", want some of pair, reset and run-out`,
		"--contestants nobody":        `unknown contestant "nobody"`,
		"--contestants listsched":     "listsched is not measured",
		"--contestants netty":         "netty is not measured",
		"--frobnicate":                "unknown flag",
		"--publish nowhere":           "nowhere is no folder of results",
		"play":                        "expected",
		"play hierwheel pair 0 1 1 1": "0 pending",
	} {
		status, _, errOut := outcome(t, strings.Fields(args)...)
		require.Equal(t, exitUsage, status, args)
		require.Contains(t, errOut, says, args)
	}
	t.Setenv("CC", "no-such-compiler")
	status, _, errOut := outcome(t)
	require.Equal(t, exitFailed, status)
	require.Contains(t, errOut, `CC is "no-such-compiler"`)
}

// TestAllOfItAtTinySizes runs processes of both sides and publishes what they show.
func TestAllOfItAtTinySizes(t *testing.T) {
	compiled(t)
	t.Setenv(asYardstick, "1")
	dir := t.TempDir()
	readme := filepath.Join(dir, readmeFile)
	require.NoError(t, os.WriteFile(readme, []byte("# Results\n"), 0o644))
	status, out, errOut := outcome(t, "--quick", "--rounds", "2", "--contestants", "hierwheel,roundswheel", "--publish", dir)
	require.Zero(t, status, errOut)
	for _, part := range []string{"hierwheel beside C, hierarchical:", "roundswheel beside C, hashed, 512 slots:", "- Run-out:"} {
		require.Contains(t, out, part)
	}
	text, err := os.ReadFile(readme)
	require.NoError(t, err)
	require.Contains(t, string(text), sectionHeading)
	f, err := os.Open(filepath.Join(dir, dataFile))
	require.NoError(t, err)
	defer f.Close()
	impls, lines := map[string]bool{}, 0
	for r := benchfmt.NewReader(f, f.Name()); r.Scan(); {
		result, ok := r.Result().(*benchfmt.Result)
		require.True(t, ok, "%v", r.Result())
		_, parts := result.Name.Parts()
		impls[string(bytes.Join(parts[2:], nil))] = true
		lines++
	}
	require.Len(t, impls, 4)
	require.Equal(t, (2+2)*6*2, lines, "of 2 wheels and 2 schedulers, 6 exercises, 2 rounds")
}

func TestNothingIsPublishedWhereThereAreNoResults(t *testing.T) {
	require.Error(t, findings{}.publish(t.TempDir()))
}

func TestWhatTheCompilerSaysIsNothing(t *testing.T) {
	dir := compiled(t)
	cc, err := findCompiler(os.Getenv("CC"), exec.LookPath)
	require.NoError(t, err)
	for _, define := range wheels {
		out, err := cc.run(t.Context(), dir, "-std=c11", "-O2", "-Wall", "-Wextra", define, "-o", program(dir, "warned"), "main.c")
		require.NoError(t, err)
		require.Empty(t, string(out))
	}
}
