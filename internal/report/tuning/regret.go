package tuning

import (
	"fmt"

	"schedbench/internal/judge"
	"schedbench/internal/tune"
	"schedbench/internal/words"
)

// regret says how the pick compares with the best of all other candidates.
func regret(r *tune.Regret) string {
	if r.Rival == nil {
		return fmt.Sprintf("no other of all %d played keeps the limits with 5 %% to spare", r.Of)
	}
	said := fmt.Sprintf("%s for the pick, %s for %s, the best other of all %d played: ", share(r.Pick), ofCore(r.Other.Value), described(r.Rival), r.Of)
	switch low, high := r.More.Low, r.More.High; r.More.Answer {
	case judge.Faster:
		return said + words.FromTo(ofCore(-high), ofCore(-low)) + " less"
	case judge.Unclear:
		return said + "from " + ofCore(-low) + " less to " + ofCore(high) + " more"
	default:
		return said + words.FromTo(ofCore(low), ofCore(high)) + " more"
	}
}
