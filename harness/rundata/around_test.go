package rundata

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestWhatTheMachineDidAroundABlock(t *testing.T) {
	for name, c := range map[string]struct {
		said []Param
		want SystemLoad
	}{
		"all of it": {
			[]Param{{"date", "2026-01-02"}, {"load-before", "1.25 2 3"}, {"load-after", "4 5 6"}, {"steal-ticks-before", "100"}, {"steal-ticks-after", "130"}, {"took", "12.5s"}, {"others-share", "0.031"}, {"on-battery-after", "true"}},
			SystemLoad{Block: "a", Date: "2026-01-02", Took: 12500 * time.Millisecond, Load: 1.25, Stolen: 300 * time.Millisecond, Others: 0.031, Battery: true},
		},
		"nothing": {nil, SystemLoad{Block: "a", Load: -1, Stolen: -1, Others: -1}},
		"older data": {
			[]Param{{"load-before", "0.00 0 0"}, {"steal-ticks-before", "7"}, {"steal-ticks-after", "7"}},
			SystemLoad{Block: "a", Load: 0, Stolen: 0, Others: -1},
		},
		"of two runs": {
			[]Param{{"date", "2026-01-02 | 2026-01-03"}, {"load-before", "| 1"}, {"steal-ticks-before", "7 | 9"}, {"steal-ticks-after", "8 | 9"}, {"took", "1s | 2s"}},
			SystemLoad{Block: "a", Date: "2026-01-02 | 2026-01-03", Load: -1, Stolen: -1, Others: -1},
		},
		"a counter that began anew": {
			[]Param{{"steal-ticks-before", "7"}, {"steal-ticks-after", "6"}}, SystemLoad{Block: "a", Load: -1, Stolen: -1, Others: -1},
		},
	} {
		require.Equal(t, c.want, SystemLoadOf("a", c.said), name)
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

func TestAQuotaIsReadFromWhatWasNoted(t *testing.T) {
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
