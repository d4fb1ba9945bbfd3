package trace

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/internal/must"
)

func summarized(t require.TestingT, all []Event) *Info {
	return must.Get(Summarize(&list{left: all}))(t)
}

func TestWhatATraceContains(t *testing.T) {
	info := summarized(t, []Event{
		{0, 30 * ms, 1, Schedule},
		{0, 30 * ms, 2, Schedule},
		{1 * ms, 0, 9, Cancel}, // armed before
		{2 * ms, 30 * ms, 1, Reset},
		{5 * ms, 30 * ms, 1, Reset},
		{7 * ms, 0, 1, Cancel},
		{8 * ms, 40 * ms, 3, Schedule},
		{29 * ms, 0, 2, Fire}, // 1 ms early
		{50 * ms, 0, 3, Fire}, // 2 ms late
		{50 * ms, 7 * ms, 4, Schedule},
		{50 * ms, 7 * ms, 8, Reset}, // armed before
		{51 * ms, 9 * ms, 4, Schedule},
		{60 * ms, 0, 7, Fire}, // armed before
	})
	require.EqualValues(t, 10, info.Ops())
	require.InDelta(t, 10/0.06, info.Rate(info.Ops()), 1e-6)
	of := func(durations ...time.Duration) (d Distribution) {
		for _, v := range durations {
			d.add(v)
		}
		return d
	}
	require.Equal(t, &Info{
		Schedules: 5, Resets: 3, Cancels: 2, Fires: 3, Pending: 2, Peak: 2,
		Delays:   of(30*ms, 30*ms, 30*ms, 30*ms, 40*ms, 7*ms, 7*ms, 9*ms),
		ToCancel: of(2 * ms), ToReset: of(2*ms, 3*ms), Late: of(2 * ms), Early: of(1 * ms),
		Duration: 60 * ms, Timers: 6, Cancelled: 1, Fired: 2, Superseded: 1, Moved: 1, Unseen: 3,
		Frequent: []DurationCount{{30 * ms, 4}, {7 * ms, 2}, {9 * ms, 1}, {40 * ms, 1}}, Distinct: 4,
	}, info)
}

func TestAnEmptyTraceContainsNothing(t *testing.T) {
	info := summarized(t, nil)
	require.Equal(t, &Info{}, info)
	require.Zero(t, info.Rate(5))
	require.Zero(t, info.Delays.Count())
	require.Zero(t, info.Delays.Quantile(0.5)+info.Delays.Quantile(1))
}

func TestEveryTimerEndsInOneWay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := someEvents(t)
		info := summarized(t, all)
		require.Equal(t, info.Timers, info.Cancelled+info.Fired+info.Pending+info.Superseded)
		require.EqualValues(t, len(all), info.Ops()+info.Fires)
		require.Equal(t, info.Schedules+info.Resets, info.Delays.Count())
		require.Equal(t, info.Cancels+info.Fires+info.Resets, info.ToCancel.Count()+info.ToReset.Count()+info.Late.Count()+info.Early.Count()+info.Unseen)
		require.LessOrEqual(t, info.Moved, info.Timers)
		require.GreaterOrEqual(t, info.Peak, info.Pending)
	})
}

func TestFrequentDurationsAreRoundedToThreeDigits(t *testing.T) {
	f := frequent{}
	for range 2 {
		f.add(4999999940)
		f.add(5 * time.Second)
		f.add(999)
	}
	f.add(999)
	for d := range time.Duration(topDurations) {
		f.add(d)
	}
	f.add(1<<63 - 1)
	require.Len(t, f, topDurations+3)
	top := f.top()
	require.Len(t, top, topDurations)
	require.Equal(t, []DurationCount{{5 * time.Second, 4}, {999, 3}, {0, 1}}, top[:3])
	require.Contains(t, f, time.Duration(9.22e18))
}

func TestADistributionHasTheQuantilesOfWhatItCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var d Distribution
		all := rapid.SliceOfN(rapid.Int64Range(0, 1<<rapid.IntRange(1, 63).Draw(t, "bits")-1), 1, 100).Draw(t, "durations")
		for _, v := range all {
			d.add(time.Duration(v))
		}
		slices.Sort(all)
		require.EqualValues(t, len(all), d.Count())
		require.EqualValues(t, all[0], d.Quantile(0))
		require.EqualValues(t, all[len(all)-1], d.Quantile(1))
		require.InEpsilon(t, 1+float64(all[(len(all)-1)/2]), 1+float64(d.Quantile(0.5)), 0.001)
	})
}

// TestExcerptsOfRealRecordings compares excerpts of recordings of Linux 6.18 with what a search for words finds.
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
