package price

import (
	"fmt"
	"time"
)

// The experiments, which are the first part of the names of series.
const (
	HeldExperiment   = "DurableHeld"
	LiveExperiment   = "DurableLive"
	PollExperiment   = "DurablePoll"
	SoakExperiment   = "DurableSoak"
	ChangeExperiment = "DurableChange"
)

// The units of samples that package harness has none of. Times are the caller's, and CPU time is
// of the process, with the server in it where that is embedded.
const (
	AckedNs   = "acked-ns/op"      // to schedule a timer, and know that it is kept
	AckedCPU  = "acked-cpu-ns/op"  //
	PostedNs  = "posted-ns/op"     // to schedule one of many, all of which are known to be kept at the end
	PostedCPU = "posted-cpu-ns/op" //
	CancelNs  = "cancel-ns/op"     // to cancel one, and know it
	CancelCPU = "cancel-cpu-ns/op" //

	LoadCPU    = "load-cpu-ns/s"    // CPU time for each second while timers are scheduled and fire
	ServersCPU = "servers-cpu-ns/s" // of servers of their own, for each second

	ReadyNs      = "ready-ns"         // from the start of a process until it holds what was closed in order
	ReadyBytes   = "ready-B"          // the most memory that it has taken until then
	CrashedNs    = "ready-crashed-ns" // the same of what a killed process left
	CrashedBytes = "ready-crashed-B"  //
	DiskPerTimer = "disk-B/timer"     // of the folder, with what an empty one has taken off
	FillNs       = "fill-ns/op"       // of a timer, to fill a folder with as many as are held
)

// LateAt is how late the latest timer was of those whose deadlines lay so long after a server was
// killed, or was not: up to the next such unit.
func LateAt(after time.Duration) string { return fmt.Sprintf("late-at-%v-ns", after) }
