package trace

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestExcerptsOfRealRecordings reads a few timers of each kind out of recordings
// of Linux 6.18 with 250 jiffies a second, and compares with what a search for
// words finds.
func TestExcerptsOfRealRecordings(t *testing.T) {
	for _, c := range []struct {
		name    string
		format  Format
		at      string
		missing uint64
		counts  map[Kind]int
	}{
		{"nginx.trace.gz", Tracefs, "time stamps are of the monotonic clock", 687594 - 400, map[Kind]int{Schedule: 124, Reset: 65, Cancel: 66, Fire: 55}},
		{"idle.trace.gz", Tracefs, "time stamps are of the monotonic clock", 34721 - 469, map[Kind]int{Schedule: 168, Reset: 2, Cancel: 24, Fire: 174}},
		{"idle.perf.gz", Perf, "time stamps are 1.67ms behind the monotonic clock", 0, map[Kind]int{Schedule: 108, Reset: 12, Cancel: 39, Fire: 61}},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := unpacked(t, filepath.Join("testdata", c.name))
			f, all := read(t, text, Options{})
			require.Equal(t, c.format, f.Format())
			require.Len(t, f.Notes(), 2)
			require.Contains(t, f.Notes()[0], "HZ is 250, as ")
			require.Contains(t, f.Notes()[1], c.at)
			require.Equal(t, c.missing, f.Counts().Missing)
			counts := map[Kind]int{}
			for _, e := range all {
				counts[e.Kind]++
			}
			require.Equal(t, c.counts, counts)

			// Every start is an arming, every expiry one, and every cancel event is a
			// cancellation or belongs to one of the two.
			require.Equal(t, strings.Count(text, "timer_start: "), counts[Schedule]+counts[Reset])
			require.Equal(t, strings.Count(text, "_expire_entry: "), counts[Fire])
			resets := counts[Reset] - strings.Count(text, "was_armed=1")
			expired := strings.Count(text, ": timer_expire_entry: ") + strings.Count(text, ":timer_expire_entry: ")
			require.Equal(t, strings.Count(text, "timer_cancel: "), counts[Cancel]+resets+expired)
		})
	}
}

func TestADelayOfThePerfExcerptIsThatOfTheSleep(t *testing.T) {
	found := 0
	for _, e := range events(t, unpacked(t, filepath.Join("testdata", "idle.perf.gz")), Options{}) { // `sleep 8` was running
		if e.Kind == Schedule && e.Delay > 7*time.Second && e.Delay < 9*time.Second {
			require.InDelta(t, float64(8*time.Second), float64(e.Delay), float64(20*us))
			found++
		}
	}
	require.Equal(t, 1, found)
}
