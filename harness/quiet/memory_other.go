//go:build !linux

package quiet

import "time"

// Memory is a control of the caches and the memory that this machine shares with others, which this system does
// not have.
type Memory struct{}

// NewMemory returns nil.
func NewMemory() *Memory { return nil }

// Close does nothing.
func (*Memory) Close() error { return nil }

func (*Memory) readings(int) func(int) time.Duration { return nil }
