package harness

import (
	"context"
	"time"

	"schedbench/live"
)

// Process is a process of its own that has timers: another language's, say. Each turn
// launches one: it is a block as any population. Its own clock says when its timers
// fired; what it uses is read from outside.
type Process interface {
	// Warm does so many operations on timers of the kind, and has some fire: what is measured then is compiled and has come to its pace. It leaves nothing behind.
	Warm(ctx context.Context, ops int) error
	// Play plays a slice, and judges the answers. Of the options it minds Patience and
	// ToTheLast, and collects garbage once what is pending at the beginning is armed if Armed
	// is not nil.
	Play(context.Context, *live.Slice, live.Options) (*live.Outcome, error)
	// Fill arms n timers, with deadlines from further on and for an hour.
	Fill(ctx context.Context, n int, further time.Duration, seed uint64) error
	// Replace stops so many of them, drawn at random, and arms others in their place. It
	// returns how long the process took for that by its clock, and how many answers were wrong.
	Replace(ctx context.Context, ops int, seed uint64) (took time.Duration, wrong int, err error)
	// Flood arms and stops so many timers, one after another, that are due ahead, and then arms
	// one with a delay. It returns how late that fired, and how long the others took.
	Flood(ctx context.Context, ops int, ahead, delay time.Duration) (late, took time.Duration, err error)
	// Bytes collects garbage, and returns what is left on the heap, but for what the process
	// keeps to name timers, and how long that took.
	Bytes(context.Context) (heap float64, collection time.Duration, err error)
	// Usage returns what the process has used up to now. ok is false where the system does
	// not say.
	Usage() (u live.Usage, ok bool)
	// Close ends the process.
	Close() error
}
