package main

import (
	"time"

	"schedbench/schedulers"
)

// goSide does an exercise with a scheduler, step by step as c/main.c does it with a wheel.
type goSide struct {
	exercise
	s     schedulers.Scheduler[uint64]
	reset schedulers.Resetter // nil: cancels and schedules again

	draws []draw
	at    int    // of the draws
	now   uint64 // tick

	ids []schedulers.ID // the caller's, where C has its structs
	due [256]uint64

	fired, sum uint64 // what came out: how many, and the sum of values times ticks
}

func newGoSide(x exercise, s schedulers.Scheduler[uint64]) *goSide {
	g := &goSide{exercise: x, s: s, draws: drawAll(x.pending, x.seed), ids: make([]schedulers.ID, x.pending)}
	g.reset, _ = s.(schedulers.Resetter)
	return g
}

func (g *goSide) next() draw {
	d := g.draws[g.at&(len(g.draws)-1)]
	g.at++
	return d
}

func instant(t uint64) time.Duration { return time.Duration(t) * tick }

// work does the operation count times. A run-out takes a minute.
func (g *goSide) work(count int) error {
	switch g.op {
	case opPair:
		return g.pairs(count)
	case opReset, opLater:
		return g.resets(count)
	}
	for end := g.now + uint64(count)*minute; g.now < end; {
		g.expire(g.now + 1)
	}
	return nil
}

// schedule arms a timer for a tick. Its value is the number of a place of the caller.
func (g *goSide) schedule(place int, due uint64) (err error) {
	g.ids[place], err = g.s.Schedule(instant(due), uint64(place))
	return err
}

// expire takes out what is due, and adds up what came out when.
func (g *goSide) expire(now uint64) {
	g.now = now
	for {
		n := g.s.Expire(instant(now), g.due[:])
		g.fired += uint64(n)
		for _, value := range g.due[:n] {
			g.sum += value * now
		}
		if n < len(g.due) {
			return
		}
	}
}

func (g *goSide) pairs(count int) error {
	for range count {
		d := g.next()
		g.s.Cancel(g.ids[d.pick])
		id, err := g.s.Schedule(instant(uint64(d.ticks)), uint64(g.at))
		if err != nil {
			return err
		}
		g.ids[d.pick] = id
	}
	return nil
}

// resets moves timers whose values are their places.
func (g *goSide) resets(count int) (err error) {
	for range count {
		d := g.next()
		due := uint64(d.ticks)
		if g.op == opLater {
			due = horizon + uint64(g.at)/64
		}
		if g.reset != nil {
			_, err = g.reset.Reset(g.ids[d.pick], instant(due))
		} else if g.s.Cancel(g.ids[d.pick]) {
			err = g.schedule(int(d.pick), due)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// hollow does nothing: it costs the loop around it. Schedule returns the ID that was cancelled last, so the IDs stay the same.
type hollow struct{ id schedulers.ID }

func (h *hollow) Schedule(time.Duration, uint64) (schedulers.ID, error) { return h.id, nil }
func (h *hollow) Cancel(id schedulers.ID) bool                          { h.id = id; return true }
func (h *hollow) Reset(schedulers.ID, time.Duration) (bool, error)      { return true, nil }
func (h *hollow) Expire(time.Duration, []uint64) int                    { return 0 }
func (h *hollow) Next() (time.Duration, bool)                           { return 0, false }
func (h *hollow) Len() int                                              { return 0 }
