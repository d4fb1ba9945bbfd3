//go:build unix

package blocks

import (
	"fmt"
	"os"
	"syscall"
	"time"
)

// CanSuspend reports whether this system can stop a process and let it go on.
func CanSuspend() bool { return true }

// Suspend stops a process for some time.
func Suspend(p *os.Process, d time.Duration) error {
	if err := p.Signal(syscall.SIGSTOP); err != nil {
		return fmt.Errorf("stopping the process: %w", err)
	}
	time.Sleep(d)
	if err := p.Signal(syscall.SIGCONT); err != nil {
		return fmt.Errorf("continuing the process: %w", err)
	}
	return nil
}
