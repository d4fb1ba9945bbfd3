package price

import (
	"fmt"
	"strings"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/words"
	"schedbench/judge"
)

// call is something that a program asks of those who keep timers.
type call struct {
	ns, cpu string
	title   string // of a panel
	does    string // in a sentence: to schedule a timer
}

// calls are all of them.
var calls = []call{
	{AckedNs, AckedCPU, "schedule, acknowledged", "to schedule a timer and know that it is kept"},
	{PostedNs, PostedCPU, "schedule, one of many", "to schedule one of many, all known to be kept at the end"},
	{CancelNs, CancelCPU, "cancel, acknowledged", "to cancel one and know it"},
}

// heldSentences say what it costs to keep timers that outlive the process.
func (r results) heldSentences() (said []string) {
	n := r.heldTold(HeldExperiment)
	for _, c := range calls {
		said = append(said, r.callSentence(c, n))
	}
	said = append(said, r.bareSentence(n), r.cpuSentence(n), r.syncSentence(n), r.clusterSentence(), r.bytesSentence(n))
	return append(said, r.readySentence())
}

// callSentence says how long a call takes its caller.
func (r results) callSentence(c call, n int) string {
	of := func(k Keeper) []float64 { return r.blocks(HeldExperiment, k, n, c.ns) }
	took := figure(of(durableNow), words.Nanos)
	if took == "" {
		return ""
	}
	beside := compare("as long", told{a: of(durableNow), b: of(wheel), than: catalog.Hier + " in memory"}, told{a: of(durableNow), b: of(afterFunc), than: catalog.RuntimeTimer})
	return sentence(fmt.Sprintf("With %s held it takes %s %s, embedded and synced each second, which is ", timers(n), took, c.does), beside...)
}

// bareSentence says what a call takes beside what the engine takes for it.
func (r results) bareSentence(n int) string {
	return callByCall(fmt.Sprintf("Beside the client of the engine by itself, one message for a timer and one removal, with %s held: ", timers(n)), func(c call) told {
		return told{a: r.blocks(HeldExperiment, durableNow, n, c.ns), b: r.blocks(HeldExperiment, bareClient, n, c.ns)}
	})
}

// cpuSentence says what calls take of the processors, the engine included.
func (r results) cpuSentence(n int) string {
	var parts []string
	for _, c := range calls {
		if took := figure(r.blocks(HeldExperiment, durableNow, n, c.cpu), words.Nanos); took != "" {
			parts = append(parts, took+" "+c.does)
		}
	}
	return sentence("The CPU time of the process, with the engine in it, is ", parts...)
}

// syncSentence says what it costs to have each write on disk before it is acknowledged.
func (r results) syncSentence(n int) string {
	return callByCall(fmt.Sprintf("To have each write on disk before it is acknowledged, beside once a second, with %s held: ", timers(n)), func(c call) told {
		return told{a: r.blocks(HeldExperiment, durableSync, n, c.ns), b: r.blocks(HeldExperiment, durableNow, n, c.ns)}
	})
}

// clusterSentence says what it costs to have timers on three servers.
func (r results) clusterSentence() string {
	n := min(r.mostHeldBy(HeldExperiment, cluster), r.mostHeldBy(HeldExperiment, durableNow))
	return callByCall(fmt.Sprintf("On %d servers on the loopback interface of one machine, beside one that is embedded, with %s held: ", clusterSize, timers(n)), func(c call) told {
		return told{a: r.blocks(HeldExperiment, cluster, n, c.ns), b: r.blocks(HeldExperiment, durableNow, n, c.ns)}
	})
}

// callByCall says how two compare in each of the calls, after a beginning.
func callByCall(begins string, of func(call) told) string {
	var all []told
	for _, c := range calls {
		t := of(c)
		t.than = c.title
		all = append(all, t)
	}
	var said []string
	for _, t := range comparable(all) {
		said = append(said, t.than+", "+ratio(t.found, "as long", ""))
	}
	if len(said) == 0 {
		return ""
	}
	return begins + strings.Join(said, "; ") + "."
}

// bytesSentence says how many bytes a timer is.
func (r results) bytesSentence(n int) string {
	disk := figure(r.blocks(HeldExperiment, durableNow, n, DiskPerTimer), words.Bytes)
	if disk == "" {
		return ""
	}
	of := func(k Keeper) []float64 { return r.blocks(HeldExperiment, k, n, rundata.BytesPerTimer) }
	heap := ""
	if took := figure(of(durableNow), words.Bytes); took != "" {
		heap = took + " of heap"
		for _, c := range compare("as much", told{a: of(durableNow), b: of(wheel), than: catalog.Hier}) {
			heap += ", which is " + c
		}
	}
	return sentence(fmt.Sprintf("With %s held a timer is ", timers(n)), disk+" on disk", heap)
}

// readySentence says how long a fresh process takes to hold again what was held.
func (r results) readySentence() string {
	n := r.mostHeldBy(HeldExperiment, durableNow)
	of := func(unit string, f words.Format) string {
		return figure(r.blocks(HeldExperiment, durableNow, n, unit), f)
	}
	closed, crashed := of(ReadyNs, words.Nanos), of(CrashedNs, words.Nanos)
	if closed == "" {
		return ""
	}
	said := fmt.Sprintf("A fresh process holds %s again %s after its start, with %s of memory at most, where they were closed in order", timers(n), closed, of(ReadyBytes, words.Bytes))
	if crashed == "" {
		return said + "."
	}
	c := judge.Compare(r.blocks(HeldExperiment, durableNow, n, CrashedNs), r.blocks(HeldExperiment, durableNow, n, ReadyNs), judge.Terms{})
	return fmt.Sprintf("%s; after a process that was killed, %s, with %s, which is %s.", said, crashed, of(CrashedBytes, words.Bytes), ratio(c, "as long", ""))
}
