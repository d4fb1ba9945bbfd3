package quiet

import "golang.org/x/sys/unix"

// letIn returns how often the system has taken the processor from the calling thread for another one.
func letIn() int64 {
	var ru unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_THREAD, &ru) // no error is possible
	return ru.Nivcsw
}
