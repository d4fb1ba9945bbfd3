package price

import (
	"context"
	"time"

	"schedbench/catalog"
	"schedbench/driver"
	"schedbench/harness"
	"schedbench/live"
)

// inMemory keeps timers that end with the process: behind a driver of hierwheel, or those of
// the Go runtime if there is none.
type inMemory struct {
	d       *driver.Driver
	held    int // of the runtime's
	timers  []driver.Timer
	runtime []*time.Timer
}

// newInMemory starts what keeps timers in memory.
func newInMemory(k Keeper) (*inMemory, error) {
	if k.Impl == catalog.RuntimeTimer {
		return &inMemory{}, nil
	}
	found, err := catalog.Find([]string{k.Impl})
	if err != nil {
		return nil, err
	}
	m := &inMemory{}
	m.d, err = found[0].Start(harness.Geometry{Tick: finestTick, Horizon: farAway + 2*time.Hour})
	return m, err
}

// finestTick is that of a wheel which runs without ticks.
const finestTick = 20 * time.Microsecond

// nothing is what timers do that are far away.
func nothing() {}

// Hold implements keeping.
func (m *inMemory) Hold(at time.Time) (err error) {
	if m.d == nil {
		m.held++
		time.AfterFunc(time.Until(at), nothing)
		return nil
	}
	_, err = m.d.AfterFunc(time.Until(at), nothing)
	return err
}

// Schedule implements keeping.
func (m *inMemory) Schedule(at time.Time) error {
	delay := time.Until(at)
	if m.d == nil {
		m.held++
		m.runtime = append(m.runtime, time.AfterFunc(delay, nothing))
		return nil
	}
	t, err := m.d.AfterFunc(delay, nothing)
	m.timers = append(m.timers, t)
	return err
}

// Post implements keeping: there is nothing to wait for.
func (m *inMemory) Post(at time.Time) error { return m.Schedule(at) }

// Flush implements keeping.
func (m *inMemory) Flush() error { return nil }

// Cancel implements keeping.
func (m *inMemory) Cancel(timer int) error {
	if m.d == nil && m.runtime[timer].Stop() || m.d != nil && m.timers[timer].Stop() {
		return nil
	}
	return errNotPending
}

// Held implements keeping.
func (m *inMemory) Held() (int, error) {
	if m.d == nil {
		return m.held, nil
	}
	return m.d.Len(), nil
}

// Timers implements keeping: the process ends without closing them.
func (m *inMemory) Timers() live.Timers {
	if m.d == nil {
		return live.Own[*time.Timer]{Start: func(delay time.Duration, task func()) (*time.Timer, error) { return time.AfterFunc(delay, task), nil }}
	}
	return live.Own[driver.Timer]{Start: m.d.AfterFunc}
}

// Close implements keeping.
func (m *inMemory) Close() error {
	if m.d == nil {
		return nil
	}
	_, err := m.d.Close(context.Background())
	return err
}
