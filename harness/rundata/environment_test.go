package rundata

import (
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/internal/must"
)

func TestWhatTheMachineDidAroundABlock(t *testing.T) {
	for name, c := range map[string]struct {
		said []Param
		want SystemLoad
	}{
		"all of it": {
			[]Param{{"date", "2026-01-02"}, {"steal-ticks-before", "100"}, {"steal-ticks-after", "130"}, {"took", "12.5s"}, {"others-share", "0.031"}, {"on-battery-after", "true"}},
			SystemLoad{Took: 12500 * time.Millisecond, Stolen: 300 * time.Millisecond, Others: 0.031, Battery: true},
		},
		"nothing": {nil, SystemLoad{Stolen: -1, Others: -1}},
		"nothing stolen": {
			[]Param{{"steal-ticks-before", "7"}, {"steal-ticks-after", "7"}},
			SystemLoad{Stolen: 0, Others: -1},
		},
		"of two runs": {
			[]Param{{"date", "2026-01-02 | 2026-01-03"}, {"steal-ticks-before", "7 | 9"}, {"steal-ticks-after", "8 | 9"}, {"took", "1s | 2s"}},
			SystemLoad{Stolen: -1, Others: -1},
		},
		"a counter that began anew": {
			[]Param{{"steal-ticks-before", "7"}, {"steal-ticks-after", "6"}}, SystemLoad{Stolen: -1, Others: -1},
		},
	} {
		require.Equal(t, c.want, SystemLoadOf(c.said), name)
	}
}

func TestABatteryThatIsEmptiedIsSeen(t *testing.T) {
	supply := func(root, name string, files map[string]string) {
		require.NoError(t, os.MkdirAll(filepath.Join(root, name), 0o755))
		for file, text := range files {
			require.NoError(t, os.WriteFile(filepath.Join(root, name, file), []byte(text+"\n"), 0o644))
		}
	}
	root := t.TempDir()
	require.False(t, onBattery(root), "a machine without")
	supply(root, "BAT0", map[string]string{"type": "Battery", "status": "Discharging"})
	require.True(t, onBattery(root))
	supply(root, "AC", map[string]string{"type": "Mains", "online": "0"})
	require.True(t, onBattery(root))
	supply(root, "AC", map[string]string{"online": "1"})
	require.False(t, onBattery(root))
	mouse := t.TempDir()
	supply(mouse, "hidpp_battery_0", map[string]string{"type": "Battery", "status": "Discharging", "scope": "Device"})
	require.False(t, onBattery(mouse), "a mouse")
}

func TestASlowBuildIsNamed(t *testing.T) {
	for want, settings := range map[string]map[string]string{
		"":                               {"-compiler": "gc", "-gcflags": "-m", "-race": "false"},
		"race detector":                  {"-race": "true"},
		"race detector, no optimization": {"-race": "true", "-gcflags": "all=-N -l"},
		"no optimization":                {"-gcflags": "-l"},
		"coverage":                       {"-cover": "true"},
	} {
		require.Equal(t, want, slowedBy(settings))
	}
}

func TestFiguresThatCannotBeAreRefused(t *testing.T) {
	for _, c := range []struct {
		unit      string
		sound     []float64
		refused   []float64
		complains string
	}{
		{NsPerOp, []float64{1e-3, 50, 3600e9}, []float64{0, -1, 4000e9}, "want more than 0"},
		{P999Took, []float64{1, 1e9}, []float64{0, -3, 7200e9}, "want more than 0"},
		{ReadNs, []float64{-5, 0, 50}, []float64{7200e9, -7200e9}, "want at most 3.6e+12"},
		{CPUPerSecond, []float64{0, 2e9, 1024e9}, []float64{1025e9}, "want at most"},
		{BytesPerTimer, []float64{0.5, 137}, []float64{0, -8, 2e12}, "want more than 0"},
		{"virtual-ns", []float64{0, 86400e9}, []float64{1e19}, "want at most"},
		{"disk-B/timer", []float64{369}, []float64{2e12}, "want at most 1e+12"},
		{"apples", []float64{-3, 0, 3}, []float64{1e16}, "want at most"},
	} {
		for _, v := range c.sound {
			require.NoError(t, checkFigure(c.unit, v))
		}
		for _, v := range append(c.refused, math.NaN(), math.Inf(1), math.Inf(-1)) {
			require.ErrorContains(t, checkFigure(c.unit, v), c.unit+", want ", "%v", v)
		}
		require.ErrorContains(t, checkFigure(c.unit, c.refused[0]), c.complains)
		measured := NewSeries(Idle, "impl", "a")
		measured.Add(0, 1, Values{c.unit: c.refused[0]})
		file := File{Name: "block-00", Cells: []Measured{{Name: "idle", Series: []*Series{measured}}}}
		require.ErrorContains(t, file.Save(t.TempDir()), "Idle/impl=a was measured as ", "it is not written either")
	}
}

