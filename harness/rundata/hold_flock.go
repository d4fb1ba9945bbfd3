//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package rundata

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// Hold keeps other runs out of a folder until release, or else fails with ErrInUse. Without locks it lets all in.
func Hold(dir string) (release func(), err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, errors.Join(fmt.Errorf("%w: %s", ErrInUse, dir), f.Close())
	}
	return func() { f.Close() }, nil
}
