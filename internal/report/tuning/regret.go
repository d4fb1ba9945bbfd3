package tuning

import (
	"fmt"

	"schedbench/internal/judge"
	"schedbench/internal/tune"
)

// regret says how the pick compares with the best of all other candidates.
func regret(r *tune.Regret) string {
	if r.Rival == nil {
		return fmt.Sprintf("no other of all %d played keeps the limits with 5 %% to spare", r.Of)
	}
	low, high, word := r.More.Low, r.More.High, "more"
	switch r.More.Answer {
	case judge.Faster:
		low, high, word = -high, -low, "less"
	case judge.Unclear:
		return fmt.Sprintf("%s for the pick, %s for %s, the best other of all %d played: from %s less to %s more",
			share(r.Pick), ofCore(r.Other.Value), r.Rival, r.Of, ofCore(-low), ofCore(high))
	}
	return fmt.Sprintf("%s for the pick, %s for %s, the best other of all %d played: %s to %s %s",
		share(r.Pick), ofCore(r.Other.Value), r.Rival, r.Of, ofCore(low), ofCore(high), word)
}
