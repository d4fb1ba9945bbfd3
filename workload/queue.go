package workload

// event is the next end of an arming.
type event struct {
	at    int64
	timer uint32
	tag   tag
}

// tag holds how an arming ends, the population, and the count of resets or steps of back-off: one number stays in a register.
type tag uint32

func newTag(end end, pop uint8, count uint16) tag { return tag(end) | tag(pop)<<8 | tag(count)<<16 }

func (t tag) end() end      { return end(t) }
func (t tag) pop() uint8    { return uint8(t >> 8) }
func (t tag) count() uint16 { return uint16(t >> 16) }

type end uint8

const (
	expires end = iota
	cancelled
	moved
)

// eventQueue yields events in the order of their times: a heap with four children to a node. Equal calls give one order.
type eventQueue []event

// add takes O(log n).
func (q *eventQueue) add(e event) {
	*q = append(*q, e)
	s := *q
	i := len(s) - 1
	for i > 0 {
		up := (i - 1) / 4
		if s[up].at <= e.at {
			break
		}
		s[i] = s[up]
		i = up
	}
	s[i] = e
}

// pop returns the first event if it is at or before limit: O(log n).
func (q *eventQueue) pop(limit int64) (e event, ok bool) {
	s := *q
	if len(s) == 0 || s[0].at > limit {
		return event{}, false
	}
	top, last := s[0], s[len(s)-1]
	s = s[:len(s)-1]
	*q = s
	i := 0
	for {
		child := 4*i + 1
		if child >= len(s) {
			break
		}
		least := child
		for k := child + 1; k < min(child+4, len(s)); k++ {
			if s[k].at < s[least].at {
				least = k
			}
		}
		if s[least].at >= last.at {
			break
		}
		s[i] = s[least]
		i = least
	}
	if len(s) > 0 {
		s[i] = last
	}
	return top, true
}
