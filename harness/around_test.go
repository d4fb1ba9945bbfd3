package harness

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestWhatTheMachineDidAroundACell(t *testing.T) {
	for name, c := range map[string]struct {
		said []Param
		want Around
	}{
		"all of it": {
			[]Param{{"date", "2026-01-02"}, {"load-before", "1.25 2 3"}, {"load-after", "4 5 6"}, {"steal-ticks-before", "100"}, {"steal-ticks-after", "130"}, {"took", "12.5s"}, {"others-share", "0.031"}, {"on-battery-after", "true"}},
			Around{Cell: "a", Date: "2026-01-02", Took: 12500 * time.Millisecond, Load: 1.25, Stolen: 300 * time.Millisecond, Others: 0.031, Battery: true},
		},
		"nothing": {nil, Around{Cell: "a", Load: -1, Stolen: -1, Others: -1}},
		"older data": {
			[]Param{{"load-before", "0.00 0 0"}, {"steal-ticks-before", "7"}, {"steal-ticks-after", "7"}},
			Around{Cell: "a", Load: 0, Stolen: 0, Others: -1},
		},
		"of two runs": {
			[]Param{{"date", "2026-01-02 | 2026-01-03"}, {"load-before", "| 1"}, {"steal-ticks-before", "7 | 9"}, {"steal-ticks-after", "8 | 9"}, {"took", "1s | 2s"}},
			Around{Cell: "a", Date: "2026-01-02 | 2026-01-03", Load: -1, Stolen: -1, Others: -1},
		},
		"a counter that began anew": {
			[]Param{{"steal-ticks-before", "7"}, {"steal-ticks-after", "6"}}, Around{Cell: "a", Load: -1, Stolen: -1, Others: -1},
		},
	} {
		require.Equal(t, c.want, aroundOf("a", c.said), name)
	}
}

func TestEveryCellSaysHowLongItTook(t *testing.T) {
	p := tiny(sound("a"), sound("b"))
	p.Experiments, p.Ops = []string{Cost}, []string{OpInsert, OpTick}
	dir := t.TempDir()
	d, err := Run(t.Context(), p, dir, nil, func(int, int, Cell, bool) {})
	require.NoError(t, err)
	around := d.Around
	require.Len(t, around, len(p.Cells()))
	for i, a := range around {
		require.Equal(t, p.Cells()[i].Name, a.Cell)
		require.Positive(t, a.Took, a.Cell)
		require.NotEmpty(t, a.Date, a.Cell)
	}

	gone := filepath.Join(dir, around[0].Cell+benchExt)
	text, err := os.ReadFile(gone)
	require.NoError(t, err)
	require.NoError(t, os.Remove(gone))
	left, err := Load(dir)
	require.NoError(t, err)
	require.Equal(t, around[1:], left.Around, "a cell that is not there is left out")
	require.NoError(t, os.WriteFile(gone, []byte(strings.TrimSuffix(string(text), "\n")), 0o644))
	_, err = Load(dir)
	require.ErrorContains(t, err, around[0].Cell)
}

// A plan of everything has time for as many blocks of many timers as of few.
func TestEverythingHasAllItsBlocks(t *testing.T) {
	p := tiny(sound("a"))
	p.Blocks, p.Pending = 12, []int{1_000_000}
	require.Equal(t, fewestBlocks, p.blocks(p.Pending[0]))
	require.Equal(t, fewestBlocks, p.fewBlocks())
	p.Every = true
	require.Equal(t, 12, p.blocks(p.Pending[0]))
	require.Equal(t, 12, p.fewBlocks())
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

func TestTheLeastQuotaCounts(t *testing.T) {
	group := func(lines string, files map[string]string) string {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "cgroup"), []byte(lines), 0o644))
		for file, text := range files {
			require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(text+"\n"), 0o644))
		}
		return quota(filepath.Join(dir, "cgroup"), dir)
	}
	require.Empty(t, group("", nil))
	require.Equal(t, "max 100000", group("0::/a\n", map[string]string{"a/cpu.max": "max 100000"}))
	require.Equal(t, "150000 100000", group("0::/a/b\n", map[string]string{"a/b/cpu.max": "max 100000", "a/cpu.max": "150000 100000", "cpu.max": "200000 100000"}))
	require.Equal(t, "50000 100000", group("0::/not/here\n", map[string]string{"cpu.max": "50000 100000"}), "as a container sees it")
	v1 := map[string]string{"cpu,cpuacct/a/cpu.cfs_quota_us": "-1", "cpu,cpuacct/a/cpu.cfs_period_us": "100000"}
	require.Equal(t, "max 100000", group("4:cpu,cpuacct:/a\n", v1))
	v1["cpu,cpuacct/a/cpu.cfs_quota_us"] = "30000"
	require.Equal(t, "30000 100000", group("0::/\n4:cpu,cpuacct:/a\n", v1))

	processors, limited := Quota(map[string]string{"cgroup-cpu-max": "150000 100000"})
	require.True(t, limited)
	require.InDelta(t, 1.5, processors, 1e-9)
	for _, none := range []string{"", "max 100000", "garbage"} {
		_, limited = Quota(map[string]string{"cgroup-cpu-max": none})
		require.False(t, limited, none)
	}
}

func TestASlowBuildIsNamed(t *testing.T) {
	for want, settings := range map[string]map[string]string{
		"":                               {"-compiler": "gc", "-gcflags": "-m", "-race": "false"},
		"race detector":                  {"-race": "true"},
		"race detector, no optimization": {"-race": "true", "-gcflags": "all=-N -l"},
		"no optimization":                {"-gcflags": "-l"},
		"coverage":                       {"-cover": "true"},
	} {
		require.Equal(t, want, slowedBySettings(settings))
	}
}
