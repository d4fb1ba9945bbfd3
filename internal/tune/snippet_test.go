package tune

import (
	"encoding/json"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/internal/must"
)

// TestSnippetsCompile has the compiler take them as packages of this module that are
// on no disk.
func TestSnippetsCompile(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go tool")
	}
	configs := []catalog.Config{
		{Scheduler: catalog.RuntimeTimer}, {Scheduler: catalog.Heap}, {Scheduler: catalog.List, Waiting: catalog.Precise}, {Scheduler: catalog.Heap, Tick: 1500 * time.Microsecond, Waking: catalog.Ticking},
		{Scheduler: catalog.Single, Tick: time.Second, Slots: 64}, {Scheduler: catalog.Rounds, Tick: 100 * ms, Slots: 512, Waking: catalog.Ticking},
		{Scheduler: catalog.Hier, Tick: 333 * time.Nanosecond, Slots: 16, Waiting: catalog.Precise},
	}
	dir, overlay := t.TempDir(), struct{ Replace map[string]string }{map[string]string{}}
	here := must.Get(os.Getwd())(t)
	args := []string{"build", "-overlay", filepath.Join(dir, "overlay.json")}
	for i, c := range configs {
		require.NoError(t, c.Check())
		source := filepath.Join(dir, fmt.Sprint(i, ".go"))
		require.NoError(t, os.WriteFile(source, []byte(Snippet(c)), 0o600))
		pkg := fmt.Sprint("snippet", i)
		overlay.Replace[filepath.Join(here, pkg, "timers.go")] = source
		args = append(args, "./"+pkg)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "overlay.json"), must.Get(json.Marshal(overlay))(t), 0o600))
	out, err := exec.Command("go", args...).CombinedOutput()
	require.NoError(t, err, "%s", out)

	// The compiler would have found what is wrong.
	broken := overlay.Replace[filepath.Join(here, "snippet0", "timers.go")]
	require.NoError(t, os.WriteFile(broken, []byte(Snippet(catalog.Config{Scheduler: "ring"})), 0o600))
	out, err = exec.Command("go", append(args[:3:3], "./snippet0")...).CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "schedbench/ring")
}

func TestSnippetsAreFormatted(t *testing.T) {
	s := Snippet(catalog.Config{Scheduler: catalog.Hier, Tick: 5 * ms, Slots: 256, Waiting: catalog.Precise})
	require.Contains(t, s, "hierwheel.New[driver.Task](5*time.Millisecond, 256)")
	require.Contains(t, s, "driver.Start(s,\n\t\tdriver.WithWaiting(driver.Precise{}))")
	for _, c := range []catalog.Config{{Scheduler: catalog.Heap}, {Scheduler: catalog.Heap, Tick: ms, Waking: catalog.Ticking}, {Scheduler: catalog.Single, Tick: 90 * time.Second, Slots: 4}} {
		require.Equal(t, string(must.Get(format.Source([]byte(Snippet(c))))(t)), Snippet(c))
	}
}

func TestDurationsAsSource(t *testing.T) {
	for d, want := range map[time.Duration]string{
		time.Hour: "time.Hour", 90 * time.Minute: "90*time.Minute", 1500 * ms: "1500*time.Millisecond",
		1500: "1500*time.Nanosecond", 20 * time.Microsecond: "20*time.Microsecond",
	} {
		require.Equal(t, want, durationSource(d))
	}
}
