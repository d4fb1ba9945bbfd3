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
	"schedbench/internal/quantile"
	"schedbench/live"
	"schedbench/workload"
)

// Options say how a choice is made.
type Options struct {
	// Play plays matches.
	Play Play
	// Time is how long all of it may take.
	Time time.Duration
	// Explain is a known system, or a contestant of the program, to measure beside the candidates; nil is none.
	Explain *Candidate
	// Brute has all candidates that no rule excludes play too, after the choice: see Regret. It takes long.
	Brute bool
	// Progress is told what is being done; nil is nobody.
	Progress Progress
}

// Choice is what was measured for a workload and what follows from it.
type Choice struct {
	Segment *Segment
	// Requirements are those that were asked for. Without a limit for lateness there is one that is Assumed.
	Requirements Requirements
	Assumed      bool
	// Candidates are all, the simplest first.
	Candidates []*Candidate
	// Pick is what to take: nil if nothing keeps the requirements. RunnerUp is the next best, nil if nothing else
	// keeps them. More is how much more CPU the runner-up takes than the pick.
	Pick, RunnerUp *Candidate
	More           judge.Difference
	// Band is up to which difference of CPU, in shares of a core, counts as none.
	Band float64
	// Kept is whether the pick keeps the requirements: never judge.Fails.
	Kept judge.Finding
	// ByHeat says why the real clock did not decide; "" if it did.
	ByHeat string
	// Infeasible says what binds, if there is no pick.
	Infeasible *Infeasible
	// AllLate is in how many blocks every candidate missed the limit for lateness, if that is in all of them.
	AllLate int
	// Regret is how the pick compares with all candidates, if Options.Brute asked for that.
	Regret *Regret
	Took   time.Duration

	kept []*Candidate // that are in reach of being picked
}

// heatShare is the part of the time that the heat may take of all the time.
const heatShare = 0.25

// Choose measures the candidates for a workload and picks one. The errors are those of the workload, of the
// context and of processes; if ctx ends after the heat, the choice is by the heat, with the error.
func Choose(ctx context.Context, src workload.Source, r Requirements, o Options) (*Choice, error) {
	if o.Progress == nil {
		o.Progress = func(string, int, int) {}
	}
	start := time.Now()
	s, err := SegmentOf(ctx, src)
	if err != nil {
		return nil, err
	}
	ch := &Choice{Segment: s}
	if r.Lateness == 0 {
		r.Lateness, ch.Assumed = s.minded(), true
	}
	ch.Requirements, ch.Candidates = r, Candidates(s, r)
	o.Progress("measuring the price of a wake-up", 0, 1)
	p, err := pricesOf(ctx, o.Play)
	if err != nil {
		return nil, err
	}
	heatEnds := time.Now().Add(time.Duration(heatShare * float64(o.Time)))
	if s.Scale < 1 {
		heatEnds = start.Add(o.Time)
	}
	if err := Heat(ctx, s, ch.Candidates, p, r, heatEnds, o.Progress); err != nil {
		return nil, err
	}
	if o.Explain != nil {
		o.Explain.Ruled = r.rule(o.Explain.Config)
		ch.Candidates = append(ch.Candidates, o.Explain)
	}
	if err = ch.play(ctx, o, start.Add(o.Time)); err != nil && (ctx.Err() == nil || !errors.Is(err, ctx.Err())) {
		return nil, err
	}
	ch.Decide()
	ch.AllLate = ch.allLate()
	ch.Took = time.Since(start)
	if o.Brute && err == nil && ch.Pick != nil {
		ch.Regret, err = ch.brute(ctx, o)
	}
	return ch, err
}

// play has the final, unless the workload is too fast for the real clock.
func (ch *Choice) play(ctx context.Context, o Options, until time.Time) error {
	s := ch.Segment
	if s.Scale < 1 {
		ch.ByHeat = fmt.Sprintf("%.0f operations a second on %d timers are more than this machine plays in real time (%d on %d)",
			s.Rate, s.Pending, live.MostRate, live.MostPending)
		return nil
	}
	short := ch.ShortList()
	if f := short[0].Heat; f != nil && f.CPU.Low > 1 {
		ch.ByHeat = fmt.Sprintf("it takes %.0f %% of a core, which this machine does not play in real time", 100*f.CPU.Value)
		return nil
	}
	decided := func() bool { ch.Decide(); return ch.decided() }
	err := Final(ctx, s, short, ch.Requirements, o.Play, until, decided, o.Progress)
	if !slices.ContainsFunc(ch.Candidates, func(c *Candidate) bool { return c.Final != nil }) {
		ch.ByHeat = "no candidate could be played in real time"
	}
	return err
}

