//go:build !unix

package blocks

import (
	"errors"
	"os"
	"time"
)

// CanSuspend reports whether this system can stop a process and let it go on.
func CanSuspend() bool { return false }

func Suspend(*os.Process, time.Duration) error { return errors.ErrUnsupported }
