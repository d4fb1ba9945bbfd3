//go:build !unix

package blocks

import (
	"errors"
	"os"
	"time"
)

// CanSuspend reports whether this system can stop a process and let it go on.
func CanSuspend() bool { return false }

// Suspend stops a process for some time.
func Suspend(*os.Process, time.Duration) error { return errors.ErrUnsupported }
