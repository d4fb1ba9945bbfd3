package tune

import (
	"time"
)

// tickingWorker simulates a worker that wakes at every tick.
type tickingWorker struct {
	tick    time.Duration
	late    latency
	perTask time.Duration
	hist    *histogram
	ran     time.Duration
	span    time.Duration
}

// run simulates all timelines.
func (t *tickingWorker) run(timelines []timeline) wakeups {
	t.hist = newHistogram()
	for i := range timelines {
		t.simulate(timelines[i].changes, phase(i, t.tick))
		t.span += timelines[i].to - timelines[i].from
	}
	return wakeups{timed: t.rate(), late: t.hist, busy: t.ran.Seconds() / max(t.span.Seconds(), 1e-9)}
}

// rate returns how often the worker wakes in a second: less often than at every tick
// if sleeps end more than a tick too late.
func (t *tickingWorker) rate() float64 {
	const sleeps = 2048
	late, now := t.late, time.Duration(0)
	for range sleeps {
		now = next(now, t.tick, &late)
	}
	return sleeps / now.Seconds()
}

// next returns when a worker wakes that goes to sleep until the next tick.
func next(now, tick time.Duration, late *latency) time.Duration {
	sleep := tick - now%tick
	return now + sleep + late.after(sleep)
}

// lead is how many ticks before a deadline the simulation of ticks begins: as many
// as it takes to forget where it began, since a sleep may end some ticks too late.
const lead = 8

// simulate simulates the ticks at which something is due, and some before. The ticks are
// earlier than those of the load by a phase, which is to say that what happens is
// later.
func (t *tickingWorker) simulate(changes []firstChange, phase time.Duration) {
	now := time.Duration(0)
	for i := 0; i < len(changes); {
		if changes[i].fired == 0 {
			i++
			continue
		}
		due := changes[i].at + phase
		if before := due - lead*max(t.tick, t.late.at(0.99)); before > now {
			now = before
		}
		for now-now%t.tick < due {
			now = next(now, t.tick, &t.late)
		}
		i, now = t.work(changes, i, phase, now)
	}
}

// work runs what is due from the change i on and returns the first that is not
// due, and when the worker has done.
func (t *tickingWorker) work(changes []firstChange, i int, phase, now time.Duration) (first int, done time.Duration) {
	for ; i < len(changes) && changes[i].at+phase <= now-now%t.tick; i++ {
		took := time.Duration(changes[i].fired) * t.perTask
		t.hist.add(now+took/2-changes[i].at-phase, int64(changes[i].fired))
		now += took
		t.ran += took
	}
	return i, now
}

// evenly has timers fire that come at any time, so many a second, with a worker
// that wakes at every tick: so they are late by what is left of the tick, evenly
// spread, and by the wake-up, and by those before them.
func (t *tickingWorker) evenly(fires float64) wakeups {
	const sleeps, inside = 512, 16
	t.hist = newHistogram()
	now, last := time.Duration(0), time.Duration(0)
	for i := range uint64(sleeps) {
		now = next(now, t.tick, &t.late)
		reached := now - now%t.tick
		queue := fires * (reached - last).Seconds() * float64(t.perTask)
		for j := range inside {
			share := (float64(j) + float64(i*golden>>11)/(1<<53)) / inside // of those due now, in order
			waited := time.Duration((1 - share) * float64(reached-last))
			t.hist.add(now-reached+waited+time.Duration(share*queue), 1)
		}
		last = reached
		now += time.Duration(queue)
	}
	return wakeups{timed: t.rate(), late: t.hist, busy: fires * t.perTask.Seconds()}
}

// ticklessWorker simulates a worker that sleeps until something is due, over timelines of what
// is first. Time goes from change to change of the first deadline; that is all
// that such a worker ever asks for:
//
//	first     ──d1──╮  ╭──d2 (earlier: kick)──╮        ╭──d3──
//	          ──────╯──╯──────────────────────╯────────╯
//	worker    asleep until d1 ┊ asleep until d2 ┊ late ┊ runs what is due
type ticklessWorker struct {
	tick    time.Duration // to which deadlines are rounded up
	late    latency
	kick    latency
	perTask time.Duration // that a task, run inline, holds up those behind it
	phase   time.Duration // by how much the ticks begin before those of the load
	width   uint          // bits of a level of a hierarchical wheel; 0: none

	hist          *histogram
	timed, kicked int
	vain          int
	ran           time.Duration // of tasks
	span          time.Duration

	until  time.Duration // what the worker sleeps for, or whileAwake
	wake   time.Duration // when it wakes up, or expires again what is due
	state  wokenBy
	due    []firstChange // that have come, and wait for the worker
	head   int
	latest time.Duration // the last deadline that has come
}

