package machine

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheLeastQuotaCounts(t *testing.T) {
	group := func(lines string, files map[string]string) string {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "cgroup"), []byte(lines), 0o644))
		for file, text := range files {
			require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(text+"\n"), 0o644))
		}
		return Quota(filepath.Join(dir, "cgroup"), dir)
	}
	require.Empty(t, group("", nil))
	require.Equal(t, "max 100000", group("0::/a\n", map[string]string{"a/cpu.max": "max 100000"}))
	require.Equal(t, "150000 100000", group("0::/a/b\n", map[string]string{"a/b/cpu.max": "max 100000", "a/cpu.max": "150000 100000", "cpu.max": "200000 100000"}))
	require.Equal(t, "50000 100000", group("0::/not/here\n", map[string]string{"cpu.max": "50000 100000"}), "as a container sees it")
	v1 := map[string]string{"cpu,cpuacct/a/cpu.cfs_quota_us": "-1", "cpu,cpuacct/a/cpu.cfs_period_us": "100000"}
	require.Equal(t, "max 100000", group("4:cpu,cpuacct:/a\n", v1))
	v1["cpu,cpuacct/a/cpu.cfs_quota_us"] = "30000"
	require.Equal(t, "30000 100000", group("0::/\n4:cpu,cpuacct:/a\n", v1))
}
