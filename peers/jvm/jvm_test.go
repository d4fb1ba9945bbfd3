package jvm

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/harness"
	"schedbench/harness/blocks"
	"schedbench/internal/lists"
	"schedbench/internal/must"
	"schedbench/live"
	"schedbench/workload"
)

// here returns the Java that is here, or skips the test.
func here(t *testing.T) machine {
	t.Helper()
	m := find(jars)
	if m.java == "" {
		t.Skip("there is no Java")
	}
	return m
}

// path makes the variable PATH a folder that has only the commands given, which do nothing.
func path(t *testing.T, commands ...string) {
	t.Helper()
	dir := t.TempDir()
	for _, c := range commands {
		require.NoError(t, os.WriteFile(filepath.Join(dir, c), []byte("#!/bin/sh\n"), 0o755))
	}
	t.Setenv("PATH", dir)
}

func TestWhatIsMissingIsSaidAndTheOthersAreThere(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a file is no command there by its mode")
	}
	for _, commands := range [][]string{nil, {"java"}, {"javac"}} {
		path(t, commands...)
		all, missing := Originals()
		require.Empty(t, all)
		require.Contains(t, missing, packages)
	}

	path(t, "java", "javac")
	m := find(t.TempDir())
	require.NotEmpty(t, m.java)
	require.Contains(t, m.missing, "libnetty-java")

	dir := t.TempDir()
	for _, jar := range []string{"netty-common.jar", "jctools-core.jar"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, jar), nil, 0o644))
	}
	m = find(dir)
	require.Empty(t, m.missing)
	require.Len(t, m.netty, 2)

	all, _ := Originals()
	require.Contains(t, lists.Each(all, func(c harness.Contestant) string { return c.Name }), "java-timer", "it needs no Netty")
}

func TestEveryOriginalHasAPresetAndANameOfItsOwn(t *testing.T) {
	presets := must.Get(Presets())(t)
	seen := map[string]bool{}
	for _, o := range originals() {
		require.False(t, seen[o.Name], o.Name)
		seen[o.Name] = true
		require.True(t, slices.ContainsFunc(presets, func(p harness.Contestant) bool { return p.Name == o.Beside && p.Preset }), o.Beside)
	}
}

func TestTheProgramIsBuiltOnce(t *testing.T) {
	m, cache := here(t), t.TempDir()
	dir := must.Get(m.build(cache))(t)
	player := filepath.Join(dir, "Player.class")
	before := must.Get(os.Stat(player))(t)
	require.Equal(t, dir, must.Get(m.build(cache))(t))
	require.Equal(t, before.ModTime(), must.Get(os.Stat(player))(t).ModTime())
	require.Empty(t, must.Get(filepath.Glob(filepath.Join(cache, "schedbench", "building-*")))(t))

	m.javac = filepath.Join(cache, "none")
	_, err := m.build(t.TempDir())
	require.ErrorContains(t, err, "javac")
}

var cache string // where the tests build the program

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "jvm")
	if err != nil {
		panic(err)
	}
	cache = dir
	status := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(status)
}

// built returns the Java that is here and a folder with the program.
func built(t *testing.T) (machine, string) {
	t.Helper()
	m := here(t)
	return m, must.Get(m.build(cache))(t)
}

// launched calls f with a process for each original that is here.
func launched(t *testing.T, f func(t *testing.T, p *process)) {
	m, dir := built(t)
	for _, o := range originals() {
		if o.class == "NettyTimers" && m.netty == nil {
			continue
		}
		t.Run(o.Name, func(t *testing.T) {
			p := must.Get(m.launch(t.Context(), dir, append([]string{o.class}, o.args...)...))(t)
			f(t, p)
			require.NoError(t, p.Close())
		})
	}
}

func TestOriginalsFireWhatIsPlanned(t *testing.T) {
	const ms = time.Millisecond
	launched(t, func(t *testing.T, p *process) {
		ctx := t.Context()
		arrivals := []time.Duration{0, ms, 5 * ms, 5 * ms}
		deadlines := []time.Duration{10 * ms, 30 * ms, 20 * ms, 40 * ms}
		o := live.Options{Patience: 20 * time.Second}
		for _, s := range []*live.Slice{live.Arrivals(arrivals, deadlines), live.PunctualArrivals(arrivals, deadlines), live.Pending(deadlines)} {
			o.ToTheLast = len(s.Pending) > 0
			if o.ToTheLast {
				o.Armed = func() error { return nil }
			}
			out := must.Get(p.Play(ctx, s, o))(t)
			require.Equal(t, 4, out.Fired)
			require.Zero(t, out.Lost+out.Doubled)
			require.Len(t, out.Firings, 4)
			if s.Punctual {
				require.Len(t, out.HandedLate, 4)
			}
			if runtime.GOOS == "linux" {
				require.True(t, out.Metered)
				require.Positive(t, out.CPU+out.PlayerCPU)
			}
		}
	})
}

func TestOriginalsReplaceTimers(t *testing.T) {
	launched(t, func(t *testing.T, p *process) {
		ctx := t.Context()
		empty, _, err := p.Bytes(ctx)
		require.NoError(t, err)
		require.NoError(t, p.Fill(ctx, 10_000, time.Hour, 1))
		took, wrong, err := p.Replace(ctx, 1000, 2)
		require.NoError(t, err)
		require.Zero(t, wrong)
		require.Positive(t, took)
		filled, collection, err := p.Bytes(ctx)
		require.NoError(t, err)
		require.Positive(t, collection)
		require.Greater(t, filled-empty, float64(10_000*8))
		require.NoError(t, p.Warm(ctx, 100))
		_, took, err = p.Flood(ctx, 1000, time.Hour, time.Millisecond)
		require.NoError(t, err)
		require.Positive(t, took)
	})
}

func TestVersionsAreKnown(t *testing.T) {
	m := here(t)
	require.NotEmpty(t, m.version())
	if m.netty != nil {
		require.Regexp(t, `^\d+\.`, m.nettyVersion())
	}
	require.Empty(t, machine{netty: []string{filepath.Join(t.TempDir(), "none")}}.nettyVersion())
}

// saying returns a process that says these lines.
func saying(lines ...string) *process {
	return &process{Process: &blocks.Process{Cmd: &exec.Cmd{Process: &os.Process{Pid: os.Getpid()}}, Out: bufio.NewReader(strings.NewReader(strings.Join(lines, "\n") + "\n"))}}
}

func TestWhatFallsBehindIsPlayedAgain(t *testing.T) {
	require.Equal(t, 7*time.Nanosecond, must.Get(saying("armed 0", "armed 0", "played 7").watch())(t).PlayerCPU)
	for _, lines := range [][]string{{"played 7"}, {"armed 0", "error why"}, {"armed"}, {"armed 0"}} {
		_, err := saying(lines...).watch()
		require.Error(t, err, lines)
	}
}

func TestAnErrorOfTheProgramIsTold(t *testing.T) {
	m, dir := built(t)
	p := must.Get(m.launch(t.Context(), dir, "NoTimers"))(t)
	require.ErrorContains(t, p.Fill(t.Context(), 1, 0, 1), "NoTimers")

	moved := live.Arrivals([]time.Duration{0}, []time.Duration{1})
	moved.Ops[0].Kind = workload.Cancel
	_, err := p.Play(t.Context(), moved, live.Options{})
	require.ErrorIs(t, err, errors.ErrUnsupported)
	require.NoError(t, p.Close())

	ctx, cancel := context.WithCancel(t.Context())
	p = must.Get(m.launch(ctx, dir, "UtilTimers"))(t)
	cancel()
	require.Error(t, p.Close(), "it was killed")
}
