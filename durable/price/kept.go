package price

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"time"

	"schedbench/durable"
	"schedbench/live"
)

// kept keeps timers by package durable.
type kept struct {
	t        *durable.Timers
	receipts []*durable.Receipt // of what is handed over
	names    []durable.ID

	mu    sync.Mutex
	tasks []func() // of timers that fire here, by the number in their payload
}

// streamName is that of the stream in which the timers are.
const streamName = "timers"

// fireKind is the kind of the tasks.
const fireKind = "fire"

// openDurable opens the timers of a job.
func openDurable(j job) (*kept, error) {
	k := &kept{}
	o := durable.Options{
		Name: streamName, Dir: j.Dir, URL: j.URL, Lead: j.Lead, EngineAlone: j.Keeper.Impl == Engine,
	}
	if j.URL != "" {
		o.Dir, o.Replicas = "", j.Keeper.Servers
	}
	if j.Keeper.Sync == SyncAlways {
		o.Sync = durable.SyncAlways()
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var err error
	if k.t, err = durable.Open(ctx, o); err != nil {
		return nil, err
	}
	return k, k.t.Register(fireKind, k.fire)
}

// fire runs the task whose number is in a payload.
func (k *kept) fire(_ context.Context, t durable.Task) error {
	number := int(binary.BigEndian.Uint32(t.Payload))
	k.mu.Lock()
	if number >= len(k.tasks) {
		k.mu.Unlock()
		return fmt.Errorf("task %d of %d", number, len(k.tasks))
	}
	task := k.tasks[number]
	k.mu.Unlock()
	task()
	return nil
}

// numbered returns the payload of a task, as long as that of any other.
func numbered(n int) []byte {
	text := make([]byte, len(payload))
	binary.BigEndian.PutUint32(text, uint32(n))
	return text
}

// post hands a timer over.
func (k *kept) post(at time.Time, payload []byte) (*durable.Receipt, error) {
	r, err := k.t.ScheduleAsync(at, fireKind, payload)
	if err == nil {
		k.receipts = append(k.receipts, r)
		if len(k.receipts) >= 2*mostUnacked { // by now the first half of them has arrived
			err = k.settle(mostUnacked)
		}
	}
	return r, err
}

// settle waits for the first n receipts.
func (k *kept) settle(n int) error {
	for _, r := range k.receipts[:n] {
		if _, err := r.Wait(context.Background()); err != nil {
			return err
		}
	}
	k.receipts = append(k.receipts[:0], k.receipts[n:]...)
	return nil
}

// Hold implements keeping.
func (k *kept) Hold(at time.Time) error {
	_, err := k.post(at, payload)
	return err
}

// Post implements keeping.
func (k *kept) Post(at time.Time) error {
	r, err := k.post(at, payload)
	if err == nil {
		k.names = append(k.names, r.ID())
	}
	return err
}

// Flush implements keeping.
func (k *kept) Flush() error { return k.settle(len(k.receipts)) }

// Schedule implements keeping.
func (k *kept) Schedule(at time.Time) error {
	id, err := k.t.Schedule(context.Background(), at, fireKind, payload)
	k.names = append(k.names, id)
	return err
}

// Cancel implements keeping.
func (k *kept) Cancel(name int) error {
	was, err := k.t.Cancel(context.Background(), k.names[name])
	if err == nil && !was {
		err = errNotPending
	}
	return err
}

// Held implements keeping.
func (k *kept) Held() (int, error) { return k.t.Count(context.Background()) }

// Timers implements keeping.
func (k *kept) Timers() live.Timers { return k }

// AfterFunc implements live.Timers: the timer is handed over, and not waited for.
func (k *kept) AfterFunc(delay time.Duration, task func()) (live.Timer, error) {
	k.mu.Lock()
	k.tasks = append(k.tasks, task)
	n := len(k.tasks) - 1
	k.mu.Unlock()
	_, err := k.post(time.Now().Add(delay), numbered(n))
	return nil, err
}

// Close implements keeping and live.Timers.
func (k *kept) Close() error { return errors.Join(k.Flush(), k.t.Close(context.Background())) }
