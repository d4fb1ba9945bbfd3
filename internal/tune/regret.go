package tune

import (
	"context"
	"slices"
	"time"

	"schedbench/internal/judge"
)

// Regret is how a pick compares with all candidates that were played as it was.
type Regret struct {
	// Least is the candidate of the least CPU that keeps the limits, and Pick and Best are what the pick and it
	// took, in shares of a core.
	Least      *Candidate
	Pick, Best judge.Estimate
	// Of is how many candidates there were.
	Of int
}

// bruteBlocks is how many blocks each candidate plays for a regret.
const bruteBlocks = 4

// brute plays all candidates that no rule excludes, each in the same number of blocks, and compares the
// pick with the least. A workload that is too fast is replayed.
func (ch *Choice) brute(ctx context.Context, o Options, play Play) (*Regret, error) {
	all := &Choice{Segment: ch.Segment, Requirements: ch.Requirements, ByHeat: ch.ByHeat, blocks: bruteBlocks}
	var pick *Candidate
	for _, c := range ch.Candidates {
		if c.Ruled != "" || c.Name != "" || c.Heat == nil || c.Note != "" {
			continue
		}
		again := &Candidate{Config: c.Config, Heat: c.Heat}
		all.Candidates = append(all.Candidates, again)
		if c == ch.Pick {
			pick = again
		}
	}
	if err := all.final(ctx, all.Candidates, play, time.Now().Add(time.Hour), o.Progress); err != nil {
		return nil, err
	}
	kept := slices.DeleteFunc(all.contestants(), func(c *Candidate) bool { return c != pick && (all.Keeps(c) == judge.Fails || !all.Clear(c)) })
	r := &Regret{Least: pick, Of: len(all.contestants())}
	for _, c := range kept {
		if c.Best().CPU.Value < r.Least.Best().CPU.Value {
			r.Least = c
		}
	}
	r.Pick, r.Best = pick.Best().CPU.Estimate, r.Least.Best().CPU.Estimate
	return r, nil
}
