package trace

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// badLines are lines that are no events though they should be, or no lines at all.
var badLines = map[string]struct {
	reason Reason
	says   string
}{
	"rubbish": {Malformed, `found "rubbish"`},
	line("5.000000", 1, "timer_start: function=f"):                                        {Malformed, "timer_start without the address"},
	line("5.000000", 1, "timer_start: timer=aa expires=7"):                                {Malformed, "timer_start without expires=N [timeout=N]"},
	line("5.000000", 1, "timer_start: timer=aa expires=7 [timeout=x]"):                    {Malformed, `"[timeout=x]", want a number`},
	line("5.000000", 1, "timer_start: timer=aa expires=7 [timeout=5"):                     {Malformed, `"[timeout=5", want a number`},
	line("5.000000", 1, "timer_start: timer=aa expires=7 [timeout="):                      {Malformed, `"[timeout=", want a number`},
	line("5.000000", 1, "timer_start: timer=aa expires=99999999999999999999 [timeout=1]"): {Malformed, "want a number"},
	line("5.000000", 1, "timer_cancel: timer=(____ptrval____)"):                           {Malformed, "want a number"},
	line("5.000000", 1, "timer_cancel: timer=11112222333344445"):                          {Malformed, "want a number"},
	line("5.000000", 1, "timer_cancel:"):                                                  {Malformed, "without the address"},
	line("5.000000", 1, "hrtimer_start: hrtimer=aa mode=ABS"):                             {Malformed, "hrtimer_start without expires=N"},
	line("5.000000", 1, "hrtimer_start: hrtimer=aa expires=9223372036854775808"):          {Malformed, "want at most 9223372036854775807"},
	line("5.000000", 1, "hrtimer_start: hrtimer=aa expires=5 was_armed=7"):                {Malformed, "was_armed=7"},
	line("9999999999.000000", 1, "timer_cancel: timer=aa"):                                {OutOfRange, "beyond the longest duration"},
	line("-5.000000", 1, "timer_cancel: timer=aa"):                                        {Malformed, "want a line such as"},
	line("5", 1, "timer_cancel: timer=aa"):                                                {Malformed, "want a line such as"},
	line("5.0000000001", 1, "timer_cancel: timer=aa"):                                     {Malformed, "want a line such as"},
	line("5.000000", 16384, "timer_cancel: timer=aa"):                                     {OutOfRange, "CPU 16384, want less than 16384"},
	"CPU:1 [NOTHING]":                        {Malformed, "LOST 2 EVENTS"},
	strings.Repeat("y", MaxLine+1):           {TooLong, "more than 65536 bytes"},
	"x-1 d..1. 5.0: timer_cancel: timer=aa":  {Malformed, "want a line such as"},
	"x-1 [] d..1. 5.0: timer_cancel: t=aa":   {Malformed, "want a line such as"},
	"x-1 [0]d..1. 5.0: timer_cancel: t=aa":   {Malformed, "want a line such as"},
	"x-1 [0] a b c 5.0: timer_cancel: t=aa":  {Malformed, "want a line such as"},
	"x-1 [99999999999999999999] 5.0: a: t=a": {Malformed, "want a line such as"},
}

func TestBadLinesOfTheKernelAreErrorsOrSkipped(t *testing.T) {
	for bad, c := range badLines {
		text := "# tracer: nop\n" + line("5.000000", 1, startA) + strings.TrimSuffix(bad, "\n") + "\n" + line("5.000001", 1, startB)
		at, got := damage(t, text, Options{HZ: 250})
		require.Equal(t, c.reason, at.Reason, bad)
		require.Contains(t, at.Error(), c.says)
		require.EqualValues(t, 3, at.Line)
		require.Less(t, len(at.Error()), 300)
		require.Len(t, got, 1, "those before it are returned")

		f, got := read(t, text, Options{HZ: 250, SkipBad: true})
		require.Len(t, got, 2)
		require.EqualValues(t, map[Reason]uint64{c.reason: 1}, f.Counts().Skipped)
	}
}

func TestALastLineWithoutAnEndIsCutOff(t *testing.T) {
	text := line("5.000000", 1, startA) + strings.TrimSuffix(line("5.000001", 1, startB), "\n")
	at, _ := damage(t, text, Options{HZ: 250})
	require.Equal(t, Truncated, at.Reason)
	require.Len(t, events(t, text, Options{HZ: 250, SkipBad: true}), 1)
}

func TestTheErrorBeforeTheRateIsKnownIsTheOneOfTheLine(t *testing.T) {
	damage(t, line("5.000000", 1, startA)+"rubbish\n", Options{})
}

func TestWhatIsLostIsCounted(t *testing.T) {
	text := "# tracer: nop\n# entries-in-buffer/entries-written: 5/12   #P:2\n" +
		line("5.000000", 1, startA) + "CPU:1 [LOST 123 EVENTS]\n" + "CPU:0 [LOST EVENTS]\n" + "CPU:1 [7 EVENTS DROPPED]\n" +
		line("5.000001", 0, "PERF_RECORD_LOST lost 11") +
		line("5.000001", 1, "timer_init: timer=aa") + line("5.000001", 1, "sched_switch: prev_comm=a") + line("5.000001", 1, "f <-g")
	f, got := read(t, text, Options{HZ: 250})
	require.Len(t, got, 1)
	c := f.Counts()
	require.EqualValues(t, 12-5+123+1+7+11, c.Lost)
	require.EqualValues(t, 3, c.Ignored)
	require.EqualValues(t, 1, c.Missing, "5 in the buffer, 4 in the file")
	require.EqualValues(t, 9+1, c.Lines)
}
