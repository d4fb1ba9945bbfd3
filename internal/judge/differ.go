package judge

// Imperceptible is the difference between two shares of a core that is too small to notice.
const Imperceptible = 0.001

// Differ compares two contestants by how much more the first takes than the second in the same blocks, by Student's t.
// Both may take none, such as CPU time: ratios would mean nothing. A difference up to same counts as none, however sure it
// is. Of the terms, only Comparisons matters.
func Differ(a, b []float64, same float64, t Terms) Comparison {
	differences := finite(Net(a, b))
	d := paired(differences, usual{})
	d.same, d.noise = same, same
	return t.compare(d, len(differences))
}

// MedianDifference returns how much more the first takes than the second in the same blocks: the median of the
// differences, with an interval by their ranks. Where there are too few blocks for that, it is the mean with an
// interval by Student's t. Of the terms, only the number of comparisons matters.
func MedianDifference(a, b []float64, t Terms) Comparison {
	d := Differ(a, b, 0, t)
	if s := summarize(finite(Net(a, b)), t.confidence()); s.Bounded() {
		d.Estimate = Estimate{s.Median, s.Low, s.High}
		d.Answer = answer(d.Estimate, 0, 0)
	}
	return d
}

// DifferApart is Differ for contestants whose blocks were measured at different times, by Welch's t.
func DifferApart(a, b []float64, same float64, t Terms) Comparison {
	a, b = finite(a), finite(b)
	d := apart(a, b)
	d.same, d.noise = same, same
	return t.compare(d, min(len(a), len(b)))
}
