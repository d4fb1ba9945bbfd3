package main

import (
	"context"
	"log/slog"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"schedbench/internal/lists"
)

// riverTimers holds timers as scheduled jobs of River, with its defaults but for the number of workers.
type riverTimers struct {
	pool   *pgxpool.Pool
	client *river.Client[pgx.Tx]
	runs   bool
	ids    []int64
}

type riverArgs struct{ Number uint32 }

func (riverArgs) Kind() string { return fireKind }

// openRiver opens River, and makes its tables where it runs nothing.
func openRiver(ctx context.Context, at place, fire func(uint32)) (opened, error) {
	pool, err := pgxpool.New(ctx, at.URL)
	if err != nil {
		return nil, err
	}
	workers, driver, logger := river.NewWorkers(), riverpgxv5.New(pool), slog.New(slog.DiscardHandler)
	river.AddWorker(workers, river.WorkFunc(func(_ context.Context, job *river.Job[riverArgs]) error {
		fire(job.Args.Number)
		return nil
	}))
	k := &riverTimers{pool: pool, runs: fire != nil}
	if k.client, err = river.NewClient(driver, &river.Config{
		Queues: map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: mostRunning}}, Workers: workers, Logger: logger,
		FetchPollInterval: at.Interval, FetchCooldown: min(at.Interval, river.FetchCooldownDefault), // 0 is the default
	}); err != nil {
		return nil, err
	}
	if k.runs {
		return k, k.client.Start(ctx)
	}
	m, err := rivermigrate.New(driver, &rivermigrate.Config{Logger: logger})
	if err == nil {
		_, err = m.Migrate(ctx, rivermigrate.DirectionUp, nil)
	}
	return k, err
}

// job returns the arguments and options of a job that waits until a timer is due.
func (t timer) job() river.InsertManyParams {
	return river.InsertManyParams{Args: riverArgs{t.number}, InsertOpts: &river.InsertOpts{ScheduledAt: t.at}}
}

func (k *riverTimers) Schedule(ctx context.Context, t timer) error {
	r, err := k.client.Insert(ctx, t.job().Args, t.job().InsertOpts)
	if err == nil {
		k.ids = append(k.ids, r.Job.ID)
	}
	return err
}

func (k *riverTimers) Many(ctx context.Context, all []timer) error {
	_, err := k.client.InsertManyFast(ctx, lists.Each(all, timer.job))
	return err
}

// Cancel implements opened: the job is deleted, as those of all others are.
func (k *riverTimers) Cancel(ctx context.Context, n int) error {
	_, err := k.client.JobDelete(ctx, k.ids[n])
	return err
}

func (k *riverTimers) Close(ctx context.Context) (err error) {
	if k.runs {
		err = k.client.StopAndCancel(ctx)
	}
	k.pool.Close()
	return err
}
