package report

import "time"

// Requirement is what a tick has to meet. A zero means any.
type Requirement struct {
	P99      time.Duration
	CPUShare float64
}
