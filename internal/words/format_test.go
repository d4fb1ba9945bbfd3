package words

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestFormats(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Nanos(0), "0 ns"}, {Nanos(12.345), "12.3 ns"}, {Nanos(999.7), "1.00 µs"}, {Nanos(1.5e6), "1.50 ms"},
		{Nanos(-1.5e6), "-1.50 ms"}, {Nanos(0.1234), "0.123 ns"}, {Nanos(math.NaN()), "?"}, {Nanos(2e9), "2.00 s"},
		{Count(1), "1"}, {Count(1500), "1.5k"}, {Count(1e6), "1M"}, {Count(100), "100"}, {Count(2e9), "2G"},
		{Bytes(64), "64.0 B"}, {Bytes(4096), "4.10 kB"}, {Percent(0.0123), "1.23 %"}, {Percent(1e-6), "0.0001 %"},
		{PerSecond(1000), "1k/s"}, {Tidy(Nanos)(1e6), "1 ms"}, {Trimmed("10.50 ms"), "10.5 ms"}, {Trimmed("100 B"), "100 B"},
		{Span(1e6), "1ms"}, {Span(3600e9), "1h"}, {Span(90e9), "1m30s"}, {Span(24 * 3600e9), "24h"}, {Span(30 * 24 * 3600e9), "30d"},
		{Times(1.8), "1.8×"}, {Times(147.2), "147×"}, {Times(9999), "9999×"}, {Times(9999.9), "10k×"}, {Times(21645), "21.6k×"}, {Times(math.Inf(1)), "?×"},
	} {
		require.Equal(t, c.want, c.got)
	}
}

func TestDurationsAreWrittenWithThreeDigits(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 7: "7ns", 123_456: "123µs", 1_234_567: "1.23ms", 999_999: "1ms", 59_999_999_999: "1m",
		90 * time.Second: "1m30s", 441 * time.Second: "7m21s", 2 * time.Hour: "2h", 90 * time.Minute: "1h30m", 36*time.Hour + 29*time.Second: "36h",
		50 * time.Hour: "2.08d", 3 * 365 * 24 * time.Hour: "3y", 1<<63 - 1: "292y", -1_234_567: "-1.23ms",
	} {
		require.Equal(t, want, Short(d), d)
	}
}

func TestUnitsStayWithTheirNumbers(t *testing.T) {
	require.Equal(t, []string{"stopped", "for", "500 ms;", "95 %", "intervals", "%", "of", "s"}, Split(" stopped for  500 ms; 95 % intervals % of s"))
	require.Equal(t, []string{"(0.41 %", "to", "4.9 %)"}, Split("(0.41 % to 4.9 %)"))
}

func TestWordsAreJoinedAsInSentences(t *testing.T) {
	require.Equal(t, "", List(nil))
	require.Equal(t, "a", List([]string{"a"}))
	require.Equal(t, "a, b and c", List([]string{"a", "b", "c"}))
	require.Equal(t, "a, b", Few(2, []string{"a", "b"}))
	require.Equal(t, "a, b and 2 more", Few(2, []string{"a", "b", "c", "d"}))
	require.Equal(t, "1 round", Many(1, "round"))
	require.Equal(t, "1 was", Verb(1, "was", "were"))
	require.Equal(t, "0 were", Verb(0, "was", "were"))
	require.Equal(t, "1234 were", Verb(1234, "was", "were"))
	require.Equal(t, "2k rounds", Many(2000, "round"))
	require.Equal(t, "One. Two.", Sentences("One", "", "Two."))
	require.Equal(t, "Tick", Capital("tick"))
}

func TestIntervalsAreWrittenAsFarAsTheyGo(t *testing.T) {
	for want, v := range map[string][3]float64{
		"100 ns ±10%":               {100, 90, 105},
		"100 ns ±?":                 {100, 90, math.Inf(1)},
		"1.00 ns (0 ns to 3.00 ns)": {1, 0, 3},
		"0 ns":                      {0, -1, 1},
		"":                          {math.NaN(), 0, 0},
	} {
		require.Equal(t, want, Interval(v[0], v[1], v[2], Nanos))
	}
	for want, v := range map[string][3]float64{
		"under 0.002 %": {-0.00001, -0.00003, 0.00002},
		"under 0.300 %": {0.001, -0.001, 0.003},
		"3.00 % ±10%":   {0.03, 0.027, 0.032},
		"0 %":           {-0.001, -0.003, -0.0001},
		"0.100 % ±?":    {0.001, math.Inf(-1), math.Inf(1)},
	} {
		require.Equal(t, want, Beyond(v[0], v[1], v[2], Percent))
	}
}
