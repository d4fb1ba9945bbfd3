// Package jobfile keeps the jobs of a catalog.BusinessWheel in a file, so that they survive the
// process that added them, an orderly shutdown or not.
//
//	store, err := jobfile.Open[Order]("orders.jobs", jobfile.Options{})
//	wheel, err := catalog.BusinessWheel{Store: store, Run: closeOrder}.Open(ctx)
//	err = wheel.Add(ctx, catalog.Job{ID: "order-17", Due: due, Payload: Order{17}})
//	jobs, err := wheel.Close(ctx)
//	err = store.Close()
//
// The file is a bbolt database with one record for each job. One process at a time has it open: the
// operating system locks it and takes the lock away when the process ends, however it does. So
// the mark on jobs that a wheel has taken need not be written down: it is the lock.
//
// # Guarantees
//
//   - A job whose Add has returned nil runs, unless it is cancelled: at least once, also if the
//     process is killed, and with Options.NoSync unset also if the machine loses power.
//   - A job that Cancel has taken back does not run, in no later process either.
//   - No job runs before it is due, by the clock on the wall.
//   - After an orderly shutdown nothing runs again that has run. When a process is killed, those
//     jobs run again that had begun and were not yet dropped: one on the wheel, and one that was
//     overdue while Open was running.
//
// # Costs
//
// Add, Cancel and the end of each run wait for one write, and the disk's acknowledgement unless
// NoSync is set; calls of several goroutines share it. The wheel runs one job after the other, so that it
// runs no more jobs a second than the disk acknowledges writes. Open reads all records, and the
// store has a map entry for each job, beside those that the wheel has. The file does not shrink;
// what was freed in it is used again.
package jobfile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"schedbench/catalog"
)

// The errors of this package, beside those of the file system and of bbolt. They come wrapped: test
// with errors.Is.
var (
	// ErrInUse means that another process has the file open, or another Store of this one.
	ErrInUse = errors.New("file of jobs is in use")
	// ErrPayload means that a job's payload is not of the type that the store keeps, or that it
	// cannot be written as JSON, or read from it.
	ErrPayload = errors.New("bad payload of a job")
)

// Options say how a file is opened and written. The zero value of each field is its default.
type Options struct {
	// Wait is how long Open waits for another process to give up the file. The default is not to wait.
	Wait time.Duration
	// NoSync leaves it to the operating system when to write to disk. A killed process loses nothing all the
	// same, but if the machine loses power the file may be unreadable afterwards.
	NoSync bool
}

// batchDelay is how long a write waits for others to share the disk's acknowledgement with: little
// beside what that takes.
const batchDelay = 500 * time.Microsecond

// locking is how often bbolt tries to get the lock: an Open that is not to wait tries once.
const locking = time.Millisecond

var bucket = []byte("jobs")

// Store is a catalog.JobKeeper on a file, for jobs whose payload is a P, or nil. P is written as JSON, and so are
// its fields: the unexported ones are not kept. Its methods may be called from any goroutine. Make
// one with Open; end it with Close, after the wheel.
type Store[P any] struct {
	db *bbolt.DB

	mu sync.Mutex
	// held are the IDs of jobs that a wheel of this process has.
	held map[string]struct{}
}

var _ catalog.JobKeeper = (*Store[any])(nil)

// record is a job in the file, under its ID.
type record struct {
	Due     time.Time       `json:"due"`
	Payload json.RawMessage `json:"payload,omitempty"`
}

// Open opens the file at path, and makes it if it is not there; its folder has to be. The errors are
// ErrInUse and those of bbolt and of the file system.
func Open[P any](path string, o Options) (*Store[P], error) {
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{
		Timeout: max(o.Wait, locking), NoSync: o.NoSync, FreelistType: bbolt.FreelistMapType,
	})
	if errors.Is(err, berrors.ErrTimeout) {
		err = ErrInUse
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	db.MaxBatchDelay = batchDelay
	err = db.Update(func(tx *bbolt.Tx) error {
		_, err := tx.CreateBucketIfNotExists(bucket)
		return err
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), db.Close())
	}
	return &Store[P]{db: db, held: map[string]struct{}{}}, nil
}

