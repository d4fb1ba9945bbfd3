//go:build !linux

package driver

func (Precise) newWaiter() (waiter, error) { return Runtime{}.newWaiter() }

func (Kernel) newWaiter() (waiter, error) { return Runtime{}.newWaiter() }
