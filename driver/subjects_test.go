package driver_test

import (
	"slices"
	"time"

	"schedbench/driver"
	"schedbench/heapsched"
	"schedbench/hierwheel"
	"schedbench/listsched"
	"schedbench/roundswheel"
	"schedbench/schedulers"
	"schedbench/singlewheel"
)

// subjects lists what the tests run over.
func subjects() []subject {
	const tick = time.Millisecond
	heap := subject{name: "heapsched", tick: 1, make: func() schedulers.Scheduler[driver.Task] { return heapsched.New[driver.Task]() }}
	single := subject{name: "singlewheel", tick: 10 * tick, horizon: 65536 * 10 * tick,
		make: wheel(singlewheel.New[driver.Task], 10*tick, 65536)}
	rounds := subject{name: "roundswheel", tick: tick,
		make: wheel(roundswheel.New[driver.Task], tick, 512)}
	hier := subject{name: "hierwheel", tick: tick, cascades: true, make: wheel(hierwheel.New[driver.Task], tick, 64)}
	return []subject{
		{name: "plain", tick: 1, make: func() schedulers.Scheduler[driver.Task] { return newPlain() }},
		{name: "plain-horizon", tick: 1, horizon: 10 * time.Minute,
			make: func() schedulers.Scheduler[driver.Task] { return newPlainWithin(10 * time.Minute) }},
		{name: "rounding-down", tick: 1, cascades: true, make: func() schedulers.Scheduler[driver.Task] { return newRoundingDown(5 * tick) }},
		heap,
		{name: "listsched", tick: 1, make: func() schedulers.Scheduler[driver.Task] { return listsched.New[driver.Task]() }},
		single, rounds, hier,
		sharded(heap), sharded(hier),
		queued(heap, 3), queued(single, 0), queued(rounds, 0), queued(hier, 0),
	}
}

// chosen returns the subjects of some names.
func chosen(names ...string) []subject {
	return slices.DeleteFunc(subjects(), func(s subject) bool { return !slices.Contains(names, s.name) })
}

// queued returns the subject behind a Queued inbox.
func queued(s subject, perWakeup int) subject {
	s.name += "-queued"
	s.inbox = driver.Queued{PerWakeup: perWakeup}
	s.few = perWakeup > 0
	return s
}

// sharded returns the subject behind a Sharded inbox of four.
func sharded(s subject) subject {
	s.name += "-sharded"
	s.inbox = driver.Sharded{Shards: 4, New: func() (schedulers.Scheduler[driver.Task], error) { return s.make(), nil }}
	return s
}

// wheel returns a function that makes wheels of one kind and size.
func wheel[W schedulers.Scheduler[driver.Task]](
	make func(time.Duration, int) (W, error), tick time.Duration, slots int,
) func() schedulers.Scheduler[driver.Task] {
	return func() schedulers.Scheduler[driver.Task] {
		w, err := make(tick, slots)
		if err != nil {
			panic(err)
		}
		return w
	}
}
