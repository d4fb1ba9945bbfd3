package main

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"log/slog"
	"path/filepath"
	"time"

	"schedbench/durable"
	"schedbench/internal/lists"
)

// The contestants of package durable: where timers are kept, and how they are synced.
const (
	durableName = "durable-sqlite"
	durableFull = "durable-sqlite-full"
	durablePg   = "durable-postgres"
	durablePgNo = "durable-postgres-async"
	durableLead = 2 * time.Second // how far package durable looks ahead by default
)

type durableTimers struct {
	timers *durable.Timers
	ids    []string
}

// openDurable returns what opens timers with a policy of syncing.
func openDurable(sync durable.Sync) func(context.Context, place, func(uint32)) (opened, error) {
	return func(ctx context.Context, at place, fire func(uint32)) (opened, error) {
		where := cmp.Or(at.URL, filepath.Join(at.Dir, "timers.db"))
		t, err := durable.Open(ctx, where, durable.Options{Sync: sync, Lead: durableLead, Concurrency: mostRunning, Logger: slog.New(slog.DiscardHandler)})
		if err == nil && fire != nil {
			err = errors.Join(t.Register(fireKind, func(_ context.Context, task durable.Task) error {
				fire(binary.BigEndian.Uint32(task.Payload))
				return nil
			}, durable.Policy{}), t.Start(ctx))
		}
		return &durableTimers{timers: t}, err
	}
}

// payload is that of a task that runs what a timer is for.
func (t timer) payload() []byte   { return binary.BigEndian.AppendUint32(nil, t.number) }
func (t timer) task() durable.New { return durable.New{Kind: fireKind, At: t.at, Payload: t.payload()} }

func (k *durableTimers) Schedule(ctx context.Context, t timer) error {
	made, err := k.timers.Schedule(ctx, t.task())
	k.ids = append(k.ids, made.ID)
	return err
}

func (k *durableTimers) Many(ctx context.Context, all []timer) error {
	_, err := k.timers.ScheduleBatch(ctx, lists.Each(all, timer.task))
	return err
}

func (k *durableTimers) Cancel(ctx context.Context, n int) error {
	return pending(k.timers.Cancel(ctx, k.ids[n]))
}

func (k *durableTimers) Reset(ctx context.Context, n int, at time.Time) error {
	return pending(k.timers.Reset(ctx, k.ids[n], at))
}

func (k *durableTimers) Close(ctx context.Context) error { return k.timers.Close(ctx) }
