package durable

import (
	"slices"
	"time"
)

// A process that is alone with its timers settles in memory whether a task or its cancellation comes
// first. Where there are several, the engine does: see claim.

// withdrawal is of a timer that must not run in this process, up to a change.
type withdrawal struct {
	settled int       // up to this change for good; -1 if none is
	when    time.Time // that was settled
	trying  int       // how many ask the engine for that, up to change upTo
	upTo    int
}

// holds is whether a change must not run. What was settled is not looked at once the engine has
// forgotten its mark too: an ID may begin again at change 0 then.
func (w withdrawal) holds(change int) bool {
	return w.trying > 0 && change <= w.upTo || change <= w.settled && !w.isOver()
}

// isOver is by the clock on the wall as well, which goes on while the machine is suspended.
func (w withdrawal) isOver() bool {
	return max(time.Since(w.when), time.Now().Round(0).Sub(w.when.Round(0))) > markLife/2
}

// withdraw takes a timer away from the near scheduler, and has it dropped if the engine hands it out
// later, until restore or forgetHeld is called, as it must be. It reports false if the task has begun.
func (t *Timers) withdraw(id ID, change int) bool {
	if !t.alone() {
		return true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, h := range t.byID[id] {
		if h.begun && h.change <= change {
			return false
		}
	}
	w := t.withdrawn[id]
	if w.isOver() {
		w.settled = -1
	}
	w.trying, w.upTo = w.trying+1, max(w.upTo, change)
	t.withdrawn[id] = w
	for _, h := range t.byID[id] {
		if h.change <= change {
			h.timer.Stop()
		}
	}
	return true
}

// restore undoes withdraw, if the engine did not take the change. Others may still try theirs, or
// have settled it: what they withdrew stays so.
func (t *Timers) restore(id ID) { t.decide(id, -1) }

// forgetHeld forgets what was withdrawn for good.
func (t *Timers) forgetHeld(id ID, change int) { t.decide(id, change) }

// forget has a timer dropped that the engine does not hold any more, up to a change, also if it hands it out, having
// read it before.
func (t *Timers) forget(id ID, change int) {
	if t.withdraw(id, change) {
		t.forgetHeld(id, change)
	}
}

// decide ends what withdraw has begun: settled is the change that is gone for good, or -1.
func (t *Timers) decide(id ID, settled int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.alone() {
		settled = t.settledNow(id, settled)
	}
	for _, h := range slices.Clone(t.byID[id]) {
		switch {
		case h.begun:
		case h.change <= settled:
			t.drop(h)
		case t.alone() && !t.isWithdrawn(h):
			t.arm(h)
		}
	}
}

// settledNow writes down that somebody has ended trying, and returns the highest change that is settled.
// The caller holds mu.
func (t *Timers) settledNow(id ID, settled int) int {
	w := t.withdrawn[id]
	if w.trying--; w.trying == 0 {
		w.upTo = 0
	}
	if settled >= 0 {
		w.settled, w.when = max(w.settled, settled), time.Now()
	}
	t.withdrawn[id] = w
	if w.trying == 0 && w.settled < 0 {
		delete(t.withdrawn, id)
	}
	return w.settled
}

// isWithdrawn is whether h must not run. The caller holds mu.
func (t *Timers) isWithdrawn(h *held) bool {
	w, there := t.withdrawn[h.id]
	return there && w.holds(h.change)
}

// forgetWithdrawn drops what cannot be handed out any more. The caller holds mu.
func (t *Timers) forgetWithdrawn() {
	for id, w := range t.withdrawn {
		if w.trying == 0 && w.isOver() {
			delete(t.withdrawn, id)
		}
	}
}
