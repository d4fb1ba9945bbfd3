package record

import (
	"sync"
	"time"
	"unsafe"

	"schedbench/driver"
	"schedbench/workload/trace"
)

// repetition is a driver.Repeating that is recorded: each run as the firing of a timer and the making of the next one.
type repetition struct {
	f    func()
	task func() // run: what the driver is given

	mu    sync.Mutex // protects what follows
	r     *Driver
	n     uint32
	next  func(now time.Duration) time.Duration // the deadline of the next run
	armed bool                                  // the next run is pending, in the trace
	ended bool
}

// Every is that of the driver.
func (r *Driver) Every(period time.Duration, f func()) (*driver.Repeating, error) {
	return r.repeat(period, f, r.d.Every, func(now time.Duration) time.Duration { return now + period })
}

// EveryAtFixedRate is that of the driver.
func (r *Driver) EveryAtFixedRate(period time.Duration, f func()) (*driver.Repeating, error) {
	first := r.now()
	return r.repeat(period, f, r.d.EveryAtFixedRate, func(now time.Duration) time.Duration {
		return first + (now-first)/period*period + period
	})
}

func (r *Driver) repeat(period time.Duration, f func(),
	every func(time.Duration, func()) (*driver.Repeating, error), next func(time.Duration) time.Duration,
) (*driver.Repeating, error) {
	if f == nil {
		return nil, driver.ErrNilFunc
	}
	p := &repetition{r: r, f: f, next: next}
	p.task = p.run
	p.mu.Lock()
	defer p.mu.Unlock()
	made, err := every(period, p.task)
	if err != nil {
		return nil, err
	}
	var absent bool
	p.n, _, absent = r.log.arm(r.now(), period)
	p.armed = !absent
	r.wrapping.WhenStopped(made, p.stopped)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.repeating[p] = struct{}{}
	return made, nil
}

func (p *repetition) stopped() {
	p.end()
	p.r.mu.Lock()
	defer p.r.mu.Unlock()
	delete(p.r.repeating, p)
}

func (p *repetition) run() {
	p.mu.Lock()
	p.note(func(l *log, at time.Duration) {
		if p.armed {
			p.armed = false
			l.over(at, p.n, trace.Fire)
		}
	})
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if !p.ended {
			p.note(func(l *log, at time.Duration) { p.armed = l.made(at, p.next(at)-at, p.n) })
		}
	}()
	p.f()
}

// end notes that no run follows.
func (p *repetition) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return
	}
	p.ended = true
	p.note(func(l *log, at time.Duration) { l.release(at, p.n, !p.armed, trace.Cancel) })
}

func (p *repetition) note(what func(l *log, at time.Duration)) {
	at := p.r.now()
	p.r.log.mu.Lock()
	defer p.r.log.mu.Unlock()
	what(p.r.log, at)
}

// endRepeating notes that the repetitions end with the driver, and replaces their functions by those of the program.
func (r *Driver) endRepeating(unfired []driver.Unfired) {
	r.mu.Lock()
	defer r.mu.Unlock()
	tasks := map[unsafe.Pointer]*repetition{}
	for p := range r.repeating {
		tasks[closure(p.task)] = p
		p.end()
	}
	clear(r.repeating)
	for i, u := range unfired {
		if p := tasks[closure(u.Func)]; p != nil {
			unfired[i].Func = p.f
		}
	}
}
