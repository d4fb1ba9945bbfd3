// Package ticks has the arithmetic that the three wheels share: durations and ticks, and the check of a wheel's geometry.
package ticks

import (
	"fmt"
	"math"
	"math/bits"
	"time"

	"schedbench/schedulers"
)

// MaxSlots is the largest number of slots in a wheel or level.
const MaxSlots = 1 << 30

// Tick converts between durations and counts of one tick duration.
//
// Division is by multiplication with a reciprocal (Granlund and Montgomery, "Division by Invariant Integers using
// Multiplication", PLDI 1994), which saves about 3 ns of every insertion over a divide instruction.
type Tick struct {
	d     uint64
	magic uint64
	shift uint8
}

// New returns the arithmetic of tick d, or an error that wraps schedulers.ErrTick unless d is at least 1 ns.
func New(d time.Duration) (Tick, error) {
	if d < 1 {
		return Tick{}, fmt.Errorf("%w: %v, want at least 1ns", schedulers.ErrTick, d)
	}
	t := Tick{d: uint64(d), magic: 1 << 63}
	if d > 1 {
		t.shift = uint8(bits.Len64(uint64(d) - 1))
		q, r := bits.Div64(1<<(t.shift-1), 0, t.d)
		if r > 0 {
			q++
		}
		t.magic = q
	}
	return t, nil
}

// Duration returns the length of one tick.
func (t *Tick) Duration() time.Duration { return time.Duration(t.d) }

// CeilOf is t.Ceil(d). The compiler inlines a generic function wherever a scheduler is instantiated. It inlines a
// method of Tick only in packages that import this one.
func CeilOf[D ~int64](t *Tick, d D) uint64 {
	hi, _ := bits.Mul64(t.magic, uint64(d-1)<<1)
	return hi>>(t.shift&63) + 1
}

// Floor returns how many whole ticks fit in d, which must not be negative.
func (t *Tick) Floor(d time.Duration) uint64 {
	hi, _ := bits.Mul64(t.magic, uint64(d)<<1)
	return hi >> (t.shift & 63)
}

// Ceil returns the first tick that begins at or after d, which must be positive.
func (t *Tick) Ceil(d time.Duration) uint64 { return t.Floor(d-1) + 1 }

// Reached returns the last tick that has begun at now, which must not be negative. The maximum duration stands for the
// end of time: the tick that would begin just after it counts as begun, and no value is stranded.
func (t *Tick) Reached(now time.Duration) uint64 {
	if now == math.MaxInt64 {
		return t.Ceil(now)
	}
	return t.Floor(now)
}

// Start returns the instant at which tick k begins, or the maximum duration if that is beyond it.
func (t *Tick) Start(k uint64) time.Duration {
	hi, lo := bits.Mul64(k, t.d)
	if hi != 0 || lo > math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(lo)
}

// Slots rounds n up to a power of two. Unless n is between 1 and MaxSlots its error wraps schedulers.ErrSlots.
func Slots(n int) (int, error) {
	if n < 1 || n > MaxSlots {
		return 0, fmt.Errorf("%w: %d, want 1 to %d", schedulers.ErrSlots, n, MaxSlots)
	}
	return 1 << bits.Len(uint(n-1)), nil
}

// Revolution returns the duration of so many ticks, or an error that wraps schedulers.ErrTick if none is so long.
func (t *Tick) Revolution(slots int) (time.Duration, error) {
	hi, lo := bits.Mul64(uint64(slots), t.d)
	if hi != 0 || lo > math.MaxInt64 {
		return 0, fmt.Errorf("%w: %v times %d slots exceeds the maximum duration %v",
			schedulers.ErrTick, t.Duration(), slots, time.Duration(math.MaxInt64))
	}
	return time.Duration(lo), nil
}

// Log2 returns the logarithm of a power of two.
func Log2(n int) uint { return uint(bits.TrailingZeros(uint(n))) }
