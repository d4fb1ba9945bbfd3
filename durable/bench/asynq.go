package main

import (
	"context"
	"encoding/binary"
	"errors"

	"github.com/hibiken/asynq"
	"golang.org/x/sync/errgroup"
)

// asynqTimers holds timers as scheduled tasks of asynq, with its defaults but for the number of workers.
type asynqTimers struct {
	client    *asynq.Client
	inspector *asynq.Inspector
	server    *asynq.Server // nil if nothing is run
	ids       []string
}

func openAsynq(_ context.Context, at place, fire func(uint32)) (opened, error) {
	to := asynq.RedisClientOpt{Network: "unix", Addr: at.URL, PoolSize: 2 * mostRunning}
	k := &asynqTimers{client: asynq.NewClient(to), inspector: asynq.NewInspector(to)}
	if fire == nil {
		return k, nil
	}
	k.server = asynq.NewServer(to, asynq.Config{Concurrency: mostRunning, LogLevel: asynq.FatalLevel})
	return k, k.server.Start(asynq.HandlerFunc(func(_ context.Context, t *asynq.Task) error {
		fire(binary.BigEndian.Uint32(t.Payload()))
		return nil
	}))
}

// enqueue returns the ID of the task that waits until a timer is due.
func (k *asynqTimers) enqueue(ctx context.Context, t timer) (id string, err error) {
	info, err := k.client.EnqueueContext(ctx, asynq.NewTask(fireKind, t.payload()), asynq.ProcessAt(t.at))
	if err == nil {
		id = info.ID
	}
	return id, err
}

func (k *asynqTimers) Schedule(ctx context.Context, t timer) error {
	id, err := k.enqueue(ctx, t)
	k.ids = append(k.ids, id)
	return err
}

// Many implements opened: asynq has no call for many, and several goroutines share the way there.
func (k *asynqTimers) Many(ctx context.Context, all []timer) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(mostRunning)
	for _, t := range all {
		g.Go(func() error {
			_, err := k.enqueue(ctx, t)
			return err
		})
	}
	return g.Wait()
}

func (k *asynqTimers) Cancel(_ context.Context, n int) error {
	return k.inspector.DeleteTask("default", k.ids[n])
}

func (k *asynqTimers) Close(context.Context) error {
	if k.server != nil {
		k.server.Shutdown()
	}
	return errors.Join(k.client.Close(), k.inspector.Close())
}
