package tune

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"schedbench/catalog"
	"schedbench/internal/judge"
	"schedbench/internal/lists"
	"schedbench/live"
	"schedbench/workload"
)

// Options say how a choice is made.
type Options struct {
	// Play plays matches.
	Play Play
	// Time is how long all of it may take.
	Time time.Duration
	// Explain is the candidate that the user asked about. It is measured, and never picked; nil is none.
	Explain *Candidate
	// Brute lets all candidates that no rule excludes play after the choice: see Regret. It takes long.
	Brute    bool
	Progress Progress
}

// Choice is what was measured for a workload, and the pick.
type Choice struct {
	Segment *Segment
	// Requirements are those of the user. If these have no limit for lateness, it is Assumed.
	Requirements Requirements
	Assumed      bool
	// Candidates has the simplest first.
	Candidates []*Candidate
	// Pick is the candidate to take; nil if none keeps the requirements. RunnerUp takes the least CPU of the others that
	// keep them; nil if there is none. More is how much more CPU it takes than the pick.
	Pick, RunnerUp *Candidate
	More           judge.Comparison
	// Band is the largest difference of CPU, in shares of a core, that counts as none.
	Band float64
	// ByHeat says why the real clock did not decide; "" if it did.
	ByHeat string
	// Infeasible says which limits bind, if there is no pick.
	Infeasible *Infeasible
	// Took is how long the choice took, without Regret.
	Took time.Duration
	// Others is the share of all processors' time that other programs took meanwhile.
	Others float64
	// Regret compares the pick with all candidates; nil without Options.Brute.
	Regret *Regret

	kept   []*Candidate // those that Decide picked from
	blocks int          // of the final; 0: until it is decided
}

// heatShare is the heat's share of the time, and aloneShare its share without a final on the real clock.
const heatShare, aloneShare = 0.25, 0.5

// Choose measures the candidates for a workload and picks one. The errors are those of the workload, of the context and
// of processes. If ctx ends after a block of the final, it returns the choice by what was measured, and the error.
func Choose(ctx context.Context, src workload.Source, r Requirements, o Options) (*Choice, error) {
	start, others := time.Now(), live.WatchOthers()
	s, err := segmentOf(ctx, src)
	if err != nil {
		return nil, err
	}
	ch := &Choice{Segment: s}
	if r.Lateness == 0 {
		r.Lateness, ch.Assumed = s.assumedLateness(), true
	}
	ch.Requirements, ch.Candidates = r, Candidates(s, r)
	o.Progress("measuring the price of a wake-up", 0, 1)
	p, err := pricesOf(ctx, o.Play, s.Pending)
	if err != nil {
		return nil, err
	}
	share := heatShare
	if s.Scale < 1 {
		share = aloneShare
	}
	if o.Explain != nil {
		o.Explain.Ruled = r.rule(o.Explain.Config)
		ch.Candidates = append(ch.Candidates, o.Explain)
	}
	h := &heat{s: s, r: r, prices: p, laps: map[catalog.Config]lap{}}
	if err := h.all(ctx, ch.Candidates, time.Now().Add(time.Duration(share*float64(o.Time))), o.Progress); err != nil {
		return nil, err
	}
	played, err := ch.play(ctx, o, h, start.Add(o.Time))
	if err != nil && (ctx.Err() == nil || !errors.Is(err, ctx.Err()) || !slices.ContainsFunc(ch.Candidates, hasPlayed)) {
		return nil, err
	}
	ch.Decide()
	ch.Took, ch.Others = time.Since(start), others()
	if o.Brute && err == nil && ch.Pick != nil {
		ch.Regret, err = ch.brute(ctx, o, played)
	}
	return ch, err
}

// play plays the final: on the real clock, or by replay if the workload is too fast for that. It returns which.
func (ch *Choice) play(ctx context.Context, o Options, h *heat, until time.Time) (Play, error) {
	s, short := ch.Segment, ch.shortList(shortest)
	f := short[0].Heat
	switch {
	case s.Scale < 1:
		ch.ByHeat = fmt.Sprintf("%.0f operations a second on %d timers are more than this machine plays in real time (%d on %d)",
			s.Rate, s.Pending, live.MostRate, live.MostPending)
	case f != nil && f.CPU.Low > 1:
		ch.ByHeat = fmt.Sprintf("%s takes %.0f %% of a core, which this machine does not play in real time", short[0].Config.Scheduler, 100*f.CPU.Value)
	default:
		if err := ch.final(ctx, short, o.Play, until, o.Progress); err != nil || slices.ContainsFunc(short, hasPlayed) {
			return o.Play, err
		}
		ch.ByHeat = "no candidate could be played in real time"
	}
	for _, c := range short {
		if c.Heat != nil {
			c.Note = ""
		}
	}
	return h.play, ch.final(ctx, ch.shortList(longest), h.play, until, o.Progress)
}

