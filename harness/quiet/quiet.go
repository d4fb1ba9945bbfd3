// Package quiet finds out what disturbs a measurement: others on a shared core, and garbage collections.
package quiet

import (
	"runtime"
	"time"
)

// Watch finds out whether others disturb the processors of goroutines. Work on the same core makes the same
// additions take up to twice as long, for milliseconds or for seconds. Disturbed samples are taken again.
// Only the time of the additions decides, never that of a sample: no figure selects its samples. A nil Watch
// heeds nothing, and every sample counts. See docs/decisions/0040.
type Watch struct {
	cores []core
	// of is what this watch has used, and all what all of a process have.
	of  Use
	all *Use
	// most is how much time may be lost, in times of samples that count.
	most float64
	// read returns how long the additions took, and letIn how often the system has let in another thread.
	read  func() time.Duration
	letIn func() int64
}

// core is what a goroutine knows of its processor.
type core struct {
	// least is the least reading. It grows with each sample: a processor that has become
	// slower for good, since it is hot, counts as undisturbed in the end.
	least time.Duration
	// began says whether the sample began undisturbed, start when, and letIn how often other threads had been let in.
	began bool
	start time.Time
	letIn int64
}

const (
	// disturbedFrom: a reading that is longer than the least one by more than a 32nd of that shows a disturbed
	// processor. Undisturbed readings differ by a 1000th.
	disturbedFrom = 32
	// forgottenIn is the part by which the least reading grows with each sample.
	forgottenIn = 4096
	// firstReadings are those of which the least is the first measure.
	firstReadings = 50
	// MostLost is the time that may be lost at most, in times of samples that count.
	MostLost = 2.0
	// additions take some 8 µs.
	additions = 10_000
)

// Use is how a process used its time: how long the samples took that count, and how long it waited and took others.
type Use struct{ Kept, Lost time.Duration }

// NewWatch returns a watch for so many goroutines, each of which has a processor. It may lose so much time, in times of
// samples that count. It adds to all what it uses.
func NewWatch(goroutines int, mostLost float64, all *Use) *Watch {
	return &Watch{cores: make([]core, goroutines), most: mostLost, all: all, read: addTime, letIn: letIn}
}

// Anew returns a watch that knows the same processors, and has time of its own to lose.
func (w *Watch) Anew() *Watch {
	return &Watch{cores: w.cores, most: w.most, all: w.all, read: w.read, letIn: w.letIn}
}

// Left returns how much time may still be lost.
func (w *Watch) Left() time.Duration {
	if w == nil {
		return 0
	}
	return max(time.Duration(w.most*float64(w.of.Kept+time.Millisecond/2))-w.of.Lost, 0)
}

// Keep notes a sample that counts, and how long it took.
func (w *Watch) Keep(took time.Duration) {
	if w != nil {
		w.of.Kept += took
		w.all.Kept += took
	}
}

// Lose notes time that was lost.
func (w *Watch) Lose(took time.Duration) {
	if w != nil {
		w.of.Lost += took
		w.all.Lost += took
	}
}

// Begin waits until the processor of goroutine i is undisturbed, for so long at most.
func (w *Watch) Begin(i int, most time.Duration) {
	if w == nil {
		return
	}
	c := &w.cores[i]
	if c.least == 0 {
		c.least = w.read()
		for range firstReadings {
			w.quiet(i)
		}
	}
	c.least += c.least/forgottenIn + 1
	start := time.Now()
	for c.began = w.quiet(i); !c.began && time.Since(start) < most; c.began = w.quiet(i) {
	}
	c.start, c.letIn = time.Now(), w.letIn()
}

// Undisturbed reports, at the end of a sample, whether others left the processor of goroutine i alone.
func (w *Watch) Undisturbed(i int) bool {
	if w == nil {
		return true
	}
	c := &w.cores[i]
	taken := time.Duration(w.letIn()-c.letIn) * switchTakes
	return taken <= time.Since(c.start)/mostSwitching && w.quiet(i) && c.began
}

const (
	// switchTakes is what letting in a thread that naps again takes at most, on a virtual machine.
	switchTakes = 50 * time.Microsecond
	// mostSwitching: a sample is disturbed if other threads took more than a 16th of it.
	mostSwitching = 16

	// settledIn is how long no other thread must have been let in, and mostSettle how long Settle waits for that.
	settledIn  = time.Millisecond
	mostSettle = 20 * time.Millisecond
)

// Settle keeps the processor busy until no other thread has been let in for a millisecond, 20 ms at most. After a garbage
// collection the runtime's monitor (sysmon) wakes every 20 µs for some milliseconds. If that is on the same processor,
// operations take nearly twice as long. The monitor wakes less often while a goroutine is busy, not while all sleep.
func Settle() { settle(letIn) }

func settle(letIn func() int64) {
	start := time.Now()
	for since, last := start, letIn(); time.Since(since) < settledIn && time.Since(start) < mostSettle; {
		if n := letIn(); n != last {
			since, last = time.Now(), n
		}
	}
}

func (w *Watch) quiet(i int) bool {
	c, took := &w.cores[i], w.read()
	c.least = min(c.least, took)
	return took <= c.least+c.least/disturbedFrom
}

// Wait waits until the first processor is undisturbed, as long as time may be lost.
func (w *Watch) Wait() {
	start := time.Now()
	w.Begin(0, w.Left())
	w.Lose(time.Since(start))
}

// Sample prepares and takes samples, on the first processor, until one counts or fails. One that was disturbed counts
// if no time is left to lose.
func (w *Watch) Sample(prepare func(), take func() error) error {
	for {
		prepare()
		w.Wait()
		began := time.Now()
		err, took := take(), time.Since(began)
		if err != nil || w.Undisturbed(0) || w.Left() == 0 {
			w.Keep(took)
			return err
		}
		w.Lose(took)
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
