// Package report turns what other packages have measured, predicted or read into
// charts, tables and a verdict in words. It measures nothing itself.
//
// Of a run it reads harness.Data and nothing else: whatever it shows of a run,
// replays among it, can be shown again from the saved data, on another machine,
// years later. Any part of the data may be missing, because a run may have been
// interrupted or asked for one contestant only; a chart without anything to show is
// left out. [Charts] writes the charts, [Tables] the figures behind them, and
// [Verdict] says what they come to and which tick to choose.
//
// Of the packages below it shows values as they are: [Workload], [Calibration],
// [Tuning] and [WriteExplanation] say what package tune knows of a workload and of
// the machine, and what it has chosen or judged, [Tuning.Chart] and
// [ExplanationChart] draw it; [ProfileCharts] draws profiles of package workload, and
// [TraceChart] a trace as package trace sums it up.
package report
