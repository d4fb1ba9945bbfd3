package trace

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func line(seconds string, cpu int, event string) string {
	return fmt.Sprintf("          <idle>-0       [%03d] d..1.  %s: %s\n", cpu, seconds, event)
}

// tick250 returns the start of a timer far from all others that tells jiffies, so that the rate can be found out.
func tick250(seconds float64, addr int) string {
	jiffy := 4_295_000_000 + int64(math.Round(seconds*250))
	return line(fmt.Sprintf("%.6f", seconds), 9, fmt.Sprintf(
		"timer_start: timer=%08x function=f expires=%d [timeout=25] bucket_expiry=%d cpu=9 idx=1 flags=", addr, jiffy+25, jiffy+32))
}

const us = time.Microsecond

// after returns a line of CPU 1, some microseconds after 5 s.
func after(micros int, event string) string { return on(1, micros, event) }

func on(cpu, micros int, event string) string { return line(fmt.Sprintf("5.%06d", micros), cpu, event) }

const startA = "timer_start: timer=00000000aaaa function=process_timeout expires=4295684438 [timeout=10] bucket_expiry=4295684439 cpu=1 idx=12 flags="

const startB = "hrtimer_start: hrtimer=00000000bbbb function=hrtimer_wakeup expires=5010050000 softexpires=5010000000 mode=REL"

func TestLinesOfTheKernelAreEvents(t *testing.T) {
	const cancelA, cancelB = "timer_cancel: timer=00000000aaaa", "hrtimer_cancel: hrtimer=00000000bbbb"
	const expireA = "timer_expire_entry: timer=00000000aaaa function=process_timeout now=4295684439 baseclk=4295684439"
	const expireB = "hrtimer_expire_entry: hrtimer=00000000bbbb function=hrtimer_wakeup now=5010002000"
	for _, c := range []struct {
		name, lines string // after a start of A
		want        []Event
	}{
		{"a timer is armed for whole jiffies", "", nil},
		{"a cancel and a start at once are a reset", after(1000, cancelA) + after(1001, startA), []Event{{1001 * us, 40 * ms, 0, Reset}}},
		{"also with an event of another CPU between", after(1000, cancelA) + on(0, 1001, cancelB) + after(1001, startA),
			[]Event{{1001 * us, 0, 1, Cancel}, {1001 * us, 40 * ms, 0, Reset}}},
		{"and with an event that is ignored", after(1000, cancelA) + after(1000, "timer_init: timer=aaaa") + after(1001, startA),
			[]Event{{1001 * us, 40 * ms, 0, Reset}}},
		{"with another event of the CPU between they are two", after(1000, cancelA) + after(1000, cancelB) + after(1001, startA),
			[]Event{{1 * ms, 0, 0, Cancel}, {1 * ms, 0, 1, Cancel}, {1001 * us, 40 * ms, 1, Schedule}}},
		{"and so with a start on another CPU", after(1000, cancelA) + on(0, 1001, startA),
			[]Event{{1 * ms, 0, 0, Cancel}, {1001 * us, 40 * ms, 0, Schedule}}},
		{"a cancel and an expiry are an expiry",
			after(40_000, cancelA) + after(40_010, strings.ReplaceAll(startB, "5010", "6000")+" was_armed=0") + after(40_073, expireA),
			[]Event{{40010 * us, 959990 * us, 1, Schedule}, {40073 * us, 0, 0, Fire}}},
		{"a cancel long before an expiry is a cancel", after(40_000, cancelA) + on(0, 51_000, cancelB) + after(51_001, expireA),
			[]Event{{40 * ms, 0, 0, Cancel}, {51 * ms, 0, 1, Cancel}, {51001 * us, 0, 2, Fire}}},
		{"so is one on another CPU", on(0, 40_000, cancelA) + after(40_001, expireA), []Event{{40 * ms, 0, 0, Cancel}, {40001 * us, 0, 1, Fire}}},
		{"an hrtimer is due at its soft expiry", after(0, startB), []Event{{0, 10 * ms, 1, Schedule}}},
		{"or at its expiry", after(0, strings.Replace(startB, "softexpires=5010000000 ", "", 1)), []Event{{0, 10050 * us, 1, Schedule}}},
		{"an hrtimer says whether it was armed", after(0, startB+" was_armed=0") + after(1000, startB+" was_armed=1") + after(2000, cancelB) +
			after(2001, startB+" was_armed=0") + after(10_004, expireB), []Event{
			{0, 10 * ms, 1, Schedule}, {1 * ms, 9 * ms, 1, Reset}, {2 * ms, 0, 1, Cancel}, {2001 * us, 7999 * us, 1, Schedule}, {10004 * us, 0, 1, Fire}}},
		{"one of an older kernel is cancelled to be reset or to expire",
			after(0, startB) + after(1000, cancelB) + after(1001, startB) + after(10_003, cancelB) + after(10_004, expireB),
			[]Event{{0, 10 * ms, 1, Schedule}, {1001 * us, 8999 * us, 1, Reset}, {10004 * us, 0, 1, Fire}}},
		{"timers of both kinds at one address are two", after(0, strings.Replace(startB, "bbbb", "aaaa", 1)), []Event{{0, 10 * ms, 1, Schedule}}},
	} {
		want := append([]Event{{0, 40 * ms, 0, Schedule}}, c.want...)
		require.Equal(t, want, events(t, "# tracer: nop\n"+after(0, startA)+c.lines, Options{HZ: 250}), c.name)
	}
}

