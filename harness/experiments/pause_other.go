//go:build !unix

package experiments

import (
	"errors"
	"os"
	"time"
)

// CanPause reports whether this system can stop a process and let it go on.
func CanPause() bool { return false }

func stopAndContinue(*os.Process, time.Duration) error { return errors.ErrUnsupported }
