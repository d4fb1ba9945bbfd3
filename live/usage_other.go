//go:build !linux

package live

import "time"

// ReadUsage reports that CPU time is not measured on this system.
func ReadUsage() (u Usage, ok bool) { return Usage{}, false }

// ReadUsageOf reports that what another process uses is not measured on this system.
func ReadUsageOf(int) (u Usage, ok bool) { return Usage{}, false }

// ThreadCPU reports that CPU time is not measured on this system.
func ThreadCPU() (cpu time.Duration, ok bool) { return 0, false }

func threadsSleep() bool { return false }

func sleepThread(int64) {}
