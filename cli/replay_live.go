package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"schedbench/internal/report"
	"schedbench/internal/words"
	"schedbench/live"
	"schedbench/workload"
)

const (
	// liveTurns is how many turns a contestant has on the real clock.
	liveTurns = 6
	// usualTurn is how long a turn is if enough timers are due, and longestTurn at most if
	// nothing is said: six of them are a minute, in which all contestants are played.
	usualTurn, longestTurn = time.Second, 10 * time.Second
)

// liveNeed is how long the turns of a workload would have to be.
type liveNeed struct {
	turn time.Duration   // 0 if no timer is due in the longest; an estimate if too few are
	due  []time.Duration // when timers are due, within the time that was looked at
}

// in returns how many timers are due in turns of a length.
func (n liveNeed) in(turn time.Duration) int {
	due, _ := slices.BinarySearch(n.due, turn)
	return liveTurns * due
}

// liveTurn returns how long turns on the real clock are, in which enough timers of each workload
// are due for a percentile of their lateness. It says why they are longer than usual, and of which
// workload the longest turns are too short.
func liveTurn(ctx context.Context, workloads []workload.Source, tell func(string)) (turn time.Duration, err error) {
	turn = usualTurn
	needs := make([]liveNeed, len(workloads))
	for i, w := range workloads {
		if needs[i], err = enoughDue(ctx, w); err != nil {
			return 0, fmt.Errorf("%s: %w", w.Name, err)
		}
		if need := needs[i].turn; need <= longestTurn {
			turn = max(turn, need)
		}
	}
	for i, w := range workloads {
		switch n := needs[i]; {
		case n.turn > longestTurn:
			tell(fmt.Sprintf("%s: %s due on the real clock in six turns of %v, want %d for the 99th percentile of lateness: --live-for %v",
				w.Name, words.Many(n.in(turn), "timer"), turn, report.FewFired, n.turn))
		case n.turn == 0:
			tell(fmt.Sprintf("%s: no timer is due on the real clock in turns of %v, so there is no lateness: --live-for LONGER", w.Name, turn))
		case n.turn == turn && turn > usualTurn:
			tell(fmt.Sprintf("%s: turns of %v on the real clock, in which %d timers are due, as the 99th percentile of lateness needs", w.Name, turn, report.FewFired))
		}
	}
	return turn, nil
}

// enoughDue returns after how long a turn at least an n-th of the timers that are needed are due, if
// there are n turns. It looks no further than the longest.
func enoughDue(ctx context.Context, w workload.Source) (n liveNeed, err error) {
	const want = (report.FewFired + liveTurns - 1) / liveTurns
	for _, length := range []time.Duration{usualTurn, longestTurn} {
		due, err := dueWithin(ctx, w, length)
		switch {
		case errors.Is(err, live.ErrTooFast) && length == usualTurn:
			return liveNeed{turn: usualTurn}, nil // it is refused
		case errors.Is(err, live.ErrTooFast):
			return n, nil
		case err != nil:
			return n, err
		}
		n.due = due
		if len(due) >= want {
			n.turn = min(max(usualTurn, due[want-1].Truncate(time.Second/10)+time.Second/5), longestTurn)
			return n, nil
		}
		if len(due) > 0 {
			n.turn = (length * want / time.Duration(len(due))).Round(time.Second) + time.Second
		}
	}
	return n, nil
}

// dueWithin returns when timers of a workload are due in a turn, scaled down as it is played.
func dueWithin(ctx context.Context, w workload.Source, length time.Duration) ([]time.Duration, error) {
	for scale := 1.0; ; {
		var one *live.Slice
		part := live.Part{Open: func() (workload.Stream, error) { return w.Open(workload.Options{Scale: scale}) }, From: w.Steady, Length: length, Rounds: 1}
		if err := part.Each(ctx, func(s *live.Slice) error { one = s; return nil }); err != nil {
			return nil, err
		}
		less := live.Scale(one.Rate(), float64(len(one.Pending)))
		if scale < 1 || less == 1 || !w.Scalable {
			return one.Due(), nil
		}
		scale = less
	}
}
