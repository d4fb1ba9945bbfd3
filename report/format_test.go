package report

import (
	"math"
	"testing"

	"schedbench/judge"
)

func TestFormats(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{nanos(0), "0 ns"}, {nanos(12.345), "12.3 ns"}, {nanos(999.7), "1.00 µs"}, {nanos(1.5e6), "1.50 ms"},
		{nanos(-1.5e6), "-1.50 ms"}, {nanos(0.1234), "0.123 ns"}, {nanos(math.NaN()), "?"}, {nanos(2e9), "2.00 s"},
		{count(1), "1"}, {count(1500), "1.5k"}, {count(1e6), "1M"}, {count(100), "100"}, {count(2e9), "2G"},
		{bytes(64), "64.0 B"}, {bytes(4096), "4.10 kB"}, {percent(0.0123), "1.23 %"}, {percent(1e-6), "0.0001 %"},
		{perSecond(1000), "1k/s"}, {tidy(nanos)(1e6), "1 ms"}, {trimmed("10.50 ms"), "10.5 ms"}, {trimmed("100 B"), "100 B"},
		{span(1e6), "1ms"}, {span(3600e9), "1h"}, {span(90e9), "1m30s"}, {span(24 * 3600e9), "24h"}, {span(30 * 24 * 3600e9), "30d"},
		{percentile(2), "50 %"}, {percentile(10), "90 %"}, {percentile(1000), "99.9 %"}, {percentile(1e5), "99.999 %"},
		{times(1.8), "1.8×"}, {times(147.2), "147×"},
		{within(judge.Summary{Median: 100, Low: 90, High: 105, N: 9}, nanos), "100 ns ±10%"},
		{within(judge.Summary{Median: 100, Low: math.Inf(-1), High: math.Inf(1), N: 1}, nanos), "100 ns ±∞"},
		{within(judge.Summary{Median: 1, Low: 0, High: 3, N: 9}, nanos), "1.00 ns (0 ns to 3.00 ns)"},
		{within(judge.Summary{}, nanos), ""},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}
