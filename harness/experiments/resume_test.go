package experiments_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/internal/must"
)

func insertPlan(t *testing.T) *harness.Plan {
	t.Helper()
	p := tiny(t, "heapsched")
	p.Experiments, p.Ops, p.Pending = []string{rundata.Cost}, []string{"insert", "pair"}, []int{10}
	return p
}

func begin(t *testing.T, p *harness.Plan, dir string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := harness.Run(ctx, p, dir, nil, func(s harness.Step) {
		if s.Blocks == 1 {
			cancel()
		}
	})
	require.ErrorIs(t, err, context.Canceled)
}

// begunWith changes what a run says of itself; no value removes the line.
func begunWith(t *testing.T, dir, key, value string) {
	t.Helper()
	path := filepath.Join(dir, "run.bench")
	text := must.Get(os.ReadFile(path))(t)
	line := ""
	if value != "" {
		line = "# " + key + ": " + value + "\n"
	}
	is := regexp.MustCompile(`(?m)^(# )?` + key + `: .*\n`)
	require.NoError(t, os.WriteFile(path, []byte(line+is.ReplaceAllString(string(text), "")), 0o644))
}

func dataOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, e := range must.Get(os.ReadDir(dir))(t) {
		files[e.Name()] = string(must.Get(os.ReadFile(filepath.Join(dir, e.Name())))(t))
	}
	return files
}

// TestWhatTwoBuildsMeasureIsNotMixed asks again for a run, finished or not, of another build or environment.
func TestWhatTwoBuildsMeasureIsNotMixed(t *testing.T) {
	for name, measured := range map[string]func(*testing.T, *harness.Plan, string){
		"unfinished": begin,
		"finished":   func(t *testing.T, p *harness.Plan, dir string) { measure(t, p, dir) },
	} {
		t.Run(name, func(t *testing.T) {
			p, dir := insertPlan(t), t.TempDir()
			measured(t, p, dir)
			described := dataOf(t, dir)["run.bench"]
			for _, key := range []string{"commit", "build", "go-version", "gomaxprocs", "cpu", "kernel", "goos", "goarch"} {
				begunWith(t, dir, key, "another")
				before := dataOf(t, dir)
				said := key + ` was "another" and is `

				var seen reported
				_, err := harness.Run(t.Context(), p, dir, nil, seen.progress)
				require.ErrorIs(t, err, rundata.ErrOtherBuild)
				require.ErrorContains(t, err, said)
				require.Empty(t, seen.blocks)
				require.Equal(t, before, dataOf(t, dir))
				require.NoError(t, os.WriteFile(filepath.Join(dir, "run.bench"), []byte(described), 0o644))
			}
		})
	}
}

func TestABlockHasTheDayOnWhichItWasMeasured(t *testing.T) {
	p, dir := insertPlan(t), t.TempDir()
	begin(t, p, dir)
	begunWith(t, dir, "date", "2001-01-01")
	d, seen := measure(t, p, dir)
	require.Equal(t, "2001-01-01", d.Env["date"], "when the run began")
	require.NotContains(t, d.Env, "command", "the run is described by what began it")
	require.Equal(t, []string{"block-01"}, seen.blocks)
	require.Empty(t, rundata.Unfinished(dir, p.Fingerprint()), "and now it is finished")
	text := must.Get(rundata.ReadText(filepath.Join(dir, seen.blocks[0]+".bench.gz")))(t)
	require.Contains(t, string(text), "# date: "+time.Now().UTC().Format("2006-")) // not this day: it may be midnight
}

func TestUnfinishedSaysWhatHasChanged(t *testing.T) {
	p, parent := insertPlan(t), t.TempDir()
	dir, pattern := filepath.Join(parent, "a", "data"), filepath.Join(parent, "*", "data")
	begin(t, p, dir)
	begunWith(t, dir, "commit", "0123456789ab")
	begunWith(t, dir, "kernel", "")
	found := rundata.Unfinished(pattern, p.Fingerprint())
	require.Len(t, found, 1)
	require.Equal(t, dir, found[0].Dir)
	said := strings.Join(found[0].Changed, "; ")
	require.Contains(t, said, `commit was "0123456789ab" and is `)
	if runtime.GOOS == "linux" {
		require.Contains(t, said, `kernel was unknown and is "`)
	}
}

func TestAFolderHoldsOneRunAtATime(t *testing.T) {
	switch runtime.GOOS {
	case "linux", "darwin":
	default:
		t.Skip("this system cannot lock a folder")
	}
	p, parent := insertPlan(t), t.TempDir()
	dir, pattern := filepath.Join(parent, "a", "data"), filepath.Join(parent, "*", "data")
	looked := false
	_, err := harness.Run(t.Context(), p, dir, nil, func(s harness.Step) {
		if s.Blocks != 1 {
			return
		}
		looked = true
		var seen reported
		_, err := harness.Run(t.Context(), p, dir, nil, seen.progress)
		require.ErrorIs(t, err, rundata.ErrInUse)
		require.ErrorContains(t, err, dir)
		require.Empty(t, seen.blocks)
		require.Empty(t, rundata.Unfinished(pattern, p.Fingerprint()), "it goes on already")
	})
	require.NoError(t, err)
	require.True(t, looked)
	measure(t, p, dir)
}

func TestNoOtherRunGetsANewFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results", "run")
	var mu sync.Mutex
	var wg sync.WaitGroup
	found := map[string]bool{}
	const many = 50
	for range many {
		wg.Go(func() {
			dir, err := rundata.NewFolder(path)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				found[dir] = true
			}
		})
	}
	wg.Wait()
	require.Len(t, found, many)
	require.Contains(t, found, path)
	require.Contains(t, found, path+"-2")
	require.Contains(t, found, path+"-50")

	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	_, err := rundata.NewFolder(filepath.Join(file, "run"))
	require.ErrorContains(t, err, file)
}
