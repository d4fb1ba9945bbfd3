package trace

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

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
