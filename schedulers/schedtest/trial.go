package schedtest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"schedbench/internal/lists"
	"schedbench/schedulers"
)

// trial is a fresh scheduler in a case, beside the model. Its methods end the case by a panic when the model refuses an
// answer.
type trial struct{ *checkedRun }

// broken ends a case whose rule is broken, and inapplicable one that does not apply to the scheduler.
type (
	broken       struct{ error }
	inapplicable string
)

func begin(s Scheduler) *trial {
	c, err := newCheckedRun(s)
	if err != nil {
		panic(broken{err})
	}
	return &trial{c}
}

func (r *trial) fresh() *trial { return begin(r.Scheduler) }

// freshAt starts another trial with the clock at now.
func (r *trial) freshAt(now time.Duration) *trial {
	r = r.fresh()
	r.expire(now, 8)
	return r
}

func (r *trial) fail(format string, args ...any) { panic(broken{fmt.Errorf(format, args...)}) }

// need ends the case unless ok. lacking names what the scheduler does not have.
func (r *trial) need(ok bool, lacking string) {
	if !ok {
		panic(inapplicable(r.Name + " " + lacking))
	}
}

func (r *trial) meter() schedulers.Meter {
	meter, ok := r.sched.(schedulers.Meter)
	r.need(ok, "is no Meter, so its work cannot be counted")
	return meter
}

// expectRight demands that err is nil.
func (r *trial) expectRight(err error) {
	if err != nil {
		r.fail("clock %d: %v: %v", r.model.clock, r.doing(), err)
	}
}

// expectSound demands that err is nil, and what must hold after every operation.
func (r *trial) expectSound(err error) {
	r.expectRight(err)
	r.expectRight(r.invariants())
}

// schedule returns the ID, or 0 if the deadline was refused as it may be.
func (r *trial) schedule(deadline time.Duration) schedulers.ID {
	r.expectSound(r.checkedRun.schedule(deadline))
	return r.issued
}

// scheduleAll checks the invariants once for all deadlines.
func (r *trial) scheduleAll(deadlines []time.Duration) []schedulers.ID {
	ids := lists.Each(deadlines, func(deadline time.Duration) schedulers.ID {
		r.expectRight(r.checkedRun.schedule(deadline))
		return r.issued
	})
	r.expectSound(nil)
	return ids
}

func (r *trial) cancel(id schedulers.ID) { r.expectSound(r.checkedRun.cancel(id)) }

func (r *trial) reset(id schedulers.ID, deadline time.Duration) {
	r.expectSound(r.checkedRun.reset(id, deadline))
}

func (r *trial) expire(now time.Duration, room int) { r.expectSound(r.checkedRun.expire(now, room)) }

// drain takes out all that is due at now, room values at a time. Each call is creep later than the one before.
func (r *trial) drain(now time.Duration, room int, creep time.Duration) {
	for due := true; due; now = later(now, creep) {
		r.expire(now, room)
		due = len(r.model.pending) > 0 && r.model.pending[0].due <= now
	}
}

// shuffled returns a copy of delays in an order that is the same in every run.
func shuffled(delays []time.Duration) []time.Duration {
	delays = slices.Clone(delays)
	rng := rand.New(rand.NewPCG(1, 2))
	rng.Shuffle(len(delays), func(i, j int) { delays[i], delays[j] = delays[j], delays[i] })
	return delays
}
