package harness

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"schedbench/internal/words"
	"schedbench/schedulers"
)

// Of very many timers one contestant at a time has its own in memory, so that those of all need
// not fit, and whoever cannot hold them is left out of the cell, which says why and goes on: a
// scheduler that refuses them, or that would take more memory than there is. The latter is
// looked at before, since a process that takes too much is not refused anything but killed.
// See docs/decisions/0022.

const (
	// mostAtOnce is the largest population of which all contestants of a cell have one each
	// at a time. Of more, one contestant at a time has its own, in memory that the one before had:
	// side by side they would take the caches from each other.
	mostAtOnce = 10_000
	// mostFitting is the largest population that any machine is taken to have memory for.
	mostFitting = 1_000_000
	// mostJudged is the largest of which there is more than one block, unless a number of blocks is
	// asked for.
	mostJudged = 10_000_000
	// perTimer is the memory that a timer of a contestant is taken to need, with what the harness
	// keeps for it.
	perTimer = 160
	// probed is how many timers a contestant holds to see what each takes: enough for what
	// it takes besides, whole pages and lists that have doubled, not to matter much.
	probed = 1 << 17
	// headroom is how much more than that is asked for: lists are copied when they grow.
	headroom = 1.25
)

// atMost returns the limit of the blocks of a cell of n, 0 if there is none.
func atMost(blocks, n int) int {
	if n > mostJudged {
		return 1
	}
	return blocks
}

// againIn returns contestants of a cell of n, and one of them a second time unless there is
// one block only, of which nothing is judged.
func (p *Plan) againIn(n int, list []Contestant) []Contestant {
	if n > mostJudged && p.Blocks <= 1 {
		return list
	}
	return withAgain(list)
}

// memoryOf returns how many bytes of memory to touch before the timers of a cell are made: those
// of all its contestants, or of one at a time.
func memoryOf(n, contestants int) int64 {
	switch {
	case n > mostFitting:
		return 0
	case n > mostAtOnce:
		return perTimer * int64(n)
	}
	return perTimer * int64(n) * int64(contestants)
}

// burden is what a competitor holds at a time; the zero value is little.
type burden struct {
	pending int // timers
	// estimate says about how many bytes they take.
	estimate func() (bytes float64, err error)
	bytes    float64 // of that; 0 is unknown yet
}

// inOrderOf are the bytes of a delay, of which a list is kept where timers come in the order
// of their deadlines.
const inOrderOf = 8

// burdenOf returns what a contestant holds in a population of n, which made makes room for. besides
// are the bytes that the harness keeps for each timer.
func (s *session) burdenOf(c Contestant, n, besides int, made func() (population, error)) burden {
	if c.Launch != nil { // which holds them elsewhere
		return burden{}
	}
	return burden{pending: n, estimate: func() (float64, error) { return s.estimate(n, besides, made) }}
}

// inOrder returns inOrderOf for a contestant that is given timers in order.
func inOrder(c Contestant) int {
	if c.LinearInsert {
		return inOrderOf
	}
	return 0
}

// large reports whether that is so much that others have to wait.
func (h *burden) large(s *session) bool { return h.pending > s.atOnce() }

// atOnce is mostAtOnce, or what a test has in its place.
func (s *session) atOnce() int {
	if s.most > 0 {
		return s.most
	}
	return mostAtOnce
}

// apart reports whether some competitors hold so much that they have to be measured one
// after another.
func (s *session) apart(competitors []*competitor) bool {
	for _, c := range competitors {
		if c.holds.large(s) {
			return true
		}
	}
	return false
}

// onlyFull returns an error if it is schedulers.ErrFull.
func onlyFull(err error) error {
	if errors.Is(err, schedulers.ErrFull) {
		return err
	}
	return nil
}

// tooMuch is the error of what does not fit into the memory that there is, in bytes.
type tooMuch struct{ takes, left float64 }

func (e *tooMuch) Error() string {
	bytes := words.Tidy(words.Bytes)
	return fmt.Sprintf("that would take about %s of memory, and %s are available", bytes(e.takes), bytes(e.left))
}

// memoryLeft returns how many bytes a competitor may take, and whether there is a limit.
func (s *session) memoryLeft() (bytes float64, limited bool) {
	debug.FreeOSMemory() // of those before
	bytes, limited = available()
	if most := float64(s.plan.Memory); most > 0 && (!limited || most < bytes) {
		bytes, limited = most, true
	}
	return bytes, limited
}

// fits returns tooMuch if what a competitor holds would take more memory than there is.
func (s *session) fits(c *competitor) (err error) {
	h := &c.holds
	if h.pending <= mostFitting && !(s.most > 0 && h.large(s)) {
		return nil
	}
	if h.bytes == 0 {
		if h.bytes, err = h.estimate(); err != nil {
			return err
		}
	}
	left, limited := s.memoryLeft()
	if limited && h.bytes > left {
		return &tooMuch{h.bytes, left}
	}
	return nil
}

// estimate returns about how many bytes a population of pending timers takes, from what a few do.
func (s *session) estimate(pending, besides int, made func() (population, error)) (bytes float64, err error) {
	n := min(pending, probed)
	before := heapTaken()
	pop, err := made()
	if err != nil {
		return 0, err
	}
	defer pop.close()
	empty := heapTaken()
	delay := shortest
	if err := pop.fill(s.ctx, n, func() time.Duration { // in order, which does not matter but to a list
		delay += (longest - shortest) / time.Duration(n+1)
		return delay
	}); err != nil {
		return 0, err
	}
	each := (heapTaken()-empty)/float64(n) + float64(besides)
	return (empty - before + each*float64(pending)) * headroom, nil
}

// leaveOut reports whether an error only says that the competitor cannot hold what a cell
// asks for: it is left out of it then.
func (c *competitor) leaveOut(err error) bool {
	if !errors.Is(err, schedulers.ErrFull) && !errors.As(err, new(*tooMuch)) {
		return false
	}
	c.left = fmt.Sprintf("%s the timers: %v", CannotHold, err)
	if c.holds.pending > 0 {
		c.left = fmt.Sprintf("%s %s timers: %v", CannotHold, words.Count(float64(c.holds.pending)), err)
	}
	return true
}

// sayLeft has the series of a competitor that was left out say so, in as many rounds as
// those of the others have.
func (s *session) sayLeft(c *competitor) {
	if c.left == "" {
		return
	}
	for _, of := range append([]*Series{c.series}, c.also...) {
		of.Note, of.Iterations, of.Values, of.Block = c.left, nil, nil, nil
		for _, kind := range histogramKinds {
			if h := *of.histogram(kind); h != nil {
				h.Reset()
			}
		}
		for i := range s.count * s.rounds {
			of.add(s.first+i/s.rounds, 1, sample{ToHold: float64(c.holds.pending)})
		}
	}
}

// limitMemory has the runtime collect garbage rather than take more memory than there is, where
// it does not collect any otherwise, until the function that is returned is called: what a
// growing list leaves behind would be more than the list.
func (s *session) limitMemory(competitors []*competitor) (end func()) {
	if most(competitors, func(c *competitor) int { return c.holds.pending }) <= mostFitting {
		return func() {}
	}
	left, limited := s.memoryLeft()
	if !limited {
		return func() {}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before := debug.SetMemoryLimit(-1)
	debug.SetMemoryLimit(min(before, int64(left)+int64(m.Sys-m.HeapReleased)))
	return func() { debug.SetMemoryLimit(before) }
}
