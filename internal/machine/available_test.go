package machine

import (
	"math"
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
