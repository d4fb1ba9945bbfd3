package workload

import (
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"time"
)

// Options say how a stream is made of a profile.
type Options struct {
	// Seed chooses a stream. Equal seeds give equal streams on one kind of processor: another rounds logarithms in another way.
	Seed uint64
	// Scale multiplies rates and numbers of timers, but no times. 0 means 1.
	Scale float64
	// For is the time in which timers are made and reset; 0 means the length of the profile. Timers pending then may
	// still be cancelled.
	For time.Duration
}

// maxPending is the most pending timers of a stream. Each takes 16 to 40 bytes.
const maxPending = 1 << 25

// Stream returns the operations of a program that the profile describes.
//
// Until Options.For, timers are made and reset, and fixed and periodic ones are armed anew. A timer whose reset would come
// later runs to its deadline. A cancel that comes later happens.
//
// An operation takes O(log n) with n timers pending. It allocates nothing once n has reached its peak.
func (p *Profile) Stream(o Options) (Stream, error) {
	o.Scale, o.For = cmp.Or(o.Scale, 1), cmp.Or(o.For, p.length)
	if !(o.Scale > 0) || o.For < 0 || o.For > maxDuration {
		return nil, fmt.Errorf("workload: scale %v for %v: want a positive scale and at most 100 years", o.Scale, o.For)
	}
	if rate := p.Mix().Operations() * o.Scale; rate > maxRate {
		return nil, fmt.Errorf("workload: %s at scale %v asks for %.3g operations per second; at most %g are allowed",
			p.Name, o.Scale, rate, maxRate)
	}
	if pending := p.Pending(o.For) * o.Scale; pending > maxPending {
		return nil, fmt.Errorf("workload: %s at scale %v has about %.3g timers pending; at most %d are allowed",
			p.Name, o.Scale, pending, maxPending)
	}
	g := &generator{until: int64(o.For)}
	for i := range p.populations {
		g.live = append(g.live, newPopulationState(&p.populations[i], uint8(i), o))
	}
	g.findNext()
	return g, nil
}

// generator makes operations while they are read. A pending timer has one event in the queue, drawn when it was armed.
type generator struct {
	until   int64 // no arming from here on
	live    []populationState
	queue   eventQueue
	now     int64
	next    int64 // first arrival of all populations
	nextPop int
	held    Op       // to be returned before anything else, if it has a kind
	free    []uint32 // timer numbers to reuse
	numbers uint32   // timer numbers ever used
	err     error
}

// random returns a source of its own for each use of the seed.
func random(seed uint64, use int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15*uint64(use+1)))
}

func (g *generator) findNext() {
	g.next = never
	for i := range g.live {
		if l := &g.live[i]; l.initial > 0 {
			g.next, g.nextPop = 0, i
			return
		} else if l.arriver.at < g.next {
			g.next, g.nextPop = l.arriver.at, i
		}
	}
}

// Read implements Stream. Besides io.EOF the only error is too many pending timers.
func (g *generator) Read(ops []Op) (n int, err error) {
	for n < len(ops) && g.err == nil {
		switch {
		case g.held.Kind != 0:
			ops[n], g.held = g.held, Op{}
			n++
		case g.step(&ops[n]):
			n++
		case g.err == nil:
			g.err = io.EOF
		}
	}
	if n == 0 && len(ops) > 0 {
		return 0, g.err
	}
	return n, nil
}

// step makes the next operation. It reports false at the end.
func (g *generator) step(op *Op) bool {
	for {
		e, ok := g.queue.pop(g.next)
		if !ok {
			return g.arrive(op)
		}
		g.now = e.at
		if g.happen(e, op) {
			return true
		}
	}
}

func (g *generator) arrive(op *Op) bool {
	if g.next == never {
		return false
	}
	g.now = g.next
	if len(g.free) == 0 && g.numbers == maxPending {
		g.err = fmt.Errorf("workload: more than %d timers are pending at %v", maxPending, time.Duration(g.now))
		return false
	}
	l, timer := &g.live[g.nextPop], g.number()
	if l.initial > 0 {
		l.initial--
		g.arm(op, Schedule, timer, l.residual())
	} else {
		l.arriver.next()
		g.arm(op, Schedule, timer, l.first(timer))
	}
	g.findNext()
	return true
}

// number returns a timer number that is not in use.
func (g *generator) number() uint32 {
	if n := len(g.free); n > 0 {
		timer := g.free[n-1]
		g.free = g.free[:n-1]
		return timer
	}
	g.numbers++
	return g.numbers - 1
}

// arm writes the operation that gives a timer its deadline, and queues the timer's next event if it comes before the end.
func (g *generator) arm(op *Op, kind Kind, timer uint32, a arming) {
	*op = Op{At: time.Duration(g.now), Delay: time.Duration(a.delay), Timer: timer, Kind: kind}
	at := g.now + a.life
	if at < g.until || a.tag.end() == cancelled {
		g.queue.add(event{at, timer, a.tag})
	}
}

// happen lets an arming end. It reports whether that makes an operation.
func (g *generator) happen(e event, op *Op) bool {
	l := &g.live[e.tag.pop()]
	switch e.tag.end() {
	case moved:
		g.arm(op, Reset, e.timer, l.afterReset(e))
		return true
	case cancelled:
		*op = Op{At: time.Duration(e.at), Timer: e.timer, Kind: Cancel}
		if l.fixed && e.at < g.until {
			g.arm(&g.held, Schedule, e.timer, l.first(e.timer))
		} else {
			g.free = append(g.free, e.timer)
		}
		return true
	}
	if !l.rearmed {
		g.free = append(g.free, e.timer)
		return false
	}
	g.arm(op, Schedule, e.timer, l.afterDeadline(e))
	return true
}
