//go:build !linux

package live

import "io"

// WatchStalls does nothing: watching for stalls needs Linux.
func WatchStalls(io.Writer) (stop func()) { return func() {} }

// SystemClock returns 0: a clock that all processes share needs Linux.
func SystemClock() int64 { return 0 }