// Close gives up the file. A wheel that is not closed yet loses nothing, but can add nothing.
func (s *Store[P]) Close() error { return s.db.Close() }

// Len returns how many jobs are kept. The cost is a walk over the pages of the file.
func (s *Store[P]) Len() (n int) {
	s.db.View(func(tx *bbolt.Tx) error {
		n = tx.Bucket(bucket).Stats().KeyN
		return nil
	})
	return n
}

// Keep is that of catalog.JobKeeper.
func (s *Store[P]) Keep(ctx context.Context, job catalog.Job) error {
	value, err := s.encode(job)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	first := s.hold(job.ID) // before it can be found
	if err = s.change(func(b *bbolt.Bucket) error { return b.Put([]byte(job.ID), value) }); err != nil && first {
		s.release(job.ID)
	}
	return err
}

// Drop is that of catalog.JobKeeper.
func (s *Store[P]) Drop(ctx context.Context, id string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	err := s.change(func(b *bbolt.Bucket) error { return b.Delete([]byte(id)) })
	if err == nil {
		s.release(id)
	}
	return err
}

// Save is that of catalog.JobStore: one write for all.
func (s *Store[P]) Save(ctx context.Context, jobs []catalog.Job) error {
	values := make([][]byte, len(jobs))
	for i, job := range jobs {
		var err error
		if values[i], err = s.encode(job); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	err := s.db.Update(func(tx *bbolt.Tx) error {
		b := tx.Bucket(bucket)
		for i, job := range jobs {
			if err := b.Put([]byte(job.ID), values[i]); err != nil {
				return fmt.Errorf("job %q: %w", job.ID, err)
			}
		}
		return nil
	})
	if err == nil {
		for _, job := range jobs {
			s.release(job.ID)
		}
	}
	return err
}

// Take is that of catalog.JobStore. The mark on what it hands out lasts until Close, or until the
// process ends.
func (s *Store[P]) Take(ctx context.Context) (jobs []catalog.Job, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	err = s.db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket(bucket).ForEach(func(id, value []byte) error {
			if _, held := s.held[string(id)]; held {
				return nil
			}
			job, err := s.decode(string(id), value)
			jobs = append(jobs, job)
			return errors.Join(err, ctx.Err())
		})
	})
	if err != nil {
		return nil, err
	}
	for _, job := range jobs {
		s.held[job.ID] = struct{}{}
	}
	return jobs, nil
}

// change makes a small change, together with those of other goroutines if the disk is waited for.
func (s *Store[P]) change(f func(*bbolt.Bucket) error) error {
	do := s.db.Batch
	if s.db.NoSync {
		do = s.db.Update
	}
	return do(func(tx *bbolt.Tx) error { return f(tx.Bucket(bucket)) })
}

// hold marks a job and reports whether it was not marked before.
func (s *Store[P]) hold(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := len(s.held)
	s.held[id] = struct{}{}
	return len(s.held) > before
}

func (s *Store[P]) release(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.held, id)
}

func (s *Store[P]) encode(job catalog.Job) ([]byte, error) {
	r := record{Due: job.Due.Round(0)}
	if job.Payload != nil {
		payload, ok := job.Payload.(P)
		if !ok {
			return nil, fmt.Errorf("%w: job %q has a %T, want a %T", ErrPayload, job.ID, job.Payload, *new(P))
		}
		var err error
		if r.Payload, err = json.Marshal(payload); err != nil {
			return nil, fmt.Errorf("%w: job %q: %w", ErrPayload, job.ID, err)
		}
	}
	value, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("job %q: %w", job.ID, err) // due in a year that cannot be written
	}
	return value, nil
}

func (s *Store[P]) decode(id string, value []byte) (catalog.Job, error) {
	job := catalog.Job{ID: id}
	var r record
	if err := json.Unmarshal(value, &r); err != nil {
		return job, fmt.Errorf("job %q: %w", id, err)
	}
	job.Due = r.Due
	if r.Payload != nil {
		var payload P
		if err := json.Unmarshal(r.Payload, &payload); err != nil {
			return job, fmt.Errorf("%w: job %q: %w", ErrPayload, id, err)
		}
		job.Payload = payload
	}
	return job, nil
}
