package durable

import (
	"slices"
	"time"
)

// A process that is alone with its timers settles in memory whether a task or its cancellation comes
// first. Where there are several, the engine does: see claim.

// withdrawal is of a timer that must not run in this process, up to a change.
type withdrawal struct {
	change int
	when   time.Time
}

// withdraw takes a timer away from the near scheduler, and has it dropped if the engine hands it out
// later. It reports false if the task has begun.
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
	t.withdrawn[id] = withdrawal{max(w.change, change), time.Now()}
	for _, h := range t.byID[id] {
		if h.change <= change {
			h.timer.Stop()
		}
	}
	return true
}

// restore undoes withdraw, if the engine did not take the change.
func (t *Timers) restore(id ID, change int) {
	if !t.alone() {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.withdrawn[id].change == change {
		delete(t.withdrawn, id)
	}
	for _, h := range t.byID[id] {
		if !h.begun {
			t.arm(h)
		}
	}
}

// forgetHeld forgets what was withdrawn for good.
func (t *Timers) forgetHeld(id ID, change int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, h := range slices.Clone(t.byID[id]) {
		if !h.begun && h.change <= change {
			t.drop(h)
		}
	}
}

// isWithdrawn is whether h must not run. The caller holds mu.
func (t *Timers) isWithdrawn(h *held) bool {
	w, there := t.withdrawn[h.id]
	return there && h.change <= w.change
}

// forgetWithdrawn drops what cannot be handed out any more. The caller holds mu.
func (t *Timers) forgetWithdrawn() {
	for id, w := range t.withdrawn {
		if time.Since(w.when) > markLife/2 {
			delete(t.withdrawn, id)
		}
	}
}
