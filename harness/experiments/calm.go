package experiments

import (
	"runtime"
	"time"

	"schedbench/harness/rundata"
)

// calm finds out whether others disturb this processor. What shares its core makes the same
// additions take up to twice as long, for milliseconds or for seconds. Samples that were
// disturbed are taken again. The time of the additions decides, never that of a sample:
// what is measured is not chosen by what it shows. See docs/decisions/0040.
type calm struct {
	// read returns how long the additions took; nil is addTime.
	read func() time.Duration
	// least is the least reading. It grows with each reading: a processor that has become
	// slower for good, since it is hot, counts as undisturbed in the end.
	least time.Duration
	// began says whether the sample began undisturbed.
	began bool
	// kept and lost are how long samples took that count, and what was spent beside them.
	kept, lost time.Duration
	sum        time.Duration // of all readings, undisturbed
}

const (
	// disturbedFrom is by how much of the least reading another is longer if the processor is
	// disturbed: a 32nd. Undisturbed readings differ by a 1000th.
	disturbedFrom = 32
	// forgottenIn is the part by which the least reading grows with each.
	forgottenIn = 4096
	// mostLost is the time that may be lost, in times of samples that count.
	mostLost = 2
	// additions take some 8 µs.
	additions = 10_000
)

// quiet reads once, and reports whether the processor is undisturbed.
func (c *calm) quiet() bool {
	read := c.read
	if read == nil {
		read = addTime
	}
	took := read()
	c.least += c.least/forgottenIn + 1
	if c.least == 1 || took < c.least {
		c.least = took
	}
	c.sum += c.least
	return took <= c.least+c.least/disturbedFrom
}

// begin waits until the processor is undisturbed, as long as time may be lost.
func (c *calm) begin() {
	if c == nil {
		return
	}
	start := time.Now()
	for c.began = c.quiet(); !c.began && c.mayLose(); c.began = c.quiet() {
		c.lost += time.Since(start)
		start = time.Now()
	}
}

// counts reports, at the end of a sample, whether it counts: others did not disturb it,
// or there is no time to take it again.
func (c *calm) counts(took time.Duration) bool {
	if c == nil {
		return true
	}
	if (c.quiet() && c.began) || !c.mayLose() {
		c.kept += took
		return true
	}
	c.lost += took
	return false
}

// mayLose reports whether more time may be lost.
func (c *calm) mayLose() bool { return c.lost <= mostLost*c.kept+time.Millisecond }

// calms are those of goroutines that run at the same time; nil heeds no disturbance.
type calms []*calm

// atLeast returns the calms, or as many new ones if there are fewer than n.
func (c calms) atLeast(n int) calms {
	for len(c) < n {
		c = append(c, new(calm))
	}
	return c
}

// at returns the calm of a goroutine, nil if there is none.
func (c calms) at(i int) *calm {
	if i < len(c) {
		return c[i]
	}
	return nil
}

// sum returns how long all readings took.
func (c calms) sum() (sum time.Duration) {
	for _, one := range c {
		sum += one.sum
	}
	return sum
}

// sample takes samples until one counts, and prepares each.
func (c *calm) sample(prepare func(), take func() (int, rundata.Values, error)) (n int, values rundata.Values, err error) {
	for {
		prepare()
		c.begin()
		start := time.Now()
		if n, values, err = take(); err != nil || c.counts(time.Since(start)) {
			return n, values, err
		}
	}
}

// addTime returns how long independent additions take. A processor makes several of them at once,
// unless what shares its core does too.
func addTime() time.Duration {
	start := time.Now()
	sum := add(additions)
	took := time.Since(start)
	runtime.KeepAlive(sum)
	return took
}

// add makes some additions.
//
//go:noinline
func add(steps int) uint64 {
	var a, b, c, d, e, f uint64 = 1, 2, 3, 4, 5, 6
	for range steps {
		a, c, e = a+3, c+5, e+7
		b, d, f = b^a, d^c, f^e
		a, c, e = a<<1|a>>63, c<<1|c>>63, e<<1|e>>63
	}
	return b + d + f
}
