// Package trace reads and writes what a program really asked of its timers, and
// when they fired: traces, from a recorder or from the Linux kernel.
//
// [Open] reads three forms, gzip or not, and needs no word about which: that of schedbench, which [Writer] writes; the
// text of the kernel's timer events as tracefs and trace-cmd report give it; and that of perf script. All of them come
// out as [Event] values, one batch after the other: a trace need not fit into memory.
//
//	file, perf script, tracefs ──▶ Open ──▶ Reader ──▶ Ops ──▶ workload.Stream
//	                                          │  ▲
//	            Writer ◀── recorder           │  └── Events ◀── workload.Stream
//	                                          └──▶ Summarize ──▶ Info
//
// # schedbench's format
//
// It is text, an event a line, times as differences from the line before. It
// can be searched with grep, written by hand, and packed well by gzip:
//
//	timer-trace 1
//	source nginx, 64 connections
//	start 2026-01-02T15:04:05.000000006Z
//	unit ns
//	s 12 0 30000000        timer 12 is scheduled, 30 ms ahead
//	s 13 5210 40000000     5.21 µs later, another
//	r 12 900 30000000      timer 12 is moved
//	c 13 17                timer 13 is cancelled
//	at 6127                (for checking: the time of the event before)
//	dropped 4 queue full   here 4 events could not be recorded
//	f 12 30000120          timer 12 fires
//	end 5 30006247         5 events up to here; what has no end was cut off
//
// docs/traces.md describes it, and what is made of the kernel's events, in full.
//
// # What can go wrong
//
// A trace that is damaged is an error with file, line and [Reason], a [SyntaxError]. With Options.SkipBad what is
// damaged is left out and counted, see [Counts]. However long a line or a trace is, and whatever gzip makes of it,
// memory stays bounded: by MaxLine, by a window of the kernel's events, and by MaxPending timers.
package trace
