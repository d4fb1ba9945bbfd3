package replay_test

import (
	"slices"
	"time"

	"schedbench/internal/replay"
	"schedbench/workload"
)

// fired is a timer that came out: which, and at which instant.
type fired struct {
	timer, use int
	at         time.Duration
}

// brute works out what a stream makes fire, and which cancellations and resets
// are granted, from the words of the package's documentation: each timer is in a
// list, and before each operation the list is searched for what is due.
func brute(ops []workload.Op, tick time.Duration) (out []fired, granted []bool) {
	type pending struct {
		timer, use int
		at         time.Duration
	}
	var list []pending
	uses := map[int]int{}
	expire := func(now time.Duration) {
		for _, p := range list {
			if p.at <= now {
				out = append(out, fired(p))
			}
		}
		list = slices.DeleteFunc(list, func(p pending) bool { return p.at <= now })
	}
	add := func(op workload.Op) {
		at := time.Duration(0)
		for at < op.At+op.Delay {
			at += max(tick, (op.At+op.Delay-at)/tick*tick) // as many whole ticks as fit, or one
		}
		list = append(list, pending{int(op.Timer), uses[int(op.Timer)], at})
	}
	for _, op := range ops {
		expire(op.At / tick * tick)
		mine := slices.IndexFunc(list, func(p pending) bool {
			return p.timer == int(op.Timer) && p.use == uses[int(op.Timer)]
		})
		switch {
		case op.Kind == workload.Schedule:
			uses[int(op.Timer)]++
			add(op)
			continue
		case mine >= 0:
			list = slices.Delete(list, mine, mine+1)
			if op.Kind == workload.Reset {
				add(op)
			}
		}
		granted = append(granted, mine >= 0)
	}
	expire(1 << 62)
	return out, granted
}

// valuesOf returns what came out in the form of replay.AnswerOf.
func valuesOf(out []fired, tick time.Duration) (list []replay.Fired) {
	for _, f := range out {
		list = append(list, replay.Fired{Timer: uint32(f.timer), Use: uint32(f.use), Tick: replay.TickOf(f.at, tick)})
	}
	return list
}

// repliesOf returns the replies to cancellations and resets by the number of the
// operation.
func repliesOf(ops []workload.Op, granted []bool) map[uint64]bool {
	replies := map[uint64]bool{}
	for i, op := range ops {
		if op.Kind != workload.Schedule {
			replies[uint64(i)] = granted[0]
			granted = granted[1:]
		}
	}
	return replies
}
