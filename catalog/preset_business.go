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

// BusinessBound is the default limit to the jobs that are pending.
const BusinessBound = 1 << 22

// BusinessWheel is a delay wheel for the jobs of a business: Netty's wheel in one
// process, with a bound to what it takes, and a store in which jobs outlive the
// process. All rows of Netty's table hold for it, but for the bound, and these.
// Open makes one with jobs, Start a driver alone.
//
//	the original                            | the preset                               | shown by
//	----------------------------------------|------------------------------------------|------------------------------------------
//	Netty's wheel                           | the same                                 | TestBusinessWheelIsNettys
//	bounded queues: an addition waits while | departs: the bound is to all that pend,  | TestBusinessWheelAddWaitsForRoom
//	  they are full                         |   queued or not. JobWheel.Add waits      |
//	                                        | AfterFunc of a driver fails instead      | TestBusinessWheelDriverRefusesBeyondItsBound
//	a callback for each job cancelled       | Cancelled                                | TestBusinessWheelTellsOfCancelledJobs
//	triggerJobs: the jobs still to run      | JobWheel.TriggerJobs                     | TestBusinessWheelListsTheJobsToRun
//	shutdown writes the rest to a database  | JobWheel.Close                           | TestBusinessWheelStoresWhatDidNotRun
//	at start-up the overdue run at once     | Open, before it returns                  | TestBusinessWheelRunsTheOverdueAtOnce
//	the others go back on the wheel         | the same                                 | TestBusinessWheelPutsTheOthersBack
//	loaded jobs are marked: none runs twice | JobStore.Take                            | TestBusinessWheelRunsNoJobTwice
//	a job that panics is logged             | the same, at start-up too                | TestBusinessWheelSurvivesAPanic
//
// Not reproduced: the database. A JobStore stands for it.
type BusinessWheel struct {
	// Tick and Slots are those of Netty.
	Tick  time.Duration
	Slots int
	// Bound is how many jobs may be pending; 0 is BusinessBound.
	Bound int
	// Logger is that of Netty.
	Logger *slog.Logger

	// Run runs a job. Open needs it; the wheel runs one job after another.
	Run func(Job)
	// Cancelled, if not nil, is called for each job that JobWheel.Cancel takes
	// back, by its caller.
	Cancelled func(Job)
	// Store, if not nil, keeps the jobs from one wheel to the next.
	Store JobStore
}

// Start starts a driver without jobs, with the given options and those of the
// preset, which come last. The errors are those of roundswheel.New and
// driver.Start.
func (p BusinessWheel) Start(opts ...driver.Option) (*driver.Driver, error) {
	return p.netty().Start(append(slices.Clip(opts), driver.WithMaxPending(p.bound()))...)
}

func (p BusinessWheel) netty() Netty { return Netty{Tick: p.Tick, Slots: p.Slots, Logger: p.Logger} }

func (p BusinessWheel) bound() int { return cmp.Or(p.Bound, BusinessBound) }

func (p BusinessWheel) config() Config { return p.netty().config() }

// Job is something to be done at an instant of the wall clock, so that it can
// outlive a process.
type Job struct {
	// ID tells jobs apart.
	ID string
	// Due is when the job is to run, at the earliest.
	Due time.Time
	// Payload is what the job is about: the wheel does not look at it.
	Payload any
}

// JobStore keeps jobs while no process has them.
type JobStore interface {
	// Save keeps jobs. It must be done when it returns.
	Save(ctx context.Context, jobs []Job) error
	// Take hands out the jobs kept and marks them, so that it never hands out
	// one of them again unless it is saved again. A process that ends without
	// JobWheel.Close loses those that it has taken; none runs twice.
	Take(ctx context.Context) ([]Job, error)
}

// The errors of a JobWheel, beside those of its driver.
var (
	// ErrNoRun means that a BusinessWheel has no function that runs jobs.
	ErrNoRun = errors.New("no function to run jobs")
	// ErrKnownJob means that a job of this ID is pending already.
	ErrKnownJob = errors.New("job is pending already")
)

// JobWheel runs jobs when they are due, and keeps those that it did not run in
// a store. Its methods may be called from any goroutine, those of jobs too. Make
// one with BusinessWheel.Open; end it with Close.
type JobWheel struct {
	BusinessWheel
	d *driver.Driver

	mu      sync.Mutex // protects what follows
	pending map[string]*pendingJob
	freed   chan struct{} // closed when fewer may be pending; nil if nobody waits for that
}

