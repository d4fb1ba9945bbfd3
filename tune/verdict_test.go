package tune

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/judge"
)

// ofAll is a percentile of all that fired, since rounds do not tell it.
func ofAll(v, low, high float64) judge.Average {
	return judge.Average{Estimate: judge.Estimate{Value: v, Low: low, High: high}}
}

func TestVerdicts(t *testing.T) {
	p := Prediction{CPU: exactly(0.010), Lateness: exactly(0.0010)}
	m := Measured{Fired: 100, CPU: always(0.010), Lateness: always(0.0010)}
	const confirmed, refuted, open = judge.Holds, judge.Fails, judge.Undecided
	for name, tc := range map[string]struct {
		change func(p *Prediction, m *Measured)
		limits Requirements
		says   string
		want   judge.Finding
	}{
		"exact":                {func(*Prediction, *Measured) {}, Requirements{}, "confirmed", confirmed},
		"a fifth more CPU":     {func(_ *Prediction, m *Measured) { m.CPU = always(0.0124) }, Requirements{}, "confirmed", confirmed},
		"half more CPU":        {func(_ *Prediction, m *Measured) { m.CPU = always(0.015) }, Requirements{}, "refuted: CPU 1.5 % ±0% where at most 1.33 % of a core was expected", refuted},
		"half less CPU":        {func(_ *Prediction, m *Measured) { m.CPU = always(0.005) }, Requirements{}, "confirmed", confirmed},
		"half less, half late": {func(_ *Prediction, m *Measured) { m.CPU, m.Lateness = always(0.005), always(0.0002) }, Requirements{}, "confirmed", confirmed},
		"within its interval":  {func(p *Prediction, m *Measured) { p.CPU.High, m.CPU = 0.02, always(0.019) }, Requirements{}, "confirmed", confirmed},
		"within its lateness":  {func(p *Prediction, m *Measured) { p.Lateness.High, m.Lateness = 0.003, always(0.0029) }, Requirements{}, "confirmed", confirmed},
		"what is not worth it": {func(_ *Prediction, m *Measured) { m.CPU = always(0.019) }, Requirements{Worth: 0.01}, "confirmed", confirmed},
		"as much, scattered":   {func(_ *Prediction, m *Measured) { m.CPU = rounds(0.010, 0.005) }, Requirements{}, "cannot be told: CPU 1 % ±47% where at most 1.33 % of a core was expected (", open},
		"half more, scattered": {func(_ *Prediction, m *Measured) { m.CPU = rounds(0.015, 0.005) }, Requirements{}, "more rounds would tell)", open},
		"what nobody notices":  {func(p *Prediction, m *Measured) { p.CPU, m.CPU = exactly(0.0001), always(0.0010) }, Requirements{}, "confirmed", confirmed},
		"later by 140 µs":      {func(_ *Prediction, m *Measured) { m.Lateness = always(0.00114) }, Requirements{}, "confirmed", confirmed},
		"later by half":        {func(_ *Prediction, m *Measured) { m.Lateness = always(0.0015) }, Requirements{}, "refuted: lateness 1.5 ms ±0% where at most 1.25 ms was expected", refuted},
		"perhaps later":        {func(_ *Prediction, m *Measured) { m.Lateness = rounds(0.0012, 0.0002) }, Requirements{}, "cannot be told: lateness", open},
		"nothing fired":        {func(_ *Prediction, m *Measured) { m.Fired, m.Lateness = 0, ofAll(math.NaN(), math.NaN(), math.NaN()) }, Requirements{}, "cannot be told: lateness, since no timer fired", open},
		"a limit is kept":      {func(*Prediction, *Measured) {}, Requirements{Lateness: 2 * ms, CPU: 0.02}, "confirmed", confirmed},
		"beyond a limit":       {func(_ *Prediction, m *Measured) { m.Lateness = always(0.0011) }, Requirements{Lateness: ms}, "refuted: lateness 1.1 ms ±0% where at most 1ms is allowed", refuted},
		"perhaps beyond":       {func(_ *Prediction, m *Measured) { m.Lateness = rounds(0.00102, 0.00005) }, Requirements{Lateness: ms}, "cannot be told: lateness 1.02 ms ±5% where at most 1ms is allowed", open},
		"too few to tell":      {func(_ *Prediction, m *Measured) { m.Fired, m.Lateness = 19, ofAll(0.0003, 0.0002, math.Inf(1)) }, Requirements{}, "cannot be told: lateness 300 µs ±∞ where at most 1.25 ms was expected, of 19 timers", open},
		"later, of few":        {func(_ *Prediction, m *Measured) { m.Lateness = ofAll(0.003, 0.002, math.Inf(1)) }, Requirements{}, "refuted: lateness 3 ms ±∞ where at most 1.25 ms was expected", refuted},
		"too much CPU":         {func(*Prediction, *Measured) {}, Requirements{CPU: 0.009}, "at most 0.9 % of a core is allowed", refuted},
		"cannot be had":        {func(p *Prediction, _ *Measured) { p.Impossible = "no room" }, Requirements{}, "refuted: no room", refuted},
		"one and the other": {func(_ *Prediction, m *Measured) { m.CPU, m.Lateness = always(0.02), rounds(0.0012, 0.0002) }, Requirements{},
			"refuted: CPU 2 % ±0% where at most 1.33 % of a core was expected; cannot be told: lateness", refuted},
	} {
		t.Run(name, func(t *testing.T) {
			p, m := p, m
			tc.change(&p, &m)
			v := verdictOf(p, m, tc.limits)
			require.Equal(t, tc.want, v.Finding(), v.Why)
			require.Contains(t, v.Why, tc.says)
			begins := map[judge.Finding]string{confirmed: "confirmed", refuted: "refuted: ", open: "cannot be told: "}
			require.True(t, strings.HasPrefix(v.Why, begins[tc.want]), v.Why)
		})
	}
}
