//go:build !linux

package live

// OnOneProcessor runs f. Keeping a thread on one processor needs Linux.
func OnOneProcessor(f func()) { f() }
