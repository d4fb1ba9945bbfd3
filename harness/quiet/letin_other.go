//go:build !linux

package quiet

// letIn returns 0: the system does not say how often it took the processor from the calling thread.
func letIn() int64 { return 0 }
