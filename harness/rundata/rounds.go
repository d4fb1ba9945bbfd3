package rundata

import (
	"slices"

	"schedbench/internal/judge"
	"schedbench/internal/lists"
)

// Level finds out how much longer each round of a block took than its other rounds, for all contestants of a cell. From
// then on Blocks returns figures without that: the machine's speed changes from round to round, and contestants have their
// turns of a round within milliseconds. A series with fewer rounds than others keeps its figures. O(samples).
func Level(series []*Series) {
	for _, group := range BesideEachOther(series) {
		unit, rounds := ExperimentOf(group[0].Experiment).Unit, map[int][][]float64{}
		for _, s := range group {
			if s.level = nil; len(s.Values[unit]) < len(s.blocks()) || slices.Contains(Controls(), s.Get("impl")) {
				continue
			}
			for block, at := range s.spans() {
				rounds[block] = append(rounds[block], s.Values[unit][at.from:at.to])
			}
		}
		levels := map[int][]float64{}
		for block, samples := range rounds {
			levels[block] = judge.Levels(samples)
		}
		for _, s := range group {
			s.level = slices.Repeat([]float64{1}, len(s.blocks()))
			for block, at := range s.spans() {
				if l := levels[block]; len(l) == at.to-at.from {
					copy(s.level[at.from:], l)
				}
			}
		}
	}
}

// BesideEachOther returns series in groups whose parameters differ by the contestant only.
func BesideEachOther(series []*Series) [][]*Series {
	return lists.Groups(series, func(s *Series) string {
		cell := Series{Experiment: s.Experiment, Params: slices.DeleteFunc(slices.Clone(s.Params), func(p Param) bool { return p.Key == "impl" })}
		return cell.Name()
	})
}

// span is where the samples of a block are.
type span struct{ from, to int }

func (s *Series) spans() map[int]span {
	spans := map[int]span{}
	for i, block := range s.blocks() {
		at, ok := spans[block]
		if !ok {
			at.from = i
		}
		at.to = i + 1
		spans[block] = at
	}
	return spans
}
