package wheeltest

import "schedbench/schedulers"

// WithoutUpkeep returns what was done for the values of the calls themselves.
func WithoutUpkeep(w schedulers.Work) schedulers.Work {
	w.Upkeep = 0
	return w
}
