//go:build !linux

package driver

func (Precise) newWaiter() (waiter, error) { return Runtime{}.newWaiter() }
