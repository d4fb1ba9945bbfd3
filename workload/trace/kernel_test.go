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

// line returns a line of tracefs: seconds, CPU and event.
func line(seconds string, cpu int, event string) string {
	return fmt.Sprintf("          <idle>-0       [%03d] d..1.  %s: %s\n", cpu, seconds, event)
}

// tick250 returns the start of a timer far from all others that tells jiffies, so that the rate can be found out.
func tick250(seconds float64, addr int) string {
	jiffy := 4_295_000_000 + int64(math.Round(seconds*250))
	return line(fmt.Sprintf("%.6f", seconds), 9, fmt.Sprintf(
		"timer_start: timer=%08x function=f expires=%d [timeout=25] bucket_expiry=%d cpu=9 idx=1 flags=", addr, jiffy+25, jiffy+32))
}

// us are microseconds.
const us = time.Microsecond

// kernelEvents reads lines as a kernel of 250 jiffies a second.
func kernelEvents(t *testing.T, lines ...string) []Event {
	t.Helper()
	return events(t, "# tracer: nop\n"+strings.Join(lines, ""), Options{HZ: 250})
}

const startA = "timer_start: timer=00000000aaaa function=process_timeout expires=4295684438 [timeout=10] bucket_expiry=4295684439 cpu=1 idx=12 flags="

const startB = "hrtimer_start: hrtimer=00000000bbbb function=hrtimer_wakeup expires=5010050000 softexpires=5010000000 mode=REL"

func TestLinesOfTheKernelAreEvents(t *testing.T) {
	const cancelA, cancelB = "timer_cancel: timer=00000000aaaa", "hrtimer_cancel: hrtimer=00000000bbbb"
	const expireA = "timer_expire_entry: timer=00000000aaaa function=process_timeout now=4295684439 baseclk=4295684439"
	const expireB = "hrtimer_expire_entry: hrtimer=00000000bbbb function=hrtimer_wakeup now=5010002000"
	for name, c := range map[string]struct {
		lines []string
		want  []Event
	}{
		"a timer is armed for whole jiffies": {[]string{line("5.000000", 1, startA)}, []Event{{0, 40 * ms, 0, Schedule}}},
		"a cancel and a start at once are a reset": {
			[]string{line("5.000000", 1, startA), line("5.001000", 1, cancelA), line("5.001001", 1, startA)},
			[]Event{{0, 40 * ms, 0, Schedule}, {1001 * us, 40 * ms, 0, Reset}},
		},
		"also with an event of another CPU between": {
			[]string{line("5.000000", 1, startA), line("5.001000", 1, cancelA), line("5.001001", 0, cancelB), line("5.001001", 1, startA)},
			[]Event{{0, 40 * ms, 0, Schedule}, {1001 * us, 0, 1, Cancel}, {1001 * us, 40 * ms, 0, Reset}},
		},
		"and with an event that is ignored": {
			[]string{line("5.000000", 1, startA), line("5.001000", 1, cancelA), line("5.001000", 1, "timer_init: timer=aaaa"), line("5.001001", 1, startA)},
			[]Event{{0, 40 * ms, 0, Schedule}, {1001 * us, 40 * ms, 0, Reset}},
		},
		"with another event of the CPU between they are two": {
			[]string{line("5.000000", 1, startA), line("5.001000", 1, cancelA), line("5.001000", 1, cancelB), line("5.001001", 1, startA)},
			[]Event{{0, 40 * ms, 0, Schedule}, {1 * ms, 0, 0, Cancel}, {1 * ms, 0, 1, Cancel}, {1001 * us, 40 * ms, 1, Schedule}},
		},
		"and so with a start on another CPU": {
			[]string{line("5.000000", 1, startA), line("5.001000", 1, cancelA), line("5.001001", 0, startA)},
			[]Event{{0, 40 * ms, 0, Schedule}, {1 * ms, 0, 0, Cancel}, {1001 * us, 40 * ms, 0, Schedule}},
		},
		"a cancel and an expiry are an expiry": {
			[]string{line("5.000000", 1, startA), line("5.040000", 1, cancelA), line("5.040010", 1, strings.ReplaceAll(startB, "5010", "6000")+" was_armed=0"), line("5.040073", 1, expireA)},
			[]Event{{0, 40 * ms, 0, Schedule}, {40010 * us, 959990 * us, 1, Schedule}, {40073 * us, 0, 0, Fire}},
		},
		"a cancel long before an expiry is a cancel": {
			[]string{line("5.000000", 1, startA), line("5.040000", 1, cancelA), line("5.051000", 0, cancelB), line("5.051001", 1, expireA)},
			[]Event{{0, 40 * ms, 0, Schedule}, {40 * ms, 0, 0, Cancel}, {51 * ms, 0, 1, Cancel}, {51001 * us, 0, 2, Fire}},
		},
		"so is one on another CPU": {
			[]string{line("5.000000", 1, startA), line("5.040000", 0, cancelA), line("5.040001", 1, expireA)},
			[]Event{{0, 40 * ms, 0, Schedule}, {40 * ms, 0, 0, Cancel}, {40001 * us, 0, 1, Fire}},
		},
		"an hrtimer is due at its soft expiry": {[]string{line("5.000000", 1, startB)}, []Event{{0, 10 * ms, 0, Schedule}}},
		"or at its expiry":                     {[]string{line("5.000000", 1, strings.Replace(startB, "softexpires=5010000000 ", "", 1))}, []Event{{0, 10050 * us, 0, Schedule}}},
		"an hrtimer says whether it was armed": {
			[]string{line("5.000000", 1, startB+" was_armed=0"), line("5.001000", 1, startB+" was_armed=1"), line("5.002000", 1, cancelB),
				line("5.002001", 1, startB+" was_armed=0"), line("5.010004", 1, expireB)},
			[]Event{{0, 10 * ms, 0, Schedule}, {1 * ms, 9 * ms, 0, Reset}, {2 * ms, 0, 0, Cancel}, {2001 * us, 7999 * us, 0, Schedule}, {10004 * us, 0, 0, Fire}},
		},
		"one of an older kernel is cancelled to be reset or to expire": {
			[]string{line("5.000000", 1, startB), line("5.001000", 1, cancelB), line("5.001001", 1, startB), line("5.010003", 1, cancelB), line("5.010004", 1, expireB)},
			[]Event{{0, 10 * ms, 0, Schedule}, {1001 * us, 8999 * us, 0, Reset}, {10004 * us, 0, 0, Fire}},
		},
		"timers of both kinds at one address are two": {
			[]string{line("5.000000", 1, startA), line("5.000000", 1, strings.Replace(startB, "bbbb", "aaaa", 1))},
			[]Event{{0, 40 * ms, 0, Schedule}, {0, 10 * ms, 1, Schedule}},
		},
	} {
		require.Equal(t, c.want, kernelEvents(t, c.lines...), name)
	}
}

