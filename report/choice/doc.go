// Package choice shows what there is to choose by and what was chosen: workloads and
// traces, the costs of a machine, and what package tune picked or explained.
//
// [Workload], [Calibration], [Tuning] and [WriteExplanation] say it in words and
// tables, [Tuning.Chart] and [ExplanationChart] draw it; [ProfileCharts] draws
// profiles of package workload, and [TraceChart] a trace as package trace sums it up.
package choice
