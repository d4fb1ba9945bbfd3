package rules

import (
	"cmp"
	"math/rand/v2"
	"time"

	"schedbench/internal/lists"
)

func neverEarly(t *trial) string {
	t.arrivals()
	found, most := beyond(t.fired(), 0, func(s *shot) time.Duration { return -s.late() })
	return of(found, len(t.list), "fired early, by up to %s", most)
}

func notLate(t *trial) string {
	t.arrivals()
	found, most := beyond(t.fired(), max(t.Tick-1, 0), (*shot).late)
	return of(found, len(t.list), "fired late by a tick or more, by up to %s", most)
}

func allFire(t *trial) string {
	t.arrivals()
	return t.lost()
}

func (t *trial) lost() string {
	return of(len(t.list)-len(t.fired()), len(t.list), "never fired")
}

func firesOnce(t *trial) string {
	t.arrivals()
	return of(count(t.fired(), func(s *shot) bool { return s.times > 1 }), len(t.list), "fired more than once")
}

func order(t *trial) string {
	t.arrivals()
	yes := t.fired()
	var latest, reached time.Duration // deadline of those that fired before the instant in question
	wrong := 0
	for i, s := range yes {
		if i > 0 && s.at > yes[i-1].at {
			reached = latest
		}
		if s.deadline+t.Tick < reached {
			wrong++
		}
		latest = max(latest, s.deadline)
	}
	return of(wrong, len(t.list), "fired after one that was due more than a tick later")
}

func pastDeadline(t *trial) string {
	time.Sleep(t.Tick / 3)
	for _, delay := range []time.Duration{0, -1, -time.Hour} {
		t.arm(delay)
	}
	t.rest()
	found, most := beyond(t.fired(), t.Tick, (*shot).late)
	return cmp.Or(t.lost(), of(found, len(t.list), "fired more than a tick late, by up to %s", most))
}

func sameDeadline(t *trial) string {
	for range many {
		t.arm(spread)
	}
	t.rest()
	return t.lost()
}

func longDelays(t *trial) string {
	for delay := time.Second; delay < horizon-time.Minute; delay += time.Second {
		t.arm(delay + time.Millisecond/2)
	}
	t.rest()
	found, most := beyond(t.fired(), 2*t.Tick, (*shot).off)
	return cmp.Or(t.lost(), of(found, len(t.list), "fired more than two ticks early or late, by up to %s", most))
}

// halved makes many timers and stops every second one in the middle of its delay.
func (t *trial) halved() (stopped []*shot, refused int) {
	for range many {
		t.arm(spread + time.Duration(len(t.list))*time.Millisecond)
	}
	time.Sleep(spread / 2)
	for i := 0; i < len(t.list); i += 2 {
		s := t.list[i]
		if !s.timer.Stop() {
			refused++
		}
		stopped = append(stopped, s)
	}
	return stopped, refused
}

func cancelOnce(t *trial) string {
	stopped, refused := t.halved()
	again := count(stopped, func(s *shot) bool { return s.timer.Stop() })
	t.rest()
	return cmp.Or(
		of(refused, len(stopped), "were pending, but Stop was false"),
		of(again, len(stopped), "were stopped twice with true"),
		of(count(stopped, (*shot).fired), len(stopped), "fired though they had been stopped"))
}

func cancelSpares(t *trial) string {
	stopped, _ := t.halved()
	t.rest()
	others := len(t.list) - len(stopped)
	return of(max(others-len(t.fired()), 0), others, "that were not stopped never fired")
}

func cancelFired(t *trial) string {
	t.arrivals()
	return of(count(t.fired(), func(s *shot) bool { return s.timer.Stop() }), len(t.list), "had fired, but Stop was true")
}

const turn = 40 * time.Second // longer than a rotation of any wheel: timers are moved at each of its positions

func resets(t *trial) string {
	r := rand.New(rand.NewPCG(3, 4))
	var moved []*shot
	refused := 0
	for i := range many {
		time.Sleep(time.Duration(r.Int64N(int64(2 * turn / many))))
		t.arm(turn/2 + time.Duration(r.Int64N(int64(turn))))
		if i < many/20 { // the first to be moved is a while old, and far from due
			continue
		}
		s, delay := t.list[i-many/20], 2*t.Tick+time.Duration(r.Int64N(int64(turn)))
		if s.deadline = t.now() + delay; !s.timer.(Mover).Reset(delay) {
			refused++
		}
		moved = append(moved, s)
	}
	t.rest()
	off, most := beyond(lists.Only(moved, (*shot).fired), 2*t.Tick, (*shot).off)
	return cmp.Or(
		of(refused, len(moved), "were pending, but Reset was false"),
		t.lost(),
		of(off, len(moved), "fired more than two ticks early or late, by up to %s", most))
}

func ends(t *trial) string {
	for range many {
		t.arm(spread)
	}
	time.Sleep(spread / 4)
	t.close()
	t.rest()
	return of(len(t.fired()), len(t.list), "fired after the end")
}
