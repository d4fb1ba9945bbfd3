package tune

import "time"

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
func (t *tickingWorker) simulate(changes []change, phase time.Duration) {
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
func (t *tickingWorker) work(changes []change, i int, phase, now time.Duration) (first int, done time.Duration) {
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