func TestATimerArmedBeforeTheRecordingHasANumberOfItsOwn(t *testing.T) {
	got := kernelEvents(t,
		line("5.000000", 1, "hrtimer_cancel: hrtimer=0000000000b1"),
		line("5.000001", 1, "hrtimer_expire_entry: hrtimer=0000000000b2 function=f now=5000000000"),
		line("5.000002", 1, startB+" was_armed=1"),
		line("5.000003", 1, startA))
	require.Equal(t, []uint64{0, 1, 2, 1}, []uint64{got[0].Timer, got[1].Timer, got[2].Timer, got[3].Timer})
	require.Equal(t, Reset, got[2].Kind)
	o := Ops(&list{left: got})
	opsOf(t, o)
	require.EqualValues(t, 3, o.Counts().NotPending)
}

func TestATimerWhoseEndIsMissingIsArmedAnew(t *testing.T) {
	f, got := read(t, line("5.000000", 1, startA)+line("5.010000", 1, startA), Options{HZ: 250})
	require.Equal(t, []Event{{0, 40 * ms, 0, Schedule}, {10 * ms, 40 * ms, 0, Schedule}}, got)
	require.EqualValues(t, 1, f.Counts().Unended)
}

func TestATimeThatHasPassedIsNoDelay(t *testing.T) {
	f, got := read(t,
		line("5.000000", 1, strings.Replace(startA, "timeout=10", "timeout=-3", 1))+
			line("5.000001", 1, strings.Replace(startA, "timeout=10", "timeout=0", 1))+
			line("6.000000", 1, startB), Options{HZ: 250})
	for _, e := range got {
		require.Zero(t, e.Delay)
	}
	require.EqualValues(t, 2, f.Counts().Overdue)
}

