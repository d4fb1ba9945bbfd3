package trace

import "time"

// pairs finds out what a cancel event stands for, which the kernel also emits when
// a timer is re-armed or expires:
//
//	start after cancel   the next event of that CPU, since the kernel does both with
//	                     interrupts off: a reset, unless the start says that the timer
//	                     was not armed
//	expire after cancel  the next event of that timer, on that CPU, within holdFor,
//	                     since interrupts come between: an expiry
//	anything else        a cancellation
//
// Events are held back behind a cancel event that is not settled.
type pairs struct {
	queue []slot // from head on
	head  int
	base  int // how many slots there were before queue[0]
	// open are the cancel events not settled, by timer, as numbers of slots.
	open map[key]int
	// latest is the number of the slot of a CPU's latest event, counted from 1.
	latest []int
}

// slot is an event in its place.
type slot struct {
	raw
	open bool // a cancel event that may be something else
	void bool // a cancel event that was something else
}

const (
	// holdFor is how long a cancel event may be followed by an expiry. Between the
	// two there is an interrupt at most, unless the machine is stopped.
	holdFor = 10 * time.Millisecond
	// holdMost bounds how many events are held back.
	holdMost = 1 << 16
)

// push takes the next event.
func (p *pairs) push(r raw) {
	for p.head < len(p.queue) && p.queue[p.head].open &&
		(r.at-p.queue[p.head].at > holdFor || len(p.queue)-p.head >= holdMost) {
		p.settle(p.queue[p.head].key)
	}
	s := slot{raw: r, open: r.what == cancel}
	if i, ok := p.open[r.key]; ok {
		before := &p.queue[i-p.base]
		switch {
		case r.what == expire && r.cpu == before.cpu:
			before.void = true
		case r.what == start && r.was == armedUnsaid && p.latestOf(r.cpu) == i:
			before.void, s.was = true, armedYes
		}
		p.settle(r.key)
	}
	p.append(s)
}

// latestOf returns the slot of the latest event of a CPU, or -1.
func (p *pairs) latestOf(cpu int32) int {
	if int(cpu) >= len(p.latest) {
		return -1
	}
	return p.latest[cpu] - 1
}

// settle ends the search for what a timer's cancel event stands for.
func (p *pairs) settle(k key) {
	p.queue[p.open[k]-p.base].open = false
	delete(p.open, k)
}

// append puts a slot at the end.
func (p *pairs) append(s slot) {
	if p.head > 1024 && p.head > len(p.queue)/2 {
		n := copy(p.queue, p.queue[p.head:])
		p.base += p.head
		p.queue, p.head = p.queue[:n], 0
	}
	i := p.base + len(p.queue)
	p.queue = append(p.queue, s)
	if s.open {
		if p.open == nil {
			p.open = map[key]int{}
		}
		p.open[s.key] = i
	}
	for int(s.cpu) >= len(p.latest) {
		p.latest = append(p.latest, 0)
	}
	p.latest[s.cpu] = i + 1
}

// pop returns the next event, unless it has to wait for one to come.
func (p *pairs) pop() (r raw, ok bool) {
	for p.head < len(p.queue) && !p.queue[p.head].open {
		s := &p.queue[p.head]
		p.head++
		if !s.void {
			return s.raw, true
		}
	}
	return raw{}, false
}

// finish settles all: nothing more is to come.
func (p *pairs) finish() {
	for k := range p.open {
		p.settle(k)
	}
}
