package durable

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"sync"

	"schedbench/catalog"
)

// Jobs keeps the jobs of a business wheel, with payloads of type T as JSON, as timers of a kind that has no handler. It is a
// catalog.JobKeeper: a process that is killed loses no job, and runs none again that it took back. One wheel at a time may have it.
type Jobs[T any] struct {
	timers *Timers
	kind   string
	taken  sync.Map // by ID: whether the wheel has the job
}

// NewJobs returns the jobs of a kind.
func NewJobs[T any](timers *Timers, kind string) *Jobs[T] {
	return &Jobs[T]{timers: timers, kind: kind}
}

// Keep implements catalog.JobKeeper.
func (j *Jobs[T]) Keep(ctx context.Context, job catalog.Job) error { return j.keep(ctx, true, job) }

// Save implements catalog.JobStore.
func (j *Jobs[T]) Save(ctx context.Context, jobs []catalog.Job) error {
	return j.keep(ctx, false, jobs...)
}

func (j *Jobs[T]) keep(ctx context.Context, taken bool, jobs ...catalog.Job) error {
	timers := make([]New, len(jobs))
	for i, job := range jobs {
		if _, is := job.Payload.(T); !is {
			return fmt.Errorf("%w: job %q has a payload of %T, want %T", ErrPayload, job.ID, job.Payload, *new(T))
		}
		payload, err := json.Marshal(job.Payload)
		if err := cmp.Or(err, checkID(job.ID)); err != nil { // an empty ID would be made up
			return fmt.Errorf("job %q: %w", job.ID, err)
		}
		timers[i] = New{Kind: j.kind, ID: job.ID, At: job.Due, Payload: payload, Replace: true}
	}
	_, err := j.timers.ScheduleBatch(ctx, timers)
	for i := 0; i < len(jobs) && err == nil; i++ {
		j.taken.Store(jobs[i].ID, taken)
	}
	return err
}

// Drop implements catalog.JobKeeper.
func (j *Jobs[T]) Drop(ctx context.Context, id string) error {
	_, err := j.timers.Cancel(ctx, id)
	if err == nil {
		j.taken.Delete(id)
	}
	return err
}

// Take implements catalog.JobStore.
func (j *Jobs[T]) Take(ctx context.Context) (jobs []catalog.Job, err error) {
	timers, _, err := j.timers.List(ctx, Filter{Kind: j.kind, Limit: math.MaxInt})
	for _, timer := range timers {
		var payload T
		if err := json.Unmarshal(timer.Payload, &payload); err != nil {
			return nil, fmt.Errorf("payload of job %q: %w", timer.ID, err)
		}
		if taken, _ := j.taken.Load(timer.ID); taken != true {
			jobs = append(jobs, catalog.Job{ID: timer.ID, Due: timer.At, Payload: payload})
		}
	}
	for _, job := range jobs {
		j.taken.Store(job.ID, true)
	}
	return jobs, err
}
