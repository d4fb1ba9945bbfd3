//go:build !linux

package live

import (
	"io"
	"time"
)

// What follows needs Linux: elsewhere nothing is watched, measured or kept on one processor.

func OnOneProcessor(f func())                 { f() }
func MoveTo(int)                              {}
func WatchStalls(io.Writer) (stop func())     { return func() {} }
func SystemClock() int64                      { return 0 }
func ReadUsage() (u Usage, ok bool)           { return Usage{}, false }
func ReadUsageOf(int) (u Usage, ok bool)      { return Usage{}, false }
func ThreadCPU() (cpu time.Duration, ok bool) { return 0, false }
func LetIn() int64                            { return 0 }
func childrenCPU() time.Duration              { return 0 }
func threadsSleep() bool                      { return false }
func sleepThread(int64)                       {}