func TestForeverIsTheLongestDuration(t *testing.T) {
	f, got := read(t,
		line("5.000000", 1, strings.Replace(startA, "timeout=10", "timeout=4611686018427387902", 1))+
			line("6.000000", 1, strings.ReplaceAll(startB, "5010000000", "9223372036854775807")), Options{HZ: 250})
	require.EqualValues(t, math.MaxInt64, got[0].deadline())
	require.EqualValues(t, math.MaxInt64-5e9, got[1].deadline())
	require.EqualValues(t, 1, f.Counts().Clamped)
}

func TestTimersOfTheWallClockAreConvertedIfOneExpires(t *testing.T) {
	wall := line("5.000000", 1, strings.ReplaceAll(startB, "5010000000", "1700000005010000000"))
	got := events(t, wall+line("5.010001", 1, "hrtimer_expire_entry: hrtimer=00000000bbbb function=f now=1700000005010001000"), Options{})
	require.Equal(t, []Event{{0, 10 * ms, 0, Schedule}, {10001 * us, 0, 0, Fire}}, got)

	f, got := read(t, wall+line("5.000002", 1, startB), Options{})
	require.Equal(t, []Event{{2 * us, 9998 * us, 0, Schedule}}, got)
	require.EqualValues(t, 1, f.Counts().OtherClock)
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
		type moved struct {
			to   float64
			line string
		}
		shuffled := make([]moved, n)
		for i, l := range text {
			shuffled[i] = moved{float64(i) + 18*order.Float64(), l}
		}
		slices.SortFunc(shuffled, func(a, b moved) int { return cmp.Compare(a.to, b.to) })
		var b strings.Builder
		for _, m := range shuffled {
			b.WriteString(m.line)
		}
		require.Equal(t, events(t, strings.Join(text, ""), Options{}), events(t, b.String(), Options{}))
	})
}

func TestEventsFarOutOfOrderAreAnErrorOrSkipped(t *testing.T) {
	cancel := func(seconds string, addr int) string {
		return line(seconds, 1, fmt.Sprintf("hrtimer_cancel: hrtimer=%x", addr))
	}
	var b strings.Builder
	for i := range 100 { // one expiry each, so that the clock is known early
		b.WriteString(line(fmt.Sprintf("5.%06d", i), 1, fmt.Sprintf("hrtimer_expire_entry: hrtimer=%x function=f now=%d", i+1, 5_000_000_000+i*1000)))
	}
	jiffies := ""
	for i := range 40 {
		jiffies += tick250(5.001+float64(i)*0.004, 0x100+i)
	}
	text := b.String() + jiffies + cancel("6.000000", 1) + cancel("6.000001", 2) + cancel("6.000002", 3) + cancel("5.100000", 4) + cancel("6.000003", 5)
	at, _ := damage(t, text, Options{})
	require.Equal(t, OutOfOrder, at.Reason)
	require.EqualValues(t, 144, at.Line)
	require.Contains(t, at.Detail, "5.1s comes after")

	f, got := read(t, text, Options{SkipBad: true})
	require.Len(t, got, 144)
	require.EqualValues(t, map[Reason]uint64{OutOfOrder: 1}, f.Counts().Skipped)
}

func TestADamagedTimeDoesNotMakeAllOthersLate(t *testing.T) {
	var b strings.Builder
	for i := range 3000 {
		seconds := fmt.Sprintf("5.%06d", i*100)
		if i == 0 || i == 1500 {
			seconds = "995.000000"
		}
		b.WriteString(line(seconds, 1, fmt.Sprintf("hrtimer_expire_entry: hrtimer=%x function=f now=%d", i+1, 5_000_000_000+i*100_000)))
	}
	at, _ := damage(t, b.String(), Options{HZ: 250})
	require.ErrorContains(t, at, "file:1: time goes back: 16m35s comes before 5.0001s")

	f, got := read(t, b.String(), Options{SkipBad: true, HZ: 250})
	require.Len(t, got, 2998)
	require.EqualValues(t, map[Reason]uint64{OutOfOrder: 2}, f.Counts().Skipped)
	require.Equal(t, 299800*us, got[2997].At)
}

func TestTimeMayGoOnAfterALongPause(t *testing.T) {
	text := ""
	for i, seconds := range []string{"5.000000", "6.000000", "5.999000", "9.000000", "99.000000"} {
		text += line(seconds, 1, fmt.Sprintf("hrtimer_cancel: hrtimer=%x", i+1))
	}
	got := events(t, text, Options{})
	require.Len(t, got, 5)
	require.Equal(t, 999*ms, got[1].At)
	require.Equal(t, 94*time.Second, got[4].At)
}
