package catalog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"schedbench/driver"
)

// The errors of a JobWheel, beside those of its driver.
var (
	// ErrNoRun means that a BusinessWheel has no function that runs jobs.
	ErrNoRun = errors.New("no function to run jobs")
	// ErrKnownJob means that a job of this ID is pending already.
	ErrKnownJob = errors.New("job is pending already")
)

// JobWheel runs jobs when they are due, and saves the others in a store. Any goroutine may call its methods, also a job.
type JobWheel struct {
	BusinessWheel
	d      *driver.Driver
	keeper JobKeeper      // the store, if it is one
	calls  sync.WaitGroup // calls that the store has not answered; begun under mu while closed is false

	mu      sync.Mutex // protects what follows
	pending map[string]*pendingJob
	freed   chan struct{} // closed when a job leaves pending; nil if no caller waits for that
	closed  bool
}

// pendingJob is a job whose ID is taken. With a JobKeeper it may be coming or leaving, and then not on the wheel.
type pendingJob struct {
	Job
	timer driver.Timer
	state jobState
	// replaced says that a job of the same ID ended while this one was coming. If this one fails it drops that record.
	replaced bool
}

type jobState uint8

const (
	onWheel    jobState = iota
	jobComing           // being kept
	jobLeaving          // being dropped
)

// Open starts a wheel and takes the jobs out of the store. It puts those that are not due on the wheel, and runs the due
// ones in the order of their due times. All of them count against the bound, but never wait for room. The errors are
// ErrNoRun and those of Start and of the store. If a job cannot be put on the wheel, Open saves all again.
func (p BusinessWheel) Open(ctx context.Context, opts ...driver.Option) (*JobWheel, error) {
	if p.Run == nil {
		return nil, ErrNoRun
	}
	var jobs []Job
	d, err := p.netty().Start(opts...)
	if err == nil && p.Store != nil {
		if jobs, err = p.Store.Take(ctx); err != nil {
			d.Close(ctx)
			err = fmt.Errorf("jobs not loaded: %w", err)
		}
	}
	if err != nil {
		return nil, err
	}
	w := &JobWheel{BusinessWheel: p, d: d, pending: map[string]*pendingJob{}}
	w.keeper, _ = p.Store.(JobKeeper)
	slices.SortStableFunc(jobs, func(a, b Job) int { return a.Due.Compare(b.Due) })
	now := time.Now()
	later, _ := slices.BinarySearchFunc(jobs, now, func(j Job, now time.Time) int {
		return cmp.Or(j.Due.Compare(now), -1) // one that is due now is before
	})
	if err := w.putAll(jobs[later:]); err != nil {
		w.d.Close(ctx)
		return nil, errors.Join(err, p.Store.Save(context.WithoutCancel(ctx), jobs))
	}
	for _, job := range jobs[:later] {
		w.runNow(job)
	}
	return w, nil
}

func (w *JobWheel) runNow(job Job) {
	defer func() {
		if value := recover(); value != nil {
			w.logger().Error("job panicked", "job", job.ID, "value", value, "stack", string(debug.Stack()))
		}
	}()
	defer w.ended(job)
	w.Run(job)
}

func (w *JobWheel) logger() *slog.Logger { return cmp.Or(w.Logger, slog.Default()) }

// leaves reports whether a job of this ID is being dropped. The caller holds mu.
func (w *JobWheel) leaves(id string) bool {
	p := w.pending[id]
	return p != nil && p.state == jobLeaving
}

// putAll puts jobs on the wheel, however many there are. None runs before the last is on the wheel.
func (w *JobWheel) putAll(jobs []Job) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, job := range jobs {
		if err := w.put(job); err != nil {
			clear(w.pending) // a job that is saved again must not run
			return fmt.Errorf("job %q: %w", job.ID, err)
		}
	}
	return nil
}

// put puts a job on the wheel. The caller holds mu.
func (w *JobWheel) put(job Job) error {
	if w.pending[job.ID] != nil {
		return knownJob(job)
	}
	p := &pendingJob{Job: job}
	err := w.arm(p)
	if err == nil {
		w.pending[job.ID] = p
	}
	return err
}

// start puts a job on the wheel that has come.
func (w *JobWheel) start(p *pendingJob) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.arm(p)
}

// arm starts the timer of a job. The caller holds mu.
func (w *JobWheel) arm(p *pendingJob) (err error) {
	if p.timer, err = w.d.AfterFunc(time.Until(p.Due), func() { w.run(p) }); err == nil {
		p.state = onWheel
	}
	return err
}

// run runs a job that is due, unless Close has saved it. After the wall clock was set back a loaded job waits again.
func (w *JobWheel) run(p *pendingJob) {
	if time.Until(p.Due) > 0 && w.start(p) == nil {
		return
	}
	if w.forget(p, onWheel) {
		defer w.ended(p.Job)
		w.Run(p.Job)
	}
}

// forget takes a job in a state off the list, which frees its ID, and reports whether it was there.
func (w *JobWheel) forget(p *pendingJob, state jobState) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.pending[p.ID] != p || p.state != state {
		return false
	}
	delete(w.pending, p.ID)
	w.wake()
	return true
}

// wake wakes the callers that wait for room or for an ID. The caller holds mu.
func (w *JobWheel) wake() {
	if w.freed != nil {
		close(w.freed)
		w.freed = nil
	}
}

// TriggerJobs returns the jobs that are still to run, in the order of their due times.
func (w *JobWheel) TriggerJobs() []Job {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.jobs()
}

// jobs returns the pending jobs in order. The caller holds mu.
func (w *JobWheel) jobs() []Job {
	jobs := make([]Job, 0, len(w.pending))
	for _, p := range w.pending {
		if p.state == onWheel {
			jobs = append(jobs, p.Job)
		}
	}
	slices.SortFunc(jobs, func(a, b Job) int { return cmp.Or(a.Due.Compare(b.Due), cmp.Compare(a.ID, b.ID)) })
	return jobs
}

// Close ends the wheel: no further job begins. It waits for the running job, as driver.Close does, and for the keeper.
// It saves the jobs that have not begun, even if ctx is done by then, and returns them. The error is that of the store
// or of driver.Close; a second Close returns driver.ErrClosed. A job that calls Close must pass a ctx that ends.
func (w *JobWheel) Close(ctx context.Context) ([]Job, error) {
	w.mu.Lock()
	w.closed = true
	w.wake()
	w.mu.Unlock()
	_, err := w.d.Close(ctx)
	if errors.Is(err, driver.ErrClosed) {
		return nil, err
	}
	w.calls.Wait()
	w.mu.Lock()
	jobs := w.jobs()
	clear(w.pending) // of a job that is about to run too: it is saved instead
	w.mu.Unlock()
	if w.Store != nil && len(jobs) > 0 {
		if failed := w.Store.Save(context.WithoutCancel(ctx), jobs); failed != nil {
			err = errors.Join(fmt.Errorf("jobs not saved: %w", failed), err)
		}
	}
	return jobs, err
}
