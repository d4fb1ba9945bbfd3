package cli

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// pageIn writes a page into a folder, as of some time.
func pageIn(t *testing.T, dir string, at time.Time) string {
	t.Helper()
	path := put(t, filepath.Join(dir, pageFile), "<!doctype html>")
	require.NoError(t, os.Chtimes(path, at, at))
	return path
}

// displays sets whether there is a display, and a browser that notes what it opens in the file that is returned.
func displays(t *testing.T, there bool) (opened string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("browsers are opened otherwise here")
	}
	opened = filepath.Join(t.TempDir(), "opened")
	t.Setenv("PATH", filepath.Dir(written(t, "xdg-open", "#!/bin/sh\nprintf %s \"$1\" >'"+opened+"'\n")))
	t.Setenv("DISPLAY", map[bool]string{true: ":0"}[there])
	t.Setenv("WAYLAND_DISPLAY", "")
	t.Setenv("WSL_DISTRO_NAME", "")
	return opened
}

func TestOpenShowsThePageOfAFolder(t *testing.T) {
	opened := displays(t, true)
	dir := filepath.Join(t.TempDir(), "a run #1 50%")
	page := pageIn(t, dir, time.Now())
	got := bench(t, "open", dir)
	require.Equal(t, outcome{out: "opened " + page + "\n"}, got)
	require.Equal(t, "file://"+filepath.Dir(dir)+"/a%20run%20%231%2050%25/report.html", textOf(t, opened))
}

func TestOpenTakesThePageThatWasWrittenLast(t *testing.T) {
	displays(t, true)
	t.Chdir(t.TempDir())
	now := time.Now()
	pageIn(t, filepath.Join(resultsDir, "a"), now.Add(-time.Hour))
	newest := pageIn(t, filepath.Join(resultsDir, "b"), now)
	pageIn(t, filepath.Join(resultsDir, "c"), now.Add(-time.Minute))
	bench(t, "open").ends(t, 0).says(t, newest)
}

func TestOpenSaysWhereAPageIsThatNothingShows(t *testing.T) {
	opened := displays(t, false)
	page := pageIn(t, t.TempDir(), time.Now())
	bench(t, "open", filepath.Dir(page)).ends(t, 0).says(t, page)
	require.NoFileExists(t, opened)

	displays(t, true)
	t.Setenv("PATH", t.TempDir())
	bench(t, "open", filepath.Dir(page)).ends(t, 0).says(t, "no browser opens it", page)
}

func TestOpenTellsWhatIsMissing(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	require.Equal(t, outcome{exitUsage, "", "bench: no folder under results holds a report.html: run \"bench run\" first, or name the folder of a run\n"}, bench(t, "open"))
	require.NoError(t, os.Mkdir("empty", 0o755))
	bench(t, "open", "empty").refused(t, "empty holds no report.html, want the folder of a run")
	require.NoError(t, os.MkdirAll(filepath.Join("old", dataDir), 0o755))
	got := bench(t, "open", "old").ends(t, exitUsage)
	require.Regexp(t, `old holds a run without report.html: "bench plot .*old" writes it`, got.err)
}

func TestAFileHasAnAddressOnEverySystem(t *testing.T) {
	require.Equal(t, "file:///tmp/a%20b/report.html", fileURL("/tmp/a b/report.html"))
	require.Equal(t, "file:///C:/runs/report.html", fileURL("C:/runs/report.html"))
}