// The parts of the published results load: no figure in them is refused.
func TestPublishedFiguresAreSound(t *testing.T) {
	if testing.Short() {
		t.Skip("all results")
	}
	n := 0
	require.NoError(t, filepath.WalkDir(filepath.Join("..", "..", "results"), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Base(filepath.Dir(path)) != "data" || !strings.HasSuffix(path, BenchExt) {
			return err
		}
		p, err := LoadFile(path)
		if err == nil {
			n += len(p.Series())
		}
		return err
	}))
	require.Greater(t, n, 500)
}

func repository(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	dir = t.TempDir()
	for name, text := range files {
		put(t, filepath.Join(dir, name), text)
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"},
		{"-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "all"}} {
		out, ok := git(dir, args...)
		require.True(t, ok, "git %v: %s", args, out)
	}
	return dir
}

func put(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

func headOf(t *testing.T, dir string) string {
	t.Helper()
	head, ok := git(dir, "rev-parse", "HEAD")
	require.True(t, ok)
	return head[:12]
}

func thisModule() map[string]string {
	return map[string]string{"go.mod": "module schedbench\n\ngo 1.26.0\n", "harness/run.go": "package harness\n", "README.md": "...\n"}
}

func TestGitIsAskedForTheCommit(t *testing.T) {
	const removed = "-"
	for name, c := range map[string]struct{ file, text, want string }{
		"nothing":                              {"README.md", thisModule()["README.md"], ""},
		"a source":                             {"harness/run.go", "package other\n", modified},
		"a new source":                         {"harness/new.go", "package harness\n", modified},
		"a source removed":                     {"harness/run.go", removed, modified},
		"a profile":                            {"workload/p.toml", "", modified},
		"what is required":                     {"go.sum", "", modified},
		"results, which are written meanwhile": {"results/data/run.bench", "", ""},
		"words":                                {"README.md", "other words\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := repository(t, thisModule())
			path := filepath.Join(dir, c.file)
			if put(t, path, c.text); c.text == removed {
				require.NoError(t, os.Remove(path))
			}
			require.Equal(t, headOf(t, dir)+c.want, commitOf(dir))
		})
	}
}

func TestACommitIsLeftOutThatIsNotKnown(t *testing.T) {
	t.Run("no checkout", func(t *testing.T) {
		dir := t.TempDir()
		put(t, filepath.Join(dir, "go.mod"), thisModule()["go.mod"])
		require.Empty(t, commitOf(dir))
	})
	t.Run("no folder", func(t *testing.T) { require.Empty(t, commitOf(filepath.Join(t.TempDir(), "none"))) })
	t.Run("another module", func(t *testing.T) {
		require.Empty(t, commitOf(repository(t, map[string]string{"go.mod": "module schedbenches\n"})))
	})
	t.Run("a copy in a checkout of something else", func(t *testing.T) {
		dir := repository(t, map[string]string{"go.mod": "module other\n", "copy/go.mod": "module schedbench\n"})
		require.Empty(t, commitOf(filepath.Join(dir, "copy")))
	})
	t.Run("no git", func(t *testing.T) {
		dir := repository(t, thisModule())
		t.Setenv("PATH", t.TempDir())
		require.Empty(t, commitOf(dir))
	})
}

func TestGitIsNotToldOfAnotherRepository(t *testing.T) {
	dir, other := repository(t, thisModule()), repository(t, map[string]string{"a": "b"})
	t.Setenv("GIT_DIR", filepath.Join(other, ".git"))
	t.Setenv("GIT_WORK_TREE", other)
	require.Equal(t, headOf(t, dir), commitOf(dir))
	require.NotEqual(t, headOf(t, dir), headOf(t, other))
}

// TestTheCommitIsKnownWithoutTheToolchain asks for the commit of this test: the toolchain notes none, as in go run.
func TestTheCommitIsKnownWithoutTheToolchain(t *testing.T) {
	root := filepath.Join("..", "..")
	_, file, _, _ := runtime.Caller(0)
	if _, ok := git(root, "rev-parse", "HEAD"); !ok || !filepath.IsAbs(file) {
		t.Skip("not a checkout, or built without paths")
	}
	got := Get(Environment(), "commit")
	require.Equal(t, headOf(t, root), strings.TrimSuffix(got, modified))
}

func TestModulesOfThisCheckoutHaveItsCommit(t *testing.T) {
	for main, want := range map[string]bool{"schedbench": true, "schedbench/durable": true, "schedbenches": false, "example.com/schedbench": false, "": false} {
		require.Equal(t, want, isOurs(main), main)
	}
}

func TestABuildIsToldFromOthers(t *testing.T) {
	got := Get(Environment(), "build")
	require.Regexp(t, "^[0-9a-f]{12}$", got)
	require.Equal(t, got, findBuild(), "it is the same each time")
}

func TestNoPathOfTheMachineIsNoted(t *testing.T) {
	here := must.Get(os.Getwd())(t)
	program := must.Get(os.Executable())(t)
	for _, p := range Environment() {
		require.NotContains(t, p.Value, filepath.Dir(here), p.Key)
		require.NotContains(t, p.Value, filepath.Dir(program), p.Key)
	}
}
