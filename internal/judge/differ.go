package judge

// Difference is how much more one contestant takes than another, such as CPU time. Both may take none: ratios
// would mean nothing.
type Difference struct {
	// Estimate is the mean of the differences, with its interval, which is open with fewer
	// than two blocks. Without any it is NaN.
	Estimate
	Blocks int
	Answer Answer

	measured difference
}

// Imperceptible is the difference between two shares of a core that is too small to notice.
const Imperceptible = 0.001

// Differ compares two contestants by how much more the first takes than the second in the same blocks, by Student's t.
// A difference up to same counts as none, however sure it is. Of the terms, only Comparisons matters.
func Differ(a, b []float64, same float64, t Terms) Difference {
	differences := finite(Net(a, b))
	return t.differ(paired(differences, usual{}), len(differences), same)
}

// MedianDifference returns how much more the first takes than the second in the same blocks: the median of the
// differences, with an interval by their ranks. Where there are too few blocks for that, it is the mean with an
// interval by Student's t. Of the terms, only the number of comparisons matters.
func MedianDifference(a, b []float64, t Terms) Difference {
	d := Differ(a, b, 0, t)
	if s := summarize(finite(Net(a, b)), t.confidence()); s.Bounded() {
		d.Estimate = Estimate{s.Median, s.Low, s.High}
		d.Answer = answer(d.Estimate, 0, 0)
	}
	return d
}

// DifferApart is Differ for contestants whose blocks were measured at different times, by Welch's t.
func DifferApart(a, b []float64, same float64, t Terms) Difference {
	a, b = finite(a), finite(b)
	return t.differ(apart(a, b), min(len(a), len(b)), same)
}

func (t Terms) differ(d difference, blocks int, same float64) Difference {
	d.confidence, d.same, d.noise = t.confidence(), same, same
	reach := d.reach(0)
	return Difference{Estimate{d.mean, d.mean - reach, d.mean + reach}, blocks, d.answer(reach), d}
}

// More is that of a Comparison.
func (d Difference) More() int { return d.measured.more(d.Answer, d.Blocks) }
