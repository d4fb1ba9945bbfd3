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

func reading(at time.Duration, tick uint64) raw { return raw{at: at, jiffies: tick, knows: true} }

func TestTheRateOfJiffiesIsFoundOut(t *testing.T) {
	for _, hz := range append(append([]int{}, commonHZ...), 24, 64, 512) {
		var all []raw
		for i := range 100 {
			at := time.Duration(i) * 20 * ms
			all = append(all, reading(at, uint64(at.Seconds()*float64(hz))))
		}
		j := rateOf(all, 0)
		require.Equal(t, hz, j.hz)
		require.Contains(t, j.String(), fmt.Sprintf("HZ is %d, as ", hz))
	}
}

func TestTheRateIsRightOrUnknownWhateverTheReadings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hz := rapid.SampledFrom(commonHZ).Draw(t, "hz")
		origin := rapid.Uint64().Draw(t, "origin")
		var all []raw
		at := time.Duration(0)
		for range rapid.IntRange(0, 50).Draw(t, "readings") {
			at += time.Duration(rapid.Int64Range(0, int64(50*ms)).Draw(t, "step"))
			behind := rapid.IntRange(0, 2).Draw(t, "behind") // a counter that is not kept up to date
			all = append(all, reading(at, origin+uint64(at.Seconds()*float64(hz))-uint64(behind)))
		}
		if j := rateOf(all, 0); j.hz != 0 {
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

// expiries returns the lines of a tick of 4 ms and of sleeps of 10 ms. Stamps are off, and drift so much a second.
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
	f, _ := read(t, after(0, startB), Options{})
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

// badLines are lines that are no events though they should be, or no lines at all.
var badLines = map[string]struct {
	reason Reason
	says   string
}{
	"rubbish":                                                                  {Malformed, `found "rubbish"`},
	after(0, "timer_start: function=f"):                                        {Malformed, "timer_start without the address"},
	after(0, "timer_start: timer=aa expires=7"):                                {Malformed, "timer_start without expires=N [timeout=N]"},
	after(0, "timer_start: timer=aa expires=7 [timeout=x]"):                    {Malformed, `"[timeout=x]", want a number`},
	after(0, "timer_start: timer=aa expires=7 [timeout=5"):                     {Malformed, `"[timeout=5", want a number`},
	after(0, "timer_start: timer=aa expires=7 [timeout="):                      {Malformed, `"[timeout=", want a number`},
	after(0, "timer_start: timer=aa expires=99999999999999999999 [timeout=1]"): {Malformed, "want a number"},
	after(0, "timer_cancel: timer=(____ptrval____)"):                           {Malformed, "want a number"},
	after(0, "timer_cancel: timer=11112222333344445"):                          {Malformed, "want a number"},
	after(0, "timer_cancel:"):                                                  {Malformed, "without the address"},
	after(0, "hrtimer_start: hrtimer=aa mode=ABS"):                             {Malformed, "hrtimer_start without expires=N"},
	after(0, "hrtimer_start: hrtimer=aa expires=9223372036854775808"):          {Malformed, "want at most 9223372036854775807"},
	after(0, "hrtimer_start: hrtimer=aa expires=5 was_armed=7"):                {Malformed, "was_armed=7"},
	line("9999999999.000000", 1, "timer_cancel: timer=aa"):                     {OutOfRange, "beyond the longest duration"},
	line("-5.000000", 1, "timer_cancel: timer=aa"):                             {Malformed, "want a line such as"},
	line("5", 1, "timer_cancel: timer=aa"):                                     {Malformed, "want a line such as"},
	line("5.0000000001", 1, "timer_cancel: timer=aa"):                          {Malformed, "want a line such as"},
	line("5.000000", 16384, "timer_cancel: timer=aa"):                          {OutOfRange, "CPU 16384, want less than 16384"},
	"CPU:1 [NOTHING]":                         {Malformed, "LOST 2 EVENTS"},
	strings.Repeat("y", MaxLine+1):            {TooLong, "more than 65536 bytes"},
	"x-1 d..1. 5.0: timer_cancel: timer=aa":   {Malformed, "want a line such as"},
	"x-1 [] d..1. 5.0: timer_cancel: t=aa":    {Malformed, "want a line such as"},
	"x-1 [0]d..1. 5.0: timer_cancel: t=aa":    {Malformed, "want a line such as"},
	"x-1 [0] a b c 5.0: timer_cancel: t=aa":   {Malformed, "want a line such as"},
	"x-1 [20000] 5.0: timer_cancel: timer=aa": {OutOfRange, "CPU 20000, want less than 16384"},
	"x-1 [99999999999999999999] 5.0: a: t=a":  {OutOfRange, "CPU 99999999999999999999, want"},
	"x-1 [0] 99999999999999999999.0: a: t=a":  {OutOfRange, "beyond the longest duration"},
}

func TestBadLinesOfTheKernelAreErrorsOrSkipped(t *testing.T) {
	for bad, c := range badLines {
		text := "# tracer: nop\n" + after(0, startA) + strings.TrimSuffix(bad, "\n") + "\n" + after(1, startB)
		require.Len(t, damagedOnce(t, text, Options{HZ: 250}, 3, c.reason, c.says, 2), 1, "those before it are returned")
	}
}

func TestALastLineWithoutAnEndIsCutOff(t *testing.T) {
	text := after(0, startA) + strings.TrimSuffix(after(1, startB), "\n")
	damagedOnce(t, text, Options{HZ: 250}, 2, Truncated, "the line has no end", 1)
}

func TestTheErrorBeforeTheRateIsKnownIsTheOneOfTheLine(t *testing.T) {
	damage(t, after(0, startA)+"rubbish\n", Options{})
}

func TestWhatIsLostIsCounted(t *testing.T) {
	text := "# tracer: nop\n# entries-in-buffer/entries-written: 5/12   #P:2\n" +
		after(0, startA) + "CPU:1 [LOST 123 EVENTS]\n" + "CPU:0 [LOST EVENTS]\n" + "CPU:1 [7 EVENTS DROPPED]\n" +
		on(0, 1, "PERF_RECORD_LOST lost 11") +
		after(1, "timer_init: timer=aa") + after(1, "sched_switch: prev_comm=a") + after(1, "f <-g")
	f, got := read(t, text, Options{HZ: 250})
	require.Len(t, got, 1)
	c := f.Counts()
	require.EqualValues(t, 12-5+123+1+7+11, c.Lost)
	require.EqualValues(t, 3, c.Ignored)
	require.EqualValues(t, 1, c.Missing, "5 in the buffer, 4 in the file")
	require.EqualValues(t, 9+1, c.Lines)
}

func TestLinesOfManyKernelsAndTools(t *testing.T) {
	for _, c := range []struct {
		text string
		want raw
	}{
		{"", raw{}},
		{"# a comment", raw{}},
		{"cpus=2", raw{}},
		{"version = 6", raw{}},
		{
			"          <idle>-0       [001] d.h1.  3168.772013: hrtimer_expire_entry: hrtimer=00000000f55867f9 function=tick_nohz_handler now=3168772011356",
			raw{at: 3168772013 * time.Microsecond, cpu: 1, what: expire, key: key{0xf55867f9, true}, expires: 3168772011356, jiffies: 3168772011356},
		},
		{
			"     kworker/0:1H-123 (-------) [000] d..1. 1.5: timer_cancel: timer=0x1a",
			raw{at: 1500 * time.Millisecond, what: cancel, key: key{0x1a, false}},
		},
		{ // the name of a task can look like anything
			"  a [7] b: [c]-99    [012]   12.345678: timer_cancel: timer=AbC",
			raw{at: 12345678 * time.Microsecond, cpu: 12, what: cancel, key: key{0xabc, false}},
		},
		{ // trace-cmd report, with nanoseconds
			"<idle>-0     [003]  12.345678901: hrtimer_cancel: hrtimer=0xffff888627c1c6f8",
			raw{at: 12345678901, cpu: 3, what: cancel, key: key{0xffff888627c1c6f8, true}},
		},
		{ // a handler in a module
			"x-1 [000] d.s2. 1.000000: timer_start: timer=aa function=nf_ct_gc [nf_conntrack] expires=4295000007 [timeout=7] cpu=0 idx=3 flags=D|I",
			raw{at: time.Second, what: start, key: key{0xaa, false}, expires: 7, jiffies: 4295000000, knows: true},
		},
		{ // the counter may be near its end, and the time have passed
			"x-1 [000] d.s2. 1.000000: timer_start: timer=aa function=f expires=18446744073709551615 [timeout=-1] flags=0x00000000",
			raw{at: time.Second, what: start, key: key{0xaa, false}, expires: -1, jiffies: 0, knows: true},
		},
		{
			" swapper     0 [000]  3240.940600:        timer:hrtimer_start: hrtimer=0xffff888627c1c6f8 function=tick_nohz_handler expires=3241180000050 softexpires=3241180000000 mode=0xa was_armed=1",
			raw{at: 3240940600 * time.Microsecond, what: start, grouped: true, was: armedYes, key: key{0xffff888627c1c6f8, true}, expires: 3241180000000},
		},
		{
			"perf 12/34 [001] 1.000001: timer:timer_expire_entry: timer=0x10 function=f now=4295000007 baseclk=4295000007",
			raw{at: 1000001 * time.Microsecond, cpu: 1, what: expire, grouped: true, key: key{0x10, false}, jiffies: 4295000007, knows: true},
		},
		{"x-1 [000] 1.000001: sched:sched_switch: a ==> b [1] 2.000000: timer_cancel: timer=1", raw{at: 1000001 * time.Microsecond, what: ignored, grouped: true}},
		{"x-1 [000] 1.000001: f <-g", raw{at: 1000001 * time.Microsecond, what: ignored}},
		{"x-1 [000] 1.000001:", raw{at: 1000001 * time.Microsecond, what: ignored}},
	} {
		got, err := parseLine([]byte(c.text))
		require.NoError(t, err, c.text)
		require.Equal(t, c.want, got, c.text)
	}
}
