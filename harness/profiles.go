package harness

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"schedbench/workload"
)

// Profiles asks what it costs to replay a workload in virtual time.
const Profiles = "Profiles"

// What the samples of Profiles cells say besides the time of an operation and
// the steps of it. Totals are of the whole replay, and the same in each round.
const (
	WakeupsPerVirtual = "wakeups/virtual-s" // instants expired for each virtual second
	TotalOps          = "total-ops"         // operations replayed
	TotalFired        = "total-fired"       // timers that came out
	TotalGranted      = "total-granted"     // cancellations and resets that found their timer
	TotalRefused      = "total-refused"     // and those that did not
	VirtualNs         = "virtual-ns"        // virtual time replayed
	AnswerBits        = "answer-48bit"      // the lowest 48 bits of the answer's hash
)

// What is said of a contestant that has no figures: the beginning of its note.
const (
	CannotHold = "cannot hold" // the workload: it refused an operation, or cannot be made
	GaveUp     = "gave up"     // it took too long
	Wrong      = "wrong"       // its answers are not those of the model
	NothingDue = "nothing due" // in the time that was measured
)

// State returns which of these the note of a series begins with, and "" if the
// series has figures.
func (s *Series) State() string {
	for _, state := range []string{CannotHold, GaveUp, Wrong, NothingDue} {
		if strings.HasPrefix(s.Note, state) {
			return state
		}
	}
	return ""
}

const (
	mostSlice   = 1 << 20               // operations of a workload that are held in memory
	unknownOps  = 1_000_000             // operations of a stream of which nothing is known
	perReplayed = 120 * time.Nanosecond // what replaying one is taken to cost
)

// profileCells returns a cell for each workload.
func (p *Plan) profileCells() (cells []Cell) {
	contestants := p.profileContestants()
	if len(contestants) == 1 {
		return nil // the control alone
	}
	for _, w := range p.Profiles {
		cells = append(cells, Cell{
			Experiment: Profiles,
			Name:       "profile-" + w.Name,
			Time:       p.profileTime(w, contestants),
			run:        func(s *session) ([]*Series, error) { return s.profile(w, contestants) },
		}.withoutGC())
	}
	return cells
}

// profileContestants returns who replays: the control, all schedulers, and as in
// cells of pairs one of them a second time.
func (p *Plan) profileContestants() []Contestant {
	list := append([]Contestant{emptyContestant()}, p.which(Contestant.bare)...)
	if len(list) > 1 {
		list = withAgain(list)
	}
	return list
}

// profileTime returns how long the cell of a workload is expected to take.
func (p *Plan) profileTime(w workload.Source, contestants []Contestant) (total time.Duration) {
	ops := cmp.Or(w.Ops, unknownOps)
	if most := p.ReplayOps(); most > 0 {
		ops = min(ops, most)
	}
	each := time.Duration(w.Pending+ops) * perReplayed
	for _, c := range contestants {
		mine := each
		if limit := p.replayLimit(c); limit > 0 {
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
func (p *Plan) ReplayOps() int {
	if p.Whole {
		return 0
	}
	return p.Rounds * max(int(p.Epoch/perOp), fewestOps)
}

// replayLimit returns how long a contestant may take for one workload.
func (p *Plan) replayLimit(c Contestant) time.Duration {
	if c.LinearInsert && p.ListCell > 0 && (p.ReplayLimit == 0 || p.ListCell < p.ReplayLimit) {
		return p.ListCell
	}
	return p.ReplayLimit
}

// checkProfiles returns an error that names the values of the workloads that cannot be
// measured.
func (p *Plan) checkProfiles() (err error) {
	for _, w := range slices.Concat(p.Profiles, p.LiveProfiles) {
		err = errors.Join(err,
			unless(named(w.Name, `/\`), "workload name %q, want some letters without a slash or a space", w.Name),
			unless(w.Tick > 0 && w.Horizon >= 0 && w.Steady >= 0 && w.Open != nil,
				"workload %s: tick %v, horizon %v, steady from %v on, want a positive tick, no negative durations, and a function that opens the stream",
				w.Name, w.Tick, w.Horizon, w.Steady))
	}
	return errors.Join(err,
		unless(p.ReplayLimit >= 0 && p.LiveSlice >= 0,
			"%v for a replay and %v on the clock, want 0, for the default, or more", p.ReplayLimit, p.LiveSlice),
		repeated("workload", each(p.Profiles, sourceName)), repeated("workload", each(p.LiveProfiles, sourceName)))
}

// workloads returns what tells the workloads of a plan from those of another.
func (p *Plan) workloads() []string {
	return append(each(p.Profiles, func(w workload.Source) string {
		return fmt.Sprint(w.Name, w.Tick, w.Horizon, w.Steady, w.Version)
	}), namesOf(p.LiveProfiles)...)
}

func sourceName(w workload.Source) string { return w.Name }

func namesOf(sources []workload.Source) []string {
	return each(sources, func(w workload.Source) string { return w.Name })
}
