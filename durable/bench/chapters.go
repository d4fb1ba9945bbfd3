package main

import (
	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/report"
	"schedbench/internal/words"
)

// The experiments, which are the first part of the names of series.
const (
	callsExperiment = "DurableCalls"
	idleExperiment  = "DurableIdle"
	liveExperiment  = "DurableLive"
	pollExperiment  = "DurablePoll"
)

// The units of samples that package harness has none of.
const (
	ScheduleNs    = "schedule-ns/op" // to schedule a timer, and know that it is kept
	ManyNs        = "many-ns/op"     // the same of one of manyAtOnce, all known to be kept at the end
	CancelNs      = "cancel-ns/op"   // to cancel one, and know it
	ResetNs       = "reset-ns/op"    // to give one another instant, and know it
	ReadyNs       = "ready-ns"       // from the start of a process until it has kept a timer, where others are held
	ReadyBytes    = "ready-B"        // the most memory that the process has taken until then
	BytesPerTimer = "held-B/timer"   // of the heap, of the disk, and of the memory of Redis
)

// What is asked in two experiments: CPU time as a share of a core, and lateness, of which 100 µs more count as none.
var (
	cpu = report.Measure{Unit: rundata.CPUPerSecond, Name: "CPU while nothing is due", Takes: "as much", Negligible: 1e9 * judge.Imperceptible,
		Format: func(ns float64) string { return words.Percent(ns / 1e9) }}
	late99 = report.Measure{Unit: rundata.P99Late, Name: "lateness, 99th percentile", Takes: "as late", Format: words.Nanos, Negligible: 100_000}
)

func chapters() []report.Chapter {
	memory := []string{catalog.Hier}
	pairs := [][2]string{{durableName, catalog.Hier}, {durableFull, durableName}, {durablePg, durableName}, {durablePgNo, durablePg},
		{durablePg, pollName}, {durableName, "asynq"}}
	call := func(unit, name string) report.Measure {
		return report.Measure{Unit: unit, Name: name, Takes: "as long", Format: words.Nanos}
	}
	return []report.Chapter{
		{
			Experiment: callsExperiment, Name: "durable-calls",
			Title: "What does it cost to keep a timer that outlives the process?",
			Subtitle: "Caller's time of a call that has returned when the timer is kept; one of many is of 64 in one call; " +
				"bytes are of the heap, of the disk, and of the memory of Redis; ready is from the start of a process until it has kept a timer",
			Against: "held", Axis: "timers held", Where: "with %s held", Apart: memory, Pairs: pairs,
			Measures: []report.Measure{
				call(ScheduleNs, "schedule"), call(ManyNs, "schedule one of many"), call(CancelNs, "cancel"), call(ResetNs, "reset"),
				{Unit: BytesPerTimer, Name: "bytes of a timer", Takes: "as much", Format: words.Bytes}, call(ReadyNs, "ready"),
				{Unit: ReadyBytes, Name: "memory until ready", Takes: "as much", Format: words.Bytes},
			},
		},
		{
			Experiment: liveExperiment, Name: "durable-lateness", Spectrum: true,
			Title:    "How late do timers fire that outlive the process?",
			Subtitle: "Delays are longer than what a contestant looks ahead; nothing is trimmed",
			Against:  "rate", Axis: "timers a second", Where: "at %s timers a second", Apart: memory, Pairs: pairs,
			Measures: []report.Measure{late99},
		},
		{
			Experiment: idleExperiment, Name: "durable-idle",
			Title:    "What do timers cost that outlive the process while nothing is due?",
			Subtitle: "CPU time of the process and of its server, as a share of a core; the idle process holds nothing",
			Against:  "held", Axis: "timers held", Where: "with %s held", Apart: memory, Pairs: [][2]string{{durableName, rundata.ProcessControl}},
			Measures: []report.Measure{cpu},
		},
		{
			Experiment: pollExperiment, Name: "durable-poll",
			Title:    "What does the interval of a poll give, and what does it cost?",
			Subtitle: "River on PostgreSQL, which asks for due jobs at an interval, beside " + durablePg,
			Against:  "interval", Axis: "interval of the poll", Where: "with a poll each %s",
			Measures: []report.Measure{late99, cpu},
		},
	}
}
