package experiments

import (
	"schedbench/harness"
)

// TinyPlan is tiny, for the tests outside this package.
func TinyPlan(contestants ...harness.Contestant) *harness.Plan { return tiny(contestants...) }
