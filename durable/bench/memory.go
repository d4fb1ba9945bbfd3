package main

import (
	"context"
	"time"

	"schedbench/catalog"
	"schedbench/driver"
	"schedbench/harness"
)

// timers keeps timers in memory, behind a driver.
type timers struct {
	*driver.Driver
	fire   func(uint32)
	handed []driver.Timer
}

func openDriver(_ context.Context, _ place, fire func(uint32)) (opened, error) {
	found, err := catalog.Find([]string{catalog.Hier})
	if err != nil {
		return nil, err
	}
	d, err := found[0].Start(harness.Geometry{Tick: 20 * time.Microsecond, Horizon: farAway + 2*time.Hour})
	return &timers{Driver: d, fire: fire}, err
}

// openNothing opens what holds nothing, and only rests.
func openNothing(context.Context, place, func(uint32)) (opened, error) { return nil, nil }

func (m *timers) add(t timer) (driver.Timer, error) {
	return m.AfterFunc(time.Until(t.at), func() { m.fire(t.number) })
}

func (m *timers) Schedule(_ context.Context, t timer) error {
	started, err := m.add(t)
	m.handed = append(m.handed, started)
	return err
}

func (m *timers) Many(_ context.Context, all []timer) error {
	for _, t := range all {
		if _, err := m.add(t); err != nil {
			return err
		}
	}
	return nil
}

func (m *timers) Cancel(_ context.Context, n int) error { return pending(m.handed[n].Stop(), nil) }

func (m *timers) Reset(_ context.Context, n int, at time.Time) error {
	return pending(m.handed[n].ResetPending(time.Until(at)))
}

func (m *timers) Close(ctx context.Context) error {
	_, err := m.Driver.Close(ctx)
	return err
}
