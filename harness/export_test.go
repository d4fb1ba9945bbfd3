package harness

// TinyPlan is tiny, for the tests outside this package.
func TinyPlan(contestants ...Contestant) *Plan { return tiny(contestants...) }