func hasPlayed(c *Candidate) bool { return c.Final != nil }

// pickable returns the candidates that can be picked: those with figures, without the one that the user asked about.
func (ch *Choice) pickable() []*Candidate {
	return lists.Only(ch.Candidates, func(c *Candidate) bool { return c.Final != nil && c.Note == "" && c.Name == "" })
}

// clearance is the part of a limit up to which a value surely keeps it: at the limit, noise decides.
const clearance = 0.95

// Clear reports whether a candidate keeps the limits with clearance. It ignores intervals: one late sleep makes them long.
func (ch *Choice) Clear(c *Candidate) bool {
	r, f := ch.Requirements, c.Best()
	return (r.CPU == 0 || f.CPU.Value <= clearance*r.CPU) && !(r.Lateness > 0 && f.Lateness.Value > clearance*r.Lateness.Seconds())
}

// near is the part of the least CPU up to which a difference counts as none.
const near = 0.1

// band returns the largest difference from the least CPU that counts as none: --worth if the user gave it, otherwise at
// least a tenth of the least. A replay does not separate a tenth.
func (ch *Choice) band(least *Candidate) float64 {
	worth := ch.Requirements.Worthwhile()
	if ch.Requirements.Worth == 0 || ch.ByHeat != "" {
		worth = max(worth, near*least.Best().CPU.Value)
	}
	return worth
}

func leastOf(all []*Candidate) *Candidate {
	return slices.MinFunc(all, func(a, b *Candidate) int { return cmp.Compare(a.Best().CPU.Value, b.Best().CPU.Value) })
}

// simplest returns the first candidate that takes at most half a band more than the least. all has the simplest first. The
// other half of the band is for noise: the picks of two runs rarely differ by more than the band.
func (ch *Choice) simplest(all []*Candidate) *Candidate {
	least := leastOf(all)
	return all[slices.IndexFunc(all, func(c *Candidate) bool { return c.Best().CPU.Value-least.Best().CPU.Value <= ch.band(least)/2 })]
}

// surest returns the candidates that keep the limits with clearance; without any, those that keep them; without these,
// the unclear ones.
func (ch *Choice) surest() []*Candidate {
	unclear := lists.Only(ch.pickable(), func(c *Candidate) bool { return ch.Keeps(c) != judge.Fails })
	kept := func(c *Candidate) bool { return ch.Keeps(c) == judge.Holds }
	for _, sure := range []func(*Candidate) bool{ch.Clear, kept} {
		if some := lists.Only(unclear, sure); len(some) > 0 {
			return some
		}
	}
	return unclear
}

// Decide picks the simplest of the surest candidates that take at most half of Band more CPU than the least. The order of
// simplicity is fixed: see Candidates.
func (ch *Choice) Decide() {
	ch.Pick, ch.RunnerUp, ch.Infeasible, ch.More, ch.Band = nil, nil, nil, judge.Comparison{}, 0
	kept := ch.surest()
	if len(kept) == 0 {
		ch.Infeasible = ch.infeasible()
		return
	}
	ch.kept = kept
	ch.Pick, ch.Band = ch.simplest(kept), ch.band(leastOf(kept))
	rest := lists.Only(kept, func(c *Candidate) bool { return c != ch.Pick })
	if len(rest) > 0 {
		ch.RunnerUp = leastOf(rest)
		ch.More = ch.MoreThan(ch.RunnerUp, ch.Pick)
	}
}

// MoreThan returns how much more CPU one candidate takes than another, in shares of a core. A difference within Band is
// as fast.
func (ch *Choice) MoreThan(a, b *Candidate) judge.Comparison {
	worth := max(ch.Band, ch.Requirements.Worthwhile())
	return judge.Differ(a.Final.CPU.Blocks, b.Final.CPU.Blocks, worth, judge.Terms{Comparisons: len(ch.kept) - 1})
}

// decided reports whether the final may end: no other candidate can save more than Band, the comparison with the
// runner-up is clear, and the pick's CPU is known to a tenth.
func (ch *Choice) decided() bool {
	if ch.Pick == nil || ch.Keeps(ch.Pick) == judge.Undecided || ch.RunnerUp != nil && ch.More.Answer == judge.Unclear {
		return false
	}
	if cpu := ch.Pick.Best().CPU; cpu.High-cpu.Value > max(near*cpu.Value, judge.Imperceptible/2) {
		return false
	}
	return !slices.ContainsFunc(ch.kept, func(c *Candidate) bool { return c != ch.Pick && ch.MoreThan(c, ch.Pick).Low < -ch.Band })
}
