package tune

import "schedbench/workload"

// Source is a workload that can be run as often as one likes: to look at it, and
// to prove what was chosen for it.
type Source struct {
	// Name is what the workload is called.
	Name string
	// Open returns the operations from the first on. A source that cannot be scaled
	// or go on for as long as asked, such as a trace, refuses a scale and ends early.
	// The stream is closed by Close, if it has one (io.Closer).
	Open func(workload.Options) (workload.Stream, error)
	// Scalable says that Open takes a scale.
	Scalable bool
}
