//go:build !linux

package tune

import "time"

func (t *thread) sleepUntil(at time.Duration) { time.Sleep(at - t.now()) }

func systemClock() int64 { return 0 }

func processTime() (time.Duration, error) { return 0, ErrNoCPUTime }

func threadTime() time.Duration { return 0 }
