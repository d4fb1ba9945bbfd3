// Package trace reads and writes what a program really asked of its timers, and when they fired: traces, from a recorder
// or from the Linux kernel.
//
// [Open] reads three forms, gzip or not, and recognizes which: that of schedbench, which [Writer] writes; the text of the
// kernel's timer events as tracefs and trace-cmd report give it; and that of perf script. All come out as [Event] values,
// one batch after the other. A trace of schedbench need not fit into memory. docs/traces.md describes the forms.
//
//	file, perf script, tracefs ──▶ Open ──▶ Reader ──▶ Ops ──▶ workload.Stream
//	            Writer ◀── recorder            └─────▶ Summarize ──▶ Info
//
// A trace that is damaged is an error with file, line and [Reason], a [SyntaxError]. With Options.SkipBad what is damaged
// is left out and counted, see [Counts]. Memory is bounded by MaxLine, by MaxPending timers, and for a recording of the
// kernel by its events, of some 80 bytes each.
package trace
