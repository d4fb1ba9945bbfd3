package main

import (
	"context"
	"time"

	"schedbench/catalog"
	"schedbench/driver"
	"schedbench/harness"
)

// timers keeps timers in memory: those of a driver, or of the Go runtime.
type timers[T any] struct {
	fire   func(uint32)
	start  func(delay time.Duration, f func()) (T, error)
	stop   func(T) bool
	reset  func(T, time.Duration) (bool, error)
	handed []T
	*driver.Driver
}

func openDriver(_ context.Context, _ place, fire func(uint32)) (opened, error) {
	found, err := catalog.Find([]string{catalog.Hier})
	if err != nil {
		return nil, err
	}
	d, err := found[0].Start(harness.Geometry{Tick: 20 * time.Microsecond, Horizon: farAway + 2*time.Hour})
	if err != nil {
		return nil, err
	}
	return &timers[driver.Timer]{fire: fire, start: d.AfterFunc, stop: driver.Timer.Stop, reset: driver.Timer.ResetPending, Driver: d}, nil
}

func openRuntime(_ context.Context, _ place, fire func(uint32)) (opened, error) {
	start := func(delay time.Duration, f func()) (*time.Timer, error) { return time.AfterFunc(delay, f), nil }
	reset := func(t *time.Timer, delay time.Duration) (bool, error) { return t.Reset(delay), nil }
	return &timers[*time.Timer]{fire: fire, start: start, stop: (*time.Timer).Stop, reset: reset}, nil
}

func (m *timers[T]) add(t timer) (T, error) {
	return m.start(time.Until(t.at), func() { m.fire(t.number) })
}

func (m *timers[T]) Schedule(_ context.Context, t timer) error {
	started, err := m.add(t)
	m.handed = append(m.handed, started)
	return err
}

func (m *timers[T]) Many(_ context.Context, all []timer) error {
	for _, t := range all {
		if _, err := m.add(t); err != nil {
			return err
		}
	}
	return nil
}

func (m *timers[T]) Cancel(_ context.Context, n int) error { return pending(m.stop(m.handed[n]), nil) }

func (m *timers[T]) Reset(_ context.Context, n int, at time.Time) error {
	return pending(m.reset(m.handed[n], time.Until(at)))
}

func (m *timers[T]) Close(ctx context.Context) (err error) {
	if m.Driver != nil {
		_, err = m.Driver.Close(ctx)
	}
	return err
}