// contenders returns the candidates whose figures count and that were not explained only. Where a replay decides, those
// that were replayed again count, if there are any, and time.AfterFunc.
func (ch *Choice) contenders() (list []*Candidate) {
	again := slices.ContainsFunc(ch.Candidates, func(c *Candidate) bool { return c.Heat != nil && c.Heat.Replays > 0 })
	for _, c := range ch.Candidates {
		counts := c.Final != nil || ch.ByHeat != "" && c.Heat != nil && (!again || c.Heat.Replays > 0 || c.Config.Scheduler == catalog.RuntimeTimer)
		if counts && c.Note == "" && c.Name == "" {
			list = append(list, c)
		}
	}
	return list
}

// clearance is how far below a limit the value of a candidate must be, as a part of it, if its interval reaches
// beyond: a tick as long as the limit is now on this side of it, now on the other.
const clearance = 0.95

// within reports whether a candidate keeps the limits, or its values do with some clearance: one late sleep
// makes an interval long.
func (ch *Choice) within(c *Candidate) bool {
	r, f := ch.Requirements, c.Best()
	return ch.Keeps(c) == judge.Holds || ch.Keeps(c) == judge.Undecided && (r.CPU == 0 || f.CPU.Value <= clearance*r.CPU) &&
		!(r.Lateness > 0 && f.Lateness.Value > clearance*r.Lateness.Seconds())
}

// near is the part of the least CPU up to which more counts as none.
const near = 0.1

// band returns up to which difference of CPU shares counts as none beside the least: --worth if it was given, otherwise
// a tenth of the least if that is more. A replay separates no tenth.
func (ch *Choice) band(least *Candidate) float64 {
	worth := ch.Requirements.Worthwhile()
	if ch.Requirements.Worth == 0 || ch.ByHeat != "" {
		worth = max(worth, near*least.Best().CPU.Value)
	}
	return worth
}

// Decide picks from what was measured: of those that keep the limits, and take no more than Band beyond the least, the
// simplest. What is simplest is fixed: see Candidates.
func (ch *Choice) Decide() {
	ch.Pick, ch.RunnerUp, ch.Infeasible, ch.More, ch.Band = nil, nil, nil, judge.Difference{}, 0
	var kept, sure []*Candidate
	for _, c := range ch.contenders() {
		if ch.Keeps(c) == judge.Fails {
			continue
		}
		kept = append(kept, c)
		if ch.within(c) {
			sure = append(sure, c)
		}
	}
	if len(sure) > 0 {
		kept = sure
	}
	if len(kept) == 0 {
		ch.Infeasible = ch.infeasible()
		return
	}
	ch.kept = kept
	byCPU := func(a, b *Candidate) int { return cmp.Compare(a.Best().CPU.Value, b.Best().CPU.Value) }
	least := slices.MinFunc(kept, byCPU)
	ch.Band = ch.band(least)
	ch.Pick = kept[slices.IndexFunc(kept, func(c *Candidate) bool { // the simplest first
		return c == least || ch.MoreThan(c, least).Value <= ch.Band
	})]
	ch.Kept = ch.Keeps(ch.Pick)
	rest := slices.DeleteFunc(slices.Clone(kept), func(c *Candidate) bool { return c == ch.Pick })
	if len(rest) > 0 {
		ch.RunnerUp = slices.MinFunc(rest, byCPU)
		ch.More = ch.MoreThan(ch.RunnerUp, ch.Pick)
	}
}

// MoreThan returns how much more CPU one candidate takes than another, in shares of a core: what differs by no
// more than Band is as fast.
func (ch *Choice) MoreThan(a, b *Candidate) judge.Difference {
	worth := max(ch.Band, ch.Requirements.Worthwhile())
	if a.Final != nil && b.Final != nil {
		return judge.Differ(a.Final.CPU.Blocks, b.Final.CPU.Blocks, worth, judge.Terms{Comparisons: 1})
	}
	x, y := a.Best().CPU, b.Best().CPU
	e := judge.Estimate{Value: x.Value - y.Value, Low: x.Low - y.High, High: x.High - y.Low}
	return judge.Difference{Value: e.Value, Low: e.Low, High: e.High, Answer: e.Answer(worth)}
}

// decided reports whether more blocks would not change the pick: it is clear of all others that keep the
// limits, or the difference is not worth it.
func (ch *Choice) decided() bool {
	if ch.Pick == nil || ch.Kept == judge.Undecided {
		return false
	}
	for _, c := range ch.kept {
		if c != ch.Pick && ch.MoreThan(c, ch.Pick).Answer == judge.Unclear {
			return false
		}
	}
	return true
}

// allLate returns how many blocks were played, if in all of them every candidate missed the limit for lateness.
func (ch *Choice) allLate() (blocks int) {
	for _, c := range ch.contenders() {
		for _, b := range c.blocks {
			if b.Late == nil || quantile.Of(b.Late, ch.Requirements.Share()) <= int64(ch.Requirements.Lateness) {
				return 0
			}
		}
		blocks = max(blocks, len(c.blocks))
	}
	return blocks
}
