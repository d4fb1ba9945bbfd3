//go:build !linux

package live

import (
	"io"
	"time"
)

// OnOneProcessor runs f. Keeping a thread on one processor needs Linux.
func OnOneProcessor(f func()) { f() }

// WatchStalls does nothing: watching for stalls needs Linux.
func WatchStalls(io.Writer) (stop func()) { return func() {} }

// SystemClock returns 0: a clock that all processes share needs Linux.
func SystemClock() int64 { return 0 }

// ReadUsage reports that CPU time is not measured on this system.
func ReadUsage() (u Usage, ok bool) { return Usage{}, false }

// ReadUsageOf reports that what another process uses is not measured on this system.
func ReadUsageOf(int) (u Usage, ok bool) { return Usage{}, false }

// ThreadCPU reports that CPU time is not measured on this system.
func ThreadCPU() (cpu time.Duration, ok bool) { return 0, false }

func threadsSleep() bool { return false }

func sleepThread(int64) {}
