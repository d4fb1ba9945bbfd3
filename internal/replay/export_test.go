package replay

import "time"

// Fired is a timer that came out in a tick.
type Fired struct {
	Timer, Use uint32
	Tick       int64
}

// AnswerOf returns the answer that lists stand for, straight from what Answer
// says of itself: what was fired, and the operations that were granted and
// refused, of which each is told with its number.
func AnswerOf(fired []Fired, replies map[uint64]bool) Answer {
	sums := map[int64]uint64{}
	for _, f := range fired {
		sums[f.Tick] += mix(valueOf(f.Timer, f.Use))
	}
	a := Answer{Fired: uint64(len(fired))}
	for tick, sum := range sums {
		a.Hash += mixTick(tick, sum)
	}
	for op, granted := range replies {
		if granted {
			a.Granted++
			a.Hash += mixGrant(op)
		} else {
			a.Refused++
		}
	}
	return a
}

// TickOf returns the number of the tick of an instant.
func TickOf(at, tick time.Duration) int64 { return int64(at / tick) }
