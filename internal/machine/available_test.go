package machine

import (
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLinuxTellsHowMuchMemoryThereIs(t *testing.T) {
	bytes, known := Available()
	require.Equal(t, runtime.GOOS == "linux", known)
	if known {
		require.Greater(t, bytes, 1e6)
		require.Less(t, bytes, 1e16)
	}
}

func TestAContainerHasNoMoreThanItMayTake(t *testing.T) {
	for name, c := range map[string]struct {
		group string
		files map[string]string
		want  float64
	}{
		"a limit":           {"0::/a/b\n", map[string]string{"a/b/memory.max": "1000\n", "a/b/memory.current": "400\n"}, 600},
		"of the namespace":  {"0::/\n", map[string]string{"memory.max": "1000", "memory.current": "400"}, 600},
		"files can go":      {"0::/a\n", map[string]string{"a/memory.max": "1000", "a/memory.current": "900", "a/memory.stat": "anon 1\ninactive_file 300\nslab 7\n"}, 400},
		"more than allowed": {"0::/a\n", map[string]string{"a/memory.max": "1000", "a/memory.current": "1100"}, 0},
		"no limit":          {"0::/a\n", map[string]string{"a/memory.max": "max\n", "a/memory.current": "400"}, math.Inf(1)},
		"an older kernel":   {"4:memory:/a\n3:cpu:/b\n", map[string]string{"cpu/cpu.shares": "1"}, math.Inf(1)},
		"no groups":         {"", nil, math.Inf(1)},
	} {
		require.Equal(t, c.want, leftInGroup(groups(t, c.group, c.files)), name)
	}
}

// groups makes control groups of files, and a file that says which are those of the process.
func groups(t *testing.T, lines string, files map[string]string) (file, root string) {
	t.Helper()
	root = t.TempDir()
	file = filepath.Join(root, "cgroup")
	require.NoError(t, os.WriteFile(file, []byte(lines), 0o600))
	for path, text := range files {
		path = filepath.Join(root, path)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text+"\n"), 0o600))
	}
	return file, root
}

func TestTheLeastQuotaCounts(t *testing.T) {
	group := func(lines string, files map[string]string) string { return Quota(groups(t, lines, files)) }
	require.Empty(t, group("", nil))
	require.Equal(t, "max 100000", group("0::/a\n", map[string]string{"a/cpu.max": "max 100000"}))
	require.Equal(t, "150000 100000", group("0::/a/b\n", map[string]string{"a/b/cpu.max": "max 100000", "a/cpu.max": "150000 100000", "cpu.max": "200000 100000"}))
	require.Equal(t, "50000 100000", group("0::/not/here\n", map[string]string{"cpu.max": "50000 100000"}), "as a container sees it")
}
