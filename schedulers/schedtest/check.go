package schedtest

import (
	"time"

	"pgregory.net/rapid"
)

// Check is a property for rapid: the scheduler gives the answers of the model
// under any sequence of operations. Call it through rapid.Check:
//
//	rapid.Check(t, func(t *rapid.T) { schedtest.Check(t, subject) })
//
// All that must hold between operations is checked after each, and a failing
// sequence is shrunk to a short one.
func Check(t *rapid.T, s Subject) {
	c, err := newCheckedRun(s)
	if err != nil {
		t.Fatalf("%v", err)
	}
	m := machine{run: c, subject: s}
	t.Repeat(map[string]func(*rapid.T){
		"":             m.check(func(*rapid.T) error { return c.invariants() }),
		"Schedule":     m.check(m.schedule),
		"ScheduleMany": m.check(m.scheduleMany),
		"Cancel":       m.check(m.cancel),
		"CancelOdd":    m.check(m.cancelOdd),
		"Reset":        m.check(m.reset),
		"Expire":       m.check(m.expire),
		"ExpireAny":    m.check(m.expireAny),
	})
	if err := c.finish(); err != nil {
		t.Fatalf("at the end of time: %v: %v", c.doing, err)
	}
}

// machine draws the arguments of a run's operations from rapid.
type machine struct {
	run     *checkedRun
	subject Subject
}

// check turns an operation into an action that fails on a difference.
func (m machine) check(do func(*rapid.T) error) func(*rapid.T) {
	return func(t *rapid.T) {
		if err := do(t); err != nil {
			t.Fatalf("clock %d: %v: %v", m.run.model.Clock(), m.run.doing, err)
		}
	}
}

func (m machine) schedule(t *rapid.T) error {
	return m.run.schedule(m.deadline(t))
}

func (m machine) scheduleMany(t *rapid.T) error {
	deadline := m.deadline(t)
	for range rapid.IntRange(2, 40).Draw(t, "count") {
		if err := m.run.schedule(deadline); err != nil {
			return err
		}
	}
	return nil
}

func (m machine) cancel(t *rapid.T) error {
	return m.run.cancel(m.run.live(pick(t)))
}

func (m machine) cancelOdd(t *rapid.T) error {
	return m.run.cancel(m.run.odd(pick(t)))
}

func (m machine) reset(t *rapid.T) error {
	return m.run.reset(m.run.live(pick(t)), m.deadline(t))
}

// expire moves on by a moderate step, so that time lasts.
func (m machine) expire(t *rapid.T) error {
	clock := m.run.model.Clock()
	shape := rapid.ByteRange(0, 2<<5+16).Draw(t, "shape")
	now := m.subject.instant(clock, shape, rapid.Byte().Draw(t, "fine"))
	return m.run.expire(max(now, clock), room(t))
}

// expireAny moves anywhere, also back and to the end of time.
func (m machine) expireAny(t *rapid.T) error {
	return m.run.expire(m.deadline(t), room(t))
}

func (m machine) deadline(t *rapid.T) time.Duration {
	shape := rapid.Byte().Draw(t, "shape")
	return m.subject.deadline(m.run.model.Clock(), shape, rapid.Byte().Draw(t, "fine"))
}

func pick(t *rapid.T) uint64 { return rapid.Uint64().Draw(t, "pick") }

func room(t *rapid.T) int { return rapid.SampledFrom(rooms[:]).Draw(t, "room") }
