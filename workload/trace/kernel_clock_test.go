package trace

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestTheRateOfJiffiesIsFoundOut(t *testing.T) {
	for _, hz := range append(append([]int{}, commonHZ...), 24, 64, 512) {
		var j jiffies
		for i := range 100 {
			at := time.Duration(i) * 20 * ms
			j.note(at, uint64(at.Seconds()*float64(hz)))
		}
		require.True(t, j.settle(), "%d", hz)
		require.Equal(t, hz, j.hz)
		require.Contains(t, j.String(), fmt.Sprintf("HZ is %d, as ", hz))
	}
}

func TestTheRateIsRightOrUnknownWhateverTheReadings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hz := rapid.SampledFrom(commonHZ).Draw(t, "hz")
		origin := rapid.Uint64().Draw(t, "origin")
		var j jiffies
		at := time.Duration(0)
		for range rapid.IntRange(0, 50).Draw(t, "readings") {
			at += time.Duration(rapid.Int64Range(0, int64(50*ms)).Draw(t, "step"))
			behind := rapid.IntRange(0, 2).Draw(t, "behind") // a counter that is not kept up to date
			j.note(at, origin+uint64(at.Seconds()*float64(hz))-uint64(behind))
			if j.sure() {
				break
			}
		}
		if j.settle() {
			require.Equal(t, hz, j.hz)
		}
	})
}

func TestAShortRecordingDoesNotTellTheRate(t *testing.T) {
	text := tick250(5.000, 1) + tick250(5.004, 2) + tick250(5.008, 3)
	_, err := readAll(open(t, text, Options{}))
	require.ErrorIs(t, err, ErrHZ)
	require.ErrorContains(t, err, "file:1: ")
	require.ErrorContains(t, err, "give HZ")
	for hz, want := range map[int]time.Duration{250: 100 * ms, 1000: 25 * ms, 3: 25 * time.Second / 3} {
		f, got := read(t, text, Options{HZ: hz})
		require.Equal(t, want, got[0].Delay)
		require.Contains(t, f.Notes(), fmt.Sprintf("HZ is %d, as given", hz))
	}
}

func TestJiffiesBeyondTheLongestDurationAreClamped(t *testing.T) {
	for _, hz := range []int{1, 100, 250, MaxHZ} {
		j := jiffies{hz: hz}
		for _, n := range []int64{0, 1, 7, 1000, 1 << 40, math.MaxInt64} {
			d, clamped := j.delay(n)
			exact := float64(n) / float64(hz)
			require.Equal(t, exact > 9223372035, clamped, "%d at %d", n, hz)
			if !clamped {
				require.InEpsilon(t, 1+exact, 1+d.Seconds(), 1e-9)
			}
		}
	}
}

// expiries returns the lines of a tick of 4 ms, whose stamps differ from the
// monotonic clock by off and by drift each second, and a sleep of 10 ms between.
func expiries(n int, off, drift time.Duration) string {
	var b strings.Builder
	for i := range n {
		now := 5*time.Second + time.Duration(i)*4*ms
		stamp := func(t time.Duration) string {
			t += off + time.Duration(float64(drift)*(t-5*time.Second).Seconds())
			return fmt.Sprintf("%d.%06d", t/time.Second, t%time.Second/us)
		}
		latency := time.Duration(2+i%7) * us
		b.WriteString(line(stamp(now+latency), 0, fmt.Sprintf("hrtimer_expire_entry: hrtimer=aa function=tick now=%d", now)))
		b.WriteString(line(stamp(now+1*ms), 1, fmt.Sprintf("hrtimer_start: hrtimer=%x function=wakeup expires=%d softexpires=%[2]d mode=REL was_armed=0", 0x100+i, now+11*ms)))
	}
	return b.String()
}

func TestStampsOfAnotherClockAreConverted(t *testing.T) {
	for _, c := range []struct {
		off, drift time.Duration
		says       string
	}{
		{0, 0, "of the monotonic clock"},
		{-1671 * us, 0, "1.669ms behind the monotonic clock"},
		{42 * time.Second, 0, "42.000002s ahead of the monotonic clock"},
		{-3 * time.Second, 100 * us, "behind the monotonic clock"},
		{250 * us, -500 * us, "the monotonic clock"},
	} {
		f, got := read(t, expiries(3000, c.off, c.drift), Options{})
		require.Len(t, got, 6000)
		for _, e := range got {
			if e.Kind == Schedule {
				// The least latency, rounding, and what it drifts in 64 expiries.
				require.InDelta(t, float64(10*ms), float64(e.Delay), float64(60*us+c.drift.Abs()/4), "%v at %v", c.off, e.At)
			}
		}
		require.Contains(t, strings.Join(f.Notes(), "; "), c.says)
	}
}

func TestWithoutExpiriesStampsAreTakenForThoseOfTheMonotonicClock(t *testing.T) {
	f, _ := read(t, line("5.000000", 1, startB), Options{})
	require.Len(t, f.Notes(), 1, "without jiffies the rate is not needed")
	require.Contains(t, f.Notes()[0], "no hrtimer expires")
}

func TestAnotherClockAmongManyDoesNotMislead(t *testing.T) {
	var b strings.Builder
	for i := range 200 {
		now := 5*time.Second + time.Duration(i)*4*ms
		told := now
		if i%3 == 2 {
			told += 2 * time.Hour // a clock that goes on while the machine is suspended
		}
		b.WriteString(line(fmt.Sprintf("%d.%06d", now/time.Second, now%time.Second/us), 0, fmt.Sprintf("hrtimer_expire_entry: hrtimer=aa function=f now=%d", told)))
	}
	got := events(t, b.String()+line("6.000000", 1, strings.ReplaceAll(startB, "5010000000", "6010000000")), Options{})
	require.Equal(t, 10*ms, got[200].Delay)
}

func TestDifferencesDoNotOverflow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Int64().Draw(t, "a"), rapid.Int64().Draw(t, "b")
		exact := float64(a) - float64(b)
		require.InDelta(t, min(max(exact, math.MinInt64), math.MaxInt64), float64(minus(time.Duration(a), time.Duration(b))), 4096)
	})
}
