package record

import (
	"sync"
	"time"

	"schedbench/driver"
	"schedbench/workload/trace"
)

// repetition is a driver.Repeating that is recorded: each run as the firing of a timer and the making of the next one.
type repetition struct {
	r     *Driver
	f     func()
	task  func()                                // run: what the driver is given
	delay func(now time.Duration) time.Duration // from now to the next run

	making sync.Mutex // held until there is a note: the first run waits
	n      *note
}

// Every is that of the driver.
func (r *Driver) Every(period time.Duration, f func()) (*driver.Repeating, error) {
	return r.repeat(period, f, r.d.Every, func(time.Duration) time.Duration { return period })
}

// EveryAtFixedRate is that of the driver.
func (r *Driver) EveryAtFixedRate(period time.Duration, f func()) (*driver.Repeating, error) {
	first := r.now()
	return r.repeat(period, f, r.d.EveryAtFixedRate, func(now time.Duration) time.Duration { return period - (now-first)%period })
}

func (r *Driver) repeat(period time.Duration, f func(),
	every func(time.Duration, func()) (*driver.Repeating, error), delay func(time.Duration) time.Duration,
) (*driver.Repeating, error) {
	if f == nil {
		return nil, driver.ErrNilFunc
	}
	p := &repetition{r: r, f: f, delay: delay}
	p.task = p.run
	p.making.Lock()
	defer p.making.Unlock()
	made, err := every(period, p.task)
	if err != nil {
		return nil, err
	}
	p.n = r.log.arm(r.now(), period)
	r.log.mu.Lock()
	defer r.log.mu.Unlock()
	p.n.repeats, p.n.f = p, f
	r.wrapping.WhenStopped(made, func() {
		p.note(func(l *log, at time.Duration, n *note) { l.release(at, n, trace.Cancel) })
	})
	return made, nil
}

func (p *repetition) run() {
	p.note(func(l *log, at time.Duration, n *note) { l.over(at, n, trace.Fire) })
	defer p.note(func(l *log, at time.Duration, n *note) { l.made(at, p.delay(at), n) })
	p.f()
}

// note notes something, unless the repetition has ended.
func (p *repetition) note(what func(l *log, at time.Duration, n *note)) {
	p.making.Lock()
	n := p.n
	p.making.Unlock()
	l, at := p.r.log, p.r.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if n.repeats == p {
		what(l, at, n)
	}
}
