// Package tune chooses a scheduler, its tick and its size for a workload on this
// machine, and proves the choice.
//
//	workload.Stream ──▶ LoadOf ──▶ Load ───────────────┐
//	this machine ──▶ costs.Calibrate ──▶ Calibration ──┼─▶ Choose ──▶ Choice ──▶ ProveChoice ──▶ Proof
//	what is asked for ──▶ Requirements ────────────────┘
//
// A Load is what a workload asks of its timers in a second, once it is steady. A
// Calibration, of package costs, is what each kind of thing costs here. A Prediction is the
// sum of what happens times what it costs, for one Config; how often a thing happens
// is counted from the workload and the geometry, and not fitted. Choose predicts some
// thousands of them and picks; ProveChoice runs the pick and the runner-up on the
// workload against the real clock, and says whether the prediction was true.
//
// Explain judges a given Config, or a known system, in the same way.
//
// docs/choosing-a-tick.md has the theory and its sources.
package tune