type pendingJob struct {
	Job
	timer driver.Timer
}

// Open starts a wheel, takes the jobs out of the store, puts those that are not
// due on the wheel, and runs those that are, one after another in the order in
// which they were due. They count against the bound, but never wait for others to go.
//
// The errors are ErrNoRun and those of Start and of the store. If a job cannot be
// put on the wheel all that were taken are saved again.
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

// runNow runs a job without the wheel.
func (w *JobWheel) runNow(job Job) {
	defer func() {
		if value := recover(); value != nil {
			cmp.Or(w.Logger, slog.Default()).Error("job panicked", "job", job.ID, "value", value, "stack", string(debug.Stack()))
		}
	}()
	w.Run(job)
}

// Add puts a job on the wheel. While as many are pending as the bound allows it
// waits, until fewer are pending or ctx is done. A job that is due already runs with
// the next tick. The errors are those of ctx, ErrKnownJob and those of
// driver.AfterFunc.
func (w *JobWheel) Add(ctx context.Context, job Job) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.pending) >= w.bound() {
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
			return err
		}
	}
	return w.put(job)
}

// putAll puts jobs on the wheel, however many there are. None runs before the
// last is on the wheel.
func (w *JobWheel) putAll(jobs []Job) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, job := range jobs {
		if err := w.put(job); err != nil {
			clear(w.pending) // so that none runs that is saved again
			return fmt.Errorf("job %q: %w", job.ID, err)
		}
	}
	return nil
}

// put puts a job on the wheel. The caller holds mu.
func (w *JobWheel) put(job Job) (err error) {
	if w.pending[job.ID] != nil {
		return fmt.Errorf("%w: %q", ErrKnownJob, job.ID)
	}
	p := &pendingJob{Job: job}
	if p.timer, err = w.d.AfterFunc(time.Until(job.Due), func() { w.run(p) }); err == nil {
		w.pending[job.ID] = p
	}
	return err
}

// run runs a job that is due, unless Close has saved it.
func (w *JobWheel) run(p *pendingJob) {
	if w.forget(p) {
		w.Run(p.Job)
	}
}

// forget takes a job off the list, so that another may be added, and reports
// whether it was there.
func (w *JobWheel) forget(p *pendingJob) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.pending[p.ID] != p {
		return false
	}
	delete(w.pending, p.ID)
	w.wake()
	return true
}

// wake lets those try again who wait for others to go. The caller holds mu.
func (w *JobWheel) wake() {
	if w.freed != nil {
		close(w.freed)
		w.freed = nil
	}
}

// Cancel takes a job back and reports whether it did so. True means that the job
// has not begun and never will; Cancelled has been called for it.
func (w *JobWheel) Cancel(id string) bool {
	w.mu.Lock()
	p := w.pending[id]
	w.mu.Unlock()
	if p == nil || !p.timer.Stop() {
		return false
	}
	w.forget(p)
	if w.Cancelled != nil {
		w.Cancelled(p.Job)
	}
	return true
}

// TriggerJobs returns the jobs that are still to run, in the order in which they
// are due.
func (w *JobWheel) TriggerJobs() []Job {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.jobs()
}

// jobs returns the pending jobs in order. The caller holds mu.
func (w *JobWheel) jobs() []Job {
	jobs := make([]Job, 0, len(w.pending))
	for _, p := range w.pending {
		jobs = append(jobs, p.Job)
	}
	slices.SortFunc(jobs, func(a, b Job) int { return cmp.Or(a.Due.Compare(b.Due), cmp.Compare(a.ID, b.ID)) })
	return jobs
}

// Close ends the wheel: no further job begins. It waits for the one that runs, as
// driver.Close does, saves those that have not begun in the store, and returns
// them. They are saved even if ctx is done by then. The error is that of the
// store, or that of driver.Close; a second Close returns driver.ErrClosed.
func (w *JobWheel) Close(ctx context.Context) ([]Job, error) {
	_, err := w.d.Close(ctx)
	if errors.Is(err, driver.ErrClosed) {
		return nil, err
	}
	w.mu.Lock()
	jobs := w.jobs()
	clear(w.pending) // of a job that is about to run too: it is saved instead
	w.wake()
	w.mu.Unlock()
	if w.Store != nil && len(jobs) > 0 {
		if failed := w.Store.Save(context.WithoutCancel(ctx), jobs); failed != nil {
			err = errors.Join(fmt.Errorf("jobs not saved: %w", failed), err)
		}
	}
	return jobs, err
}
