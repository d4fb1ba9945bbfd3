package harness

import (
	"context"
	"time"

	"schedbench/live"
)

// Process is a process of its own that has timers, in another language, say. Each turn launches one: it is a
// block like any population. Its own clock says when its timers fired; its usage is read from outside.
type Process interface {
	// Warm does ops operations on timers of the kind, and fires some. Later measurements then run compiled
	// code at full pace. It leaves nothing behind.
	Warm(ctx context.Context, ops int) error
	// Play plays a slice and judges the answers. It heeds the options Patience and ToTheLast. If Armed is not
	// nil, it collects garbage once the timers pending at the beginning are armed.
	Play(context.Context, *live.Slice, live.Options) (*live.Outcome, error)
	// Fill arms n timers, with deadlines from further on and for an hour.
	Fill(ctx context.Context, n int, further time.Duration, seed uint64) error
	// Replace stops ops timers, drawn at random, and arms others in their place. It returns how long that
	// took by the process's clock, and the number of wrong answers.
	Replace(ctx context.Context, ops int, seed uint64) (took time.Duration, wrong int, err error)
	// Flood arms and stops ops timers, one after another, each due ahead. Then it arms one with a delay. It
	// returns how late that one fired, and how long the others took.
	Flood(ctx context.Context, ops int, ahead, delay time.Duration) (late, took time.Duration, err error)
	// Bytes collects garbage. It returns the bytes left on the heap, without those that name timers, and the
	// time of the collection.
	Bytes(context.Context) (heap float64, collection time.Duration, err error)
	// Usage returns what the process has used so far. ok is false where the system does not say.
	Usage() (u live.Usage, ok bool)
	// Close ends the process.
	Close() error
}
