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
		name, all := v.again("")
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
			name, 100*(judge.Noise(all)-1), len(all), wrong, float64(len(all))*(1-judge.Confidence))}
	},
}

// again compares the second measurements of an operation, or of all with "", with
// the first ones, and says who was measured twice.
func (v *view) again(op string) (twice string, found []judge.Ratio) {
	for _, s := range v.data.Select(harness.Cost) {
		name := s.Get("impl")
		if !again(name) || op != "" && s.Get("op") != op {
			continue
		}
		second, _ := v.net(s)
		name = strings.TrimSuffix(name, harness.AgainSuffix)
		first, _ := v.net(v.one(harness.Cost, append(cellOf(s), "impl="+name)...))
		if r := judge.Paired(second, first, 1); r.N > 0 {
			twice, found = cmp.Or(twice, name), append(found, r)
		}
	}
	return twice, found
}
