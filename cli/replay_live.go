package cli

import (
	"context"
	"errors"
	"fmt"
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

// liveTurn returns how long turns on the real clock are, in which enough timers of each workload
// are due for a percentile of their lateness. It says why they are longer than usual, and of which
// workload the longest turns are too short.
func liveTurn(ctx context.Context, workloads []workload.Source, tell func(string)) (turn time.Duration, err error) {
	turn = usualTurn
	for _, w := range workloads {
		need, due, err := enoughDue(ctx, w)
		switch {
		case err != nil:
			return 0, fmt.Errorf("%s: %w", w.Name, err)
		case need > longestTurn:
			tell(fmt.Sprintf("%s: %s due on the real clock in six turns of %v, want %d for the 99th percentile of lateness: --live-for %v",
				w.Name, words.Many(liveTurns*due, "timer"), longestTurn, report.FewFired, need))
		case need == 0:
			tell(fmt.Sprintf("%s: no timer is due on the real clock in turns of %v, so there is no lateness: --live-for LONGER", w.Name, longestTurn))
		case need > turn:
			turn = need
			tell(fmt.Sprintf("%s: turns of %v on the real clock, in which %d timers are due, as the 99th percentile of lateness needs", w.Name, turn, report.FewFired))
		}
	}
	return turn, nil
}

// enoughDue returns after how long a turn at least an n-th of the timers that are needed are due, if
// there are n turns, 0 if none is due in the longest turn. If too few are, it is an
// estimate from those.
func enoughDue(ctx context.Context, w workload.Source) (need time.Duration, due int, err error) {
	const want = (report.FewFired + liveTurns - 1) / liveTurns
	for _, length := range []time.Duration{usualTurn, longestTurn} {
		var one *live.Slice
		part := live.Part{Open: func() (workload.Stream, error) { return w.Open(workload.Options{Scale: 1}) }, From: w.Steady, Length: length, Rounds: 1}
		err := part.Each(ctx, func(s *live.Slice) error { one = s; return nil })
		switch {
		case errors.Is(err, live.ErrTooFast) && length == usualTurn:
			return usualTurn, want, nil // it is scaled down, or refused
		case errors.Is(err, live.ErrTooFast):
			return need, due, nil
		case err != nil:
			return 0, 0, err
		}
		at := one.Due()
		if w.Scalable {
			at = at[:int(float64(len(at))*live.Scale(one.Rate(), float64(len(one.Pending))))]
		}
		if due = len(at); due >= want {
			return max(usualTurn, at[want-1].Truncate(time.Second/10)+time.Second/5), due, nil
		}
		if due > 0 {
			need = (length * want / time.Duration(due)).Round(time.Second) + time.Second
		}
	}
	return need, due, nil
}