func TestATimerArmedBeforeTheRecordingHasANumberOfItsOwn(t *testing.T) {
	got := events(t, after(0, "hrtimer_cancel: hrtimer=0000000000b1")+
		after(1, "hrtimer_expire_entry: hrtimer=0000000000b2 function=f now=5000000000")+
		after(2, startB+" was_armed=1")+after(3, startA), Options{HZ: 250})
	require.Equal(t, []uint64{0, 1, 2, 1}, []uint64{got[0].Timer, got[1].Timer, got[2].Timer, got[3].Timer})
	require.Equal(t, Reset, got[2].Kind)
	require.EqualValues(t, 3, summarized(t, got).Unseen)
}

func TestWhatIsOddOfATimerIsCounted(t *testing.T) {
	timeout := func(jiffies string) string { return strings.Replace(startA, "timeout=10", "timeout="+jiffies, 1) }
	due := func(ns string) string { return strings.ReplaceAll(startB, "5010000000", ns) }
	const wall = "1700000005010000000"
	expired := after(10_001, "hrtimer_expire_entry: hrtimer=00000000bbbb function=f now="+wall)
	for _, c := range []struct {
		name, lines string
		want        []Event
		counts      Counts
	}{
		{"its end is missing", after(0, startA) + after(10_000, startA), []Event{{0, 40 * ms, 0, Schedule}, {10 * ms, 40 * ms, 0, Schedule}}, Counts{Unended: 1}},
		{"its time has passed", after(0, timeout("-3")) + line("6.000000", 1, startB), []Event{{0, 0, 0, Schedule}, {1e9, 0, 1, Schedule}}, Counts{Overdue: 2}},
		{"its time is now", after(0, timeout("0")), []Event{{0, 0, 0, Schedule}}, Counts{}},
		{"forever", after(0, timeout("4611686018427387902")) + line("6.000000", 1, due("9223372036854775807")),
			[]Event{{0, math.MaxInt64, 0, Schedule}, {1e9, math.MaxInt64 - 6e9, 1, Schedule}}, Counts{Clamped: 1}},
		{"of the wall clock, which an expiry shows", after(0, due(wall)) + expired, []Event{{0, 10001 * us, 0, Schedule}, {10001 * us, 0, 0, Fire}}, Counts{}},
		{"of the wall clock, unknown", after(0, due(wall)) + after(2, startB), []Event{{2 * us, 9998 * us, 0, Schedule}}, Counts{OtherClock: 1}},
	} {
		f, got := read(t, c.lines, Options{HZ: 250})
		require.Equal(t, c.want, got, c.name)
		counts := f.Counts()
		counts.Lines, counts.Events, counts.Skipped = 0, 0, nil
		require.Equal(t, c.counts, counts, c.name)
	}
}

func TestEventsOutOfOrderArePutInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 300).Draw(t, "events")
		text := make([]string, n)
		for i := range text {
			text[i] = line(fmt.Sprintf("5.%06d", i*500), 1, fmt.Sprintf("hrtimer_cancel: hrtimer=%x", 1000+i))
		}
		// A line may stand behind others that are up to 9 ms later.
		order := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		places := map[string]float64{}
		for i, l := range text {
			places[l] = float64(i) + 18*order.Float64()
		}
		shuffled := slices.SortedFunc(slices.Values(text), func(a, b string) int { return cmp.Compare(places[a], places[b]) })
		require.Equal(t, events(t, strings.Join(text, ""), Options{}), events(t, strings.Join(shuffled, ""), Options{}))
	})
}

// cancels returns lines that cancel one timer each, at some seconds.
func cancels(seconds ...string) (text string) {
	for i, at := range seconds {
		text += line(at, 1, fmt.Sprintf("hrtimer_cancel: hrtimer=%x", i+1))
	}
	return text
}

func TestEventsFarOutOfOrderAreAnErrorOrSkipped(t *testing.T) {
	damagedOnce(t, cancels("6.000000", "6.009000", "6.000500", "5.998000"), Options{}, 4, OutOfOrder, "5.998s comes after 6.009s", 3)
}

func TestADamagedTimeDoesNotMakeAllOthersLate(t *testing.T) {
	damagedOnce(t, cancels("995.000000", "5.000000", "5.000100"), Options{}, 1, OutOfOrder, "16m35s comes before 5s", 2)
	damagedOnce(t, cancels("5.000000", "995.000000", "5.000100"), Options{}, 2, OutOfOrder, "16m35s comes before 5.0001s", 2)
}

func TestTimeMayGoOnAfterALongPause(t *testing.T) {
	got := events(t, cancels("5.000000", "6.000000", "5.999000", "9.000000", "99.000000"), Options{})
	require.Len(t, got, 5)
	require.Equal(t, 999*ms, got[1].At)
	require.Equal(t, 94*time.Second, got[4].At)
}
