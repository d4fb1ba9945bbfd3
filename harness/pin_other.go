//go:build !linux

package harness

// onOneProcessor runs f: keeping a thread on one processor needs Linux.
func onOneProcessor(f func()) { f() }
