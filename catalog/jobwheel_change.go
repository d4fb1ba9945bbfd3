package catalog

import (
	"context"
	"errors"
	"fmt"

	"schedbench/driver"
)

// Add puts a job on the wheel. While the bound is reached, it waits for room or the end of ctx. A job that is due runs with
// the next tick. With a JobKeeper the job is kept when Add returns nil. A job may add itself again; a process that is
// killed then has the new one only. The errors are ErrKnownJob and those of ctx, driver.AfterFunc and the keeper. After an
// error the job does not run, nor after a restart, unless the keeper fails to drop it too.
func (w *JobWheel) Add(ctx context.Context, job Job) error {
	p, err := w.admit(ctx, job)
	if err != nil || w.keeper == nil {
		return err
	}
	defer w.calls.Done()
	kept := false
	if err = w.keeper.Keep(ctx, job); err == nil {
		if err = w.start(p); err == nil {
			return nil
		}
		kept = true
	}
	if w.refused(p, kept) {
		err = errors.Join(err, w.keeper.Drop(context.WithoutCancel(ctx), job.ID))
		w.forget(p, jobLeaving)
	}
	return err
}

// refused takes a job off the list that did not come. If its ID has a record, it marks the job as leaving instead.
func (w *JobWheel) refused(p *pendingJob, kept bool) (drop bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if kept || p.replaced {
		p.state = jobLeaving
		return true
	}
	delete(w.pending, p.ID)
	w.wake()
	return false
}

// admit waits until the ID is free and there is room, and takes both; with a keeper for a job that is coming.
func (w *JobWheel) admit(ctx context.Context, job Job) (*pendingJob, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.closed || len(w.pending) >= w.bound() || w.leaves(job.ID) {
		if w.closed {
			return nil, driver.ErrClosed
		}
		if w.freed == nil {
			w.freed = make(chan struct{})
		}
		freed := w.freed
		w.mu.Unlock()
		select {
		case <-freed:
		case <-ctx.Done():
		}
		w.mu.Lock()
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	if w.keeper == nil {
		return nil, w.put(job)
	}
	if w.pending[job.ID] != nil {
		return nil, knownJob(job)
	}
	p := &pendingJob{Job: job, state: jobComing}
	w.pending[job.ID] = p
	w.calls.Add(1)
	return p, nil
}

func knownJob(job Job) error { return fmt.Errorf("%w: %q", ErrKnownJob, job.ID) }

// Cancel takes a job back and reports whether it did so: then Cancelled has been called, and the job never begins, not even
// after a restart. False means that there is no such job, that it has begun, or that the keeper failed to drop it. That
// failure is logged, and the job is on the wheel again.
func (w *JobWheel) Cancel(id string) bool {
	p := w.stop(id)
	if p == nil {
		return false
	}
	if w.keeper != nil {
		dropped := w.drop(p)
		if !dropped {
			w.resume(p)
		}
		w.calls.Done()
		if !dropped {
			return false
		}
	}
	w.forget(p, jobLeaving)
	if w.Cancelled != nil {
		w.Cancelled(p.Job)
	}
	return true
}

// stop stops the timer of a job on the wheel and marks the job as leaving.
func (w *JobWheel) stop(id string) *pendingJob {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.pending[id]
	if p == nil || p.state != onWheel || w.closed || !p.timer.Stop() {
		return nil
	}
	p.state = jobLeaving
	if w.keeper != nil {
		w.calls.Add(1)
	}
	return p
}

// resume puts a job back on the wheel. On a wheel that is being closed the job is only pending again.
func (w *JobWheel) resume(p *pendingJob) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.arm(p) != nil {
		p.state = onWheel
	}
	w.wake() // who waits for the ID learns that it is taken
}

// ended drops a job that has run or panicked. If a job of the same ID is pending, the record is that one's, or will be.
func (w *JobWheel) ended(job Job) {
	if w.keeper == nil {
		return
	}
	w.mu.Lock()
	other := w.pending[job.ID]
	p := &pendingJob{Job: job, state: jobLeaving}
	if other == nil {
		w.pending[job.ID] = p
	} else {
		other.replaced = true
	}
	w.mu.Unlock()
	if other == nil {
		w.drop(p)
		w.forget(p, jobLeaving)
	}
}

func (w *JobWheel) drop(p *pendingJob) bool {
	err := w.keeper.Drop(context.Background(), p.ID)
	if err != nil {
		w.logger().Error("job not dropped", "job", p.ID, "err", err)
	}
	return err == nil
}