// wokenBy is what the worker will have been woken by.
type wokenBy uint8

const (
	byTime wokenBy = iota
	byKick
	byItself // it has not slept, but run tasks
)

// whileAwake is what a worker sleeps for that does not: no deadline is earlier.
const whileAwake time.Duration = -1

// run simulates all timelines.
func (t *ticklessWorker) run(timelines []timeline) wakeups {
	t.hist = newHistogram()
	for i := range timelines {
		t.phase = phase(i, t.tick)
		t.simulate(&timelines[i])
	}
	span := max(t.span.Seconds(), 1e-9)
	return wakeups{
		timed:  float64(t.timed) / span,
		kicked: float64(t.kicked) / span,
		vain:   float64(t.vain) / span,
		late:   t.hist,
		busy:   t.ran.Seconds() / span,
	}
}

// phase returns where in a tick the timeline of a number begins: anywhere, evenly.
func phase(timeline int, tick time.Duration) time.Duration {
	part := float64(uint64(timeline)*golden>>11) / (1 << 53)
	return time.Duration(part * float64(tick))
}

// ceil rounds up to a tick.
func (t *ticklessWorker) ceil(d time.Duration) time.Duration {
	if t.tick <= 1 || d > never-2*t.tick {
		return d
	}
	return (d+t.phase+t.tick-1)/t.tick*t.tick - t.phase
}

// target returns when a worker that goes to sleep for a deadline wants to wake: at its tick,
// or in a hierarchical wheel, when it moves on from the slot in which it is then, if that is before.
func (t *ticklessWorker) target(now, deadline time.Duration) time.Duration {
	at := t.ceil(deadline)
	if t.width == 0 || at >= never-2*t.tick || at <= now {
		return at
	}
	k, cur := uint64((at+t.phase)/t.tick), uint64((now+t.phase)/t.tick)
	if level := levelOf(cur, k, t.width); level > 0 {
		k = comesNext(k, level*t.width)
	}
	return time.Duration(k)*t.tick - t.phase
}

// simulate simulates a timeline. The worker is asleep at its begin.
func (t *ticklessWorker) simulate(f *timeline) {
	if len(f.changes) == 0 {
		return
	}
	first := never // of the pending
	t.due, t.head, t.latest = t.due[:0], 0, -t.tick
	t.until, t.wake = never, never
	from := f.changes[0].at
	for i := range f.changes {
		c := &f.changes[i]
		for t.wake < c.at {
			t.work(first)
		}
		switch {
		case i == 0:
			t.sleep(c.at, c.first)
		case c.fired > 0 || first == c.at: // what was first has come
			t.latest = c.at
			if c.fired > 0 {
				t.due = append(t.due, *c)
			}
		case c.first < first && t.target(c.at, c.first) < t.until:
			t.until, t.wake, t.state = whileAwake, c.at+t.kick.draw(), byKick
		}
		first = c.first
	}
	for t.wake < f.to {
		t.work(first)
	}
	t.span += f.to - from
	timed, kicked, vain := t.timed, t.kicked, t.vain
	for t.head < len(t.due) { // what is due must still run, in nobody's time
		t.work(never)
	}
	t.timed, t.kicked, t.vain = timed, kicked, vain
}

// work has the worker run what is due, and sleep if there is nothing.
func (t *ticklessWorker) work(first time.Duration) {
	switch t.state {
	case byTime:
		t.timed++
	case byKick:
		t.kicked++
	}
	now, head := t.wake, t.head
	for t.head < len(t.due) && t.ceil(t.due[t.head].at) <= now {
		c := &t.due[t.head]
		took := time.Duration(c.fired) * t.perTask
		t.hist.add(now+took/2-c.at, int64(c.fired))
		now += took
		t.ran += took
		t.head++
	}
	if head == t.head && t.state == byTime {
		t.vain++
	}
	switch {
	case t.head > head:
		t.until, t.wake, t.state = whileAwake, now, byItself
	case t.ceil(t.latest) > now: // this tick is not over
		t.sleep(now, t.latest)
	default:
		t.sleep(now, first)
	}
	if t.head == len(t.due) {
		t.due, t.head = t.due[:0], 0
	}
}

// sleep has the worker sleep for a deadline.
func (t *ticklessWorker) sleep(now, deadline time.Duration) {
	t.until, t.state = t.target(now, deadline), byTime
	switch {
	case t.until == never:
		t.wake = never
	case t.until <= now:
		t.wake = now + 1
	default:
		t.wake = t.until + t.late.after(t.until-now)
	}
}
