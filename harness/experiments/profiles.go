package experiments

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/internal/check"
	"schedbench/internal/lists"
	"schedbench/workload"
)

const (
	mostSlice   = 1 << 20               // operations of a workload that are held in memory
	unknownOps  = 1_000_000             // operations of a stream of which nothing is known
	perReplayed = 120 * time.Nanosecond // what replaying one is taken to cost
)

// profileCells returns a cell for each workload.
func profileCells(p *harness.Plan) (cells []harness.Cell) {
	contestants := profileContestants(p)
	if len(contestants) == 1 {
		return nil // the control alone
	}
	for _, w := range p.Profiles {
		cells = append(cells, harness.Cell{
			Experiment: rundata.Profiles,
			Name:       "profile-" + w.Name,
			Time:       profileTime(p, w, contestants),
			Make:       func(s *harness.Session) ([]*harness.Turns, error) { return profile(s, w, contestants) },
		}.WithoutGC())
	}
	return cells
}

// profileContestants returns who replays: the control, all schedulers, and as in
// cells of pairs one of them a second time.
func profileContestants(p *harness.Plan) []harness.Contestant {
	list := append([]harness.Contestant{harness.EmptyContestant()}, which(p, harness.Contestant.Bare)...)
	if len(list) > 1 {
		list = harness.WithAA(list)
	}
	return list
}

// profileTime returns how long the cell of a workload is expected to take.
func profileTime(p *harness.Plan, w workload.Source, contestants []harness.Contestant) (total time.Duration) {
	ops := cmp.Or(w.Ops, unknownOps)
	if most := ReplayOps(p); most > 0 {
		ops = min(ops, most)
	}
	each := time.Duration(w.Pending+ops) * perReplayed
	for _, c := range contestants {
		mine := each
		if limit := replayLimit(p, c); limit > 0 {
			mine = min(mine, limit)
			if c.LinearInsert && w.Pending > 10_000 {
				mine = limit
			}
		}
		total += mine
	}
	return total + 2*each // the survey, and the model
}

// ReplayOps returns how many operations of a workload are replayed after what it
// begins with; 0 is all.
func ReplayOps(p *harness.Plan) int {
	if p.ReplayAll {
		return 0
	}
	return p.Rounds * max(int(p.Epoch/perOp), fewestOps)
}

// replayLimit returns how long a contestant may take for one workload.
func replayLimit(p *harness.Plan, c harness.Contestant) time.Duration {
	if c.LinearInsert && p.ListCell > 0 && (p.ReplayLimit == 0 || p.ListCell < p.ReplayLimit) {
		return p.ListCell
	}
	return p.ReplayLimit
}

// checkProfiles returns an error that names the values of the workloads that cannot be
// measured.
func checkProfiles(p *harness.Plan) (err error) {
	for _, w := range slices.Concat(p.Profiles, p.LiveProfiles) {
		err = errors.Join(err,
			check.That(check.Named(w.Name, `/\`), "workload name %q, want some letters without a slash or a space", w.Name),
			check.That(w.Tick > 0 && w.Horizon >= 0 && w.Steady >= 0 && w.Open != nil,
				"workload %s: tick %v, horizon %v, steady from %v on, want a positive tick, no negative durations, and a function that opens the stream",
				w.Name, w.Tick, w.Horizon, w.Steady))
	}
	return errors.Join(err,
		check.That(p.ReplayLimit >= 0 && p.LiveSlice >= 0,
			"%v for a replay and %v on the clock, want 0, for the default, or more", p.ReplayLimit, p.LiveSlice),
		check.Repeated("workload", lists.Each(p.Profiles, sourceName)), check.Repeated("workload", lists.Each(p.LiveProfiles, sourceName)))
}

func sourceName(w workload.Source) string { return w.Name }
