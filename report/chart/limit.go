package chart

import "schedbench/internal/words"

// AtMost is the line of a limit, named in the margin; none if there is no limit.
func AtMost(limit float64, f words.Format) []Rule {
	if limit <= 0 {
		return nil
	}
	return []Rule{{At: limit, Name: "at most " + words.Trimmed(f(limit)), Colour: LimitColour}}
}
