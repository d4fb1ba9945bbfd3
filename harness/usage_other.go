//go:build !linux

package harness

import "time"

// usage is what the process has used up to now.
type usage struct {
	cpu      time.Duration
	switches int64
}

// readUsage reports that CPU time is not measured on this system.
func readUsage() (u usage, ok bool) { return usage{}, false }

// threadCPU reports that CPU time is not measured on this system.
func threadCPU() (cpu time.Duration, ok bool) { return 0, false }
