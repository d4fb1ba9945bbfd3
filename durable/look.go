package durable

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"
)

// Get returns a timer that is kept. The errors are ErrID and ErrNotFound.
func (t *Timers) Get(ctx context.Context, id string) (Timer, error) {
	if err := checkID(id); err != nil {
		return Timer{}, err
	}
	got, _, err := t.page(ctx, Page{}, t.sql.get, id)
	if len(got) == 0 {
		return Timer{}, cmp.Or(err, fmt.Errorf("%w: %q", ErrNotFound, id))
	}
	return got[0], nil
}

// Filter says which timers List returns. The zero value of a field is its default.
type Filter struct {
	Kind     string
	From, To time.Time // bound the planned instants; To is excluded. The default is all
	After    Page      // where the last page ended
	Limit    int       // how many are returned at most: 100 by default
}

// Page is where a page of a list ended.
type Page struct {
	at, token int64
	id        string
}

// List returns timers of a kind, and the page to go on from: first those more than 16 minutes ahead, by slot and ID, then the
// others by instant. The last page has fewer than Limit. It costs what it returns and passes over. A timer that moves meanwhile
// may come twice, or not at all. The error is ErrKind.
func (t *Timers) List(ctx context.Context, f Filter) (timers []Timer, last Page, err error) {
	if err := checkKind(f.Kind); err != nil {
		return nil, f.After, err
	}
	from, to := nanoseconds(f.From), nanoseconds(f.To)
	if f.From.IsZero() {
		from = math.MinInt64 // a damaged byte may put a deadline before 1970
	}
	if f.To.IsZero() {
		to = math.MaxInt64
	}
	if f.After == (Page{}) {
		f.After.at = math.MinInt64
	}
	return t.page(ctx, f.After, t.sql.list, f.Kind, from, to, f.After.at, f.After.id, int64(cmp.Or(f.Limit, 100)))
}

// page returns the timers of a step that only reads, and where they end.
func (t *Timers) page(ctx context.Context, after Page, text string, args ...any) (timers []Timer, last Page, err error) {
	o := step(text, args...)
	if err := t.store.do(ctx, o); err != nil {
		return nil, after, err
	}
	for _, r := range o.rows {
		timer := Timer{Task: r.Task, State: r.state, Reason: r.reason}
		if r.state == Dead {
			timer.Died = time.Unix(0, r.fire)
		}
		timers, after = append(timers, timer), Page{r.fire, r.Token, r.ID}
	}
	return timers, after, nil
}

// Count returns how many timers are kept, of all kinds. It reads all of an index.
func (t *Timers) Count(ctx context.Context) (int, error) {
	got, _, err := t.page(ctx, Page{}, t.sql.count)
	return int(append(got, Timer{})[0].Token), err
}

// Dead returns up to limit dead timers, the oldest first, and the page to go on from.
func (t *Timers) Dead(ctx context.Context, after Page, limit int) (dead []Timer, last Page, err error) {
	return t.page(ctx, after, t.sql.listDead, after.at, after.token, int64(limit))
}

// Requeue has a dead timer run again, at once, with a new token and no failures. The error is ErrNotFound if no dead timer has the
// token, or another timer has its ID by now.
func (t *Timers) Requeue(ctx context.Context, token int64) error {
	now, to := t.now(), rand.Int64()
	o := step(t.sql.requeue, to, now, token)
	if err := t.change(ctx, now, o, step(t.sql.forget, token, to)); err != nil || o.n > 0 {
		return err
	}
	return fmt.Errorf("%w: no dead one with token %d whose ID is free", ErrNotFound, token)
}

// Health is what this process does, since Open. expvar publishes it with
// expvar.Publish("timers", expvar.Func(func() any { return timers.Health() })).
type Health struct {
	Near, Due, Running              int           // timers that are leased, those of them that wait to begin, and that have begun
	Begun, Completed, Retried, Dead uint64        // tasks
	Late, Latest                    time.Duration // how late the last task began, and the latest
	Trouble                         error         // the last one of the database, nil once it answers a worker again
}

// Health returns the figures of now.
func (t *Timers) Health() Health {
	t.mu.Lock()
	defer t.mu.Unlock()
	h := t.health
	h.Near, h.Running = len(t.held), t.running
	for _, k := range t.kinds {
		h.Due += len(k.due)
	}
	return h
}

// troubled notes an error of the database, or that there is none, logs one that is new, and returns how long to wait after so many.
func (t *Timers) troubled(what string, count *int, err error) (wait time.Duration) {
	t.mu.Lock()
	old := t.health.Trouble
	if err == nil || t.work.Err() == nil { // Close ends what is under way
		t.health.Trouble = err
	}
	t.mu.Unlock()
	if *count++; err == nil || t.work.Err() != nil {
		*count = 0
	} else if old == nil || old.Error() != err.Error() {
		t.opts.Logger.Error(what, "err", err)
	}
	return min(50*time.Millisecond<<min(*count, 10), 5*time.Second)
}
