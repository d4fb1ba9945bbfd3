package tune

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"schedbench/internal/judge"
	"schedbench/internal/lists"
)

// Regret is how a pick compares with the best of all other candidates that keep the limits with clearance.
type Regret struct {
	// Rival is the best other; nil if no other keeps the limits. Pick and Other are the CPU of the pick and the rival, in
	// shares of a core. More is how much more the pick took in the same blocks.
	Rival       *Candidate
	Pick, Other judge.Estimate
	More        judge.Comparison
	// Of is the number of candidates that played.
	Of int
}

// bruteRounds has, for each round, the number of blocks and how many rivals of the pick go on. Each round has new blocks:
// the best of many was also lucky, and the blocks that chose it flatter it.
var bruteRounds = [...]struct{ blocks, goOn int }{{4, 8}, {8, 1}, {12, 1}}

// brute plays all candidates that no rule excludes, and then the pick beside the best of the others.
func (ch *Choice) brute(ctx context.Context, o Options, play Play) (*Regret, error) {
	field := lists.Only(ch.Candidates, func(c *Candidate) bool {
		return c != ch.Pick && c.Ruled == "" && c.Name == "" && c.Heat != nil && c.Note == ""
	})
	r := &Regret{Of: len(field) + 1}
	for _, round := range bruteRounds {
		all := &Choice{Segment: ch.Segment, Requirements: ch.Requirements, ByHeat: ch.ByHeat, blocks: round.blocks}
		for _, c := range append([]*Candidate{ch.Pick}, field...) {
			all.Candidates = append(all.Candidates, &Candidate{Config: c.Config, Heat: c.Heat})
		}
		if err := all.final(ctx, all.Candidates, play, time.Now().Add(time.Hour), o.Progress); err != nil {
			return nil, err
		}
		pick := all.Candidates[0]
		if pick.Final == nil || pick.Note != "" {
			return nil, fmt.Errorf("%s was picked, and could not be played again: %s", pick, pick.Note)
		}
		field = lists.Only(all.pickable(), func(c *Candidate) bool { return c != pick && all.Keeps(c) != judge.Fails && all.Clear(c) })
		slices.SortStableFunc(field, func(a, b *Candidate) int { return cmp.Compare(a.Final.CPU.Value, b.Final.CPU.Value) })
		field = field[:min(round.goOn, len(field))]
		r.Pick, r.Rival = pick.Final.CPU.Estimate, nil
		if len(field) == 0 {
			return r, nil
		}
		r.Rival, r.Other = field[0], field[0].Final.CPU.Estimate
		r.More = judge.Differ(pick.Final.CPU.Blocks, field[0].Final.CPU.Blocks, 0, judge.Terms{})
	}
	return r, nil
}
