// Package tuning shows what there is to choose by and what was chosen: profiles and traces, and what package
// tune has measured.
//
// [Answer] says a choice in words and a table, and draws it; [ProfileCharts] draws profiles of package workload,
// and [TraceChart] a trace as package trace sums it up.
package tuning
