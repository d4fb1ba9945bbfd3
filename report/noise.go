package report

import (
	"cmp"
	"fmt"
	"strings"

	"schedbench/harness"
	"schedbench/judge"
)

// noiseQuestion is what the machine makes of one contestant measured twice.
var noiseQuestion = question{
	sentences: func(v *view) []string {
		name, all := v.costsAgain()
		if len(all) == 0 {
			return nil
		}
		wrong := 0
		for _, r := range all {
			if r.Separated {
				wrong++
			}
		}
		return []string{fmt.Sprintf("Measured against itself, %s differs by up to %.1f %% over %d cells and seems another in %d of them "+
			"(%.1f are to be expected): smaller differences mean nothing on this machine.",
			name, 100*(judge.LargestNoise(all)-1), len(all), wrong, float64(len(all))*(1-judge.Confidence))}
	},
}

// costsAgain is again for what operations cost.
func (v *view) costsAgain(params ...string) (twice string, found []judge.Ratio) {
	return v.again(harness.Cost, func(s *harness.Series) []float64 { values, _ := v.net(s); return values }, params...)
}

// again compares the second measurements of an experiment with the first ones, round
// by round, and says who was measured twice.
func (v *view) again(experiment string, values func(*harness.Series) []float64, params ...string) (twice string, found []judge.Ratio) {
	for _, second := range v.data.Select(experiment, params...) {
		if !again(second.Get("impl")) {
			continue
		}
		name := strings.TrimSuffix(second.Get("impl"), harness.AgainSuffix)
		first := v.one(experiment, append(cellOf(second), "impl="+name)...)
		if r := judge.Paired(values(second), values(first), 1); r.N > 0 {
			twice, found = cmp.Or(twice, name), append(found, r)
		}
	}
	return twice, found
}
