package tune

// Among returns the choice among configurations of which the CPU time, the lateness
// and the memory are known already, such as measured ones: by the rules of Choose,
// which apply to what is known of each. It assumes no limit where none is given, and
// has no Load, no Optima, and of what stands in the way only Infeasible. O(n log n).
func Among(known []Prediction, r Requirements) *Choice {
	ch := &Choice{Asked: r, Requirements: r}
	ch.Requirements.Percentile = r.percentile()
	ch.All = filter(known, func(p *Prediction) bool { return r.allows(p.Config) })
	ch.rank()
	ch.Knee = knee(ch.All)
	if len(ch.Ranked) == 0 {
		ch.Infeasible = ch.obstacle(known)
		return ch
	}
	ch.elect()
	return ch
}
