// Package report turns what a run has measured into charts, tables and a verdict in
// words. It measures nothing itself.
//
// It reads rundata.Data and nothing else: whatever it shows of a run, replays among
// it, can be shown again from the saved data, on another machine, years later. Any
// part of the data may be missing, because a run may have been interrupted or asked
// for one contestant only; a chart without anything to show is left out. [Charts]
// writes the charts, [Tables] the figures behind them, and [Verdict] says what they
// come to and which tick to choose. Who is in front is decided by package judge.
//
// Each question that a run may answer is declared once, with its figure, its table and its
// sentence. Questions of one subject share a file.
package report
