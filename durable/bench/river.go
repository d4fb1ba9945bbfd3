package main

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// riverKeeper keeps timers as scheduled jobs of River, with its defaults but for the number of workers.
type riverKeeper struct {
	pool    *pgxpool.Pool
	client  *river.Client[pgx.Tx]
	started bool
	ids     []int64
}

// mostRunning is how many tasks those run at once who ask for a number.
const mostRunning = 100

// riverArgs are those of a job.
type riverArgs struct {
	Number uint32 `json:"number"`
}

func (riverArgs) Kind() string { return "fire" }

// riverWorker runs jobs.
type riverWorker struct {
	river.WorkerDefaults[riverArgs]
	fire func(uint32)
}

func (w *riverWorker) Work(_ context.Context, job *river.Job[riverArgs]) error {
	w.fire(job.Args.Number)
	return nil
}

// openRiver opens River, and makes its tables where there are none.
func openRiver(ctx context.Context, at place, fire func(uint32)) (_ keeper, err error) {
	k := &riverKeeper{started: fire != nil}
	if k.pool, err = pgxpool.New(ctx, at.URL); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			k.pool.Close()
		}
	}()
	workers := river.NewWorkers()
	river.AddWorker(workers, &riverWorker{fire: fire})
	driver, logger := riverpgxv5.New(k.pool), slog.New(slog.DiscardHandler)
	if k.client, err = river.NewClient(driver, &river.Config{
		Queues: map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: mostRunning}}, Workers: workers, Logger: logger,
	}); err != nil {
		return nil, err
	}
	if k.started {
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

func (k *riverKeeper) Schedule(ctx context.Context, t timer) error {
	job := t.job()
	r, err := k.client.Insert(ctx, job.Args, job.InsertOpts)
	if err == nil {
		k.ids = append(k.ids, r.Job.ID)
	}
	return err
}

func (k *riverKeeper) Many(ctx context.Context, all []timer) error {
	jobs := make([]river.InsertManyParams, 0, len(all))
	for _, t := range all {
		jobs = append(jobs, t.job())
	}
	_, err := k.client.InsertManyFast(ctx, jobs)
	return err
}

// Cancel implements keeper: the job is deleted, as all others delete.
func (k *riverKeeper) Cancel(ctx context.Context, n int) error {
	_, err := k.client.JobDelete(ctx, k.ids[n])
	return err
}

func (k *riverKeeper) Close(ctx context.Context) (err error) {
	if k.started {
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		err = k.client.StopAndCancel(ctx)
		if errors.Is(err, context.DeadlineExceeded) {
			err = errors.New("River does not stop")
		}
	}
	k.pool.Close()
	return err
}
