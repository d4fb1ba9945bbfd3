package report

import (
	"math"
	"testing"

	"schedbench/internal/judge"
	"schedbench/internal/words"
)

func TestFormatsOfSummaries(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{percentile(2), "50 %"}, {percentile(10), "90 %"}, {percentile(1000), "99.9 %"}, {percentile(1e5), "99.999 %"},
		{within(judge.Summary{Median: 100, Low: 90, High: 105, N: 9}, words.Nanos), "100 ns ±10%"},
		{within(judge.Summary{Median: 100, Low: math.Inf(-1), High: math.Inf(1), N: 1}, words.Nanos), "100 ns ±?"},
		{within(judge.Summary{Median: 1, Low: 0, High: 3, N: 9}, words.Nanos), "1.00 ns (0 ns to 3.00 ns)"},
		{within(judge.Summary{}, words.Nanos), ""},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}
