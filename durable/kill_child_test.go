package durable_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"schedbench/durable"
)

// The tests that kill start this test's own program again, as a child that does what the environment
// says. What it has seen it writes to a journal, a line at once, which outlives it: what is written
// is in the hands of the system.
const (
	childDir   = "DURABLE_TEST_DIR"   // where the child keeps timers and journal
	childURL   = "DURABLE_TEST_URL"   // or the server that has them
	childDrain = "DURABLE_TEST_DRAIN" // nothing new: end in order once nothing is pending
	childFull  = "DURABLE_TEST_FULL"  // fill the folder, instead of all that
	childShare = "DURABLE_TEST_SHARE" // 0 or 1: the half of the timers that this child changes; else all
)

func TestMain(m *testing.M) {
	if os.Getenv(childDir) != "" {
		act := child
		if os.Getenv(childFull) != "" {
			act = fullDisk
		}
		if err := act(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// A line of the journal is one of these, an ID and an instant in nanoseconds.
const (
	opened     = "open"
	trying     = "try"       // to schedule
	scheduled  = "scheduled" // acknowledged
	cancelling = "cancelling"
	cancelled  = "cancelled" // acknowledged
	refused    = "refused"   // acknowledged that it was not
	moving     = "moving"
	moved      = "moved" // acknowledged
	began      = "began"
	ended      = "ended" // without an error
)

// lineEnd shows that a line is whole: a process may be killed in the midst of writing one.
const lineEnd = "."

// journal is where the child writes.
type journal struct{ f *os.File }

func openJournal(dir string) (journal, error) {
	f, err := os.OpenFile(filepath.Join(dir, "journal"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	return journal{f}, err
}

func (j journal) note(what string, id durable.ID, at time.Time) {
	if _, err := fmt.Fprintf(j.f, "\n%s %s %d %d %s", what, id, at.UnixNano(), time.Now().UnixNano(), lineEnd); err != nil {
		panic(err)
	}
}

// entry is a line of the journal.
type entry struct {
	what     string
	id       durable.ID
	at, when int64
}

func readJournal(dir string) ([]entry, error) {
	f, err := os.Open(filepath.Join(dir, "journal"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []entry
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) != 5 || words[4] != lineEnd {
			continue
		}
		at, err1 := strconv.ParseInt(words[2], 10, 64)
		when, err2 := strconv.ParseInt(words[3], 10, 64)
		if err := errors.Join(err1, err2); err != nil {
			return nil, err
		}
		all = append(all, entry{words[0], durable.ID(words[1]), at, when})
	}
	return all, lines.Err()
}

const (
	childWorkers = 16 // tasks at once, in each child
	changers     = 8  // that cancel and move timers at once, in all children
)

// child opens the timers, runs what is due, and schedules, cancels and moves until it is killed.
func child() error {
	dir := os.Getenv(childDir)
	j, err := openJournal(dir)
	if err != nil {
		return err
	}
	before, err := readJournal(dir)
	if err != nil {
		return err
	}
	ctx := context.Background()
	o := durable.Options{
		Lead: 300 * time.Millisecond, Redelivery: time.Second, Concurrency: childWorkers, Attempts: 1000,
		Backoff: func(int) time.Duration { return 200 * time.Millisecond },
		OnError: func(err error) {
			if !strings.Contains(err.Error(), onPurpose) {
				fmt.Fprintln(os.Stderr, err)
			}
		},
	}
	if o.URL = os.Getenv(childURL); o.URL == "" {
		o.Dir = filepath.Join(dir, "timers")
		o.Redelivery = time.Hour // which nothing waits for where there are no others
	}
	timers, err := durable.Open(ctx, o)
	if err != nil {
		return err
	}
	c := &busy{j: j, timers: timers}
	for _, e := range before {
		if e.what == scheduled {
			c.ids = append(c.ids, e.id)
		}
	}
	if err := timers.Register("task", c.run); err != nil {
		return err
	}
	j.note(opened, "-", time.Now())
	if os.Getenv(childDrain) == "" {
		for range 4 {
			go c.schedule(ctx)
		}
		share := os.Getenv(childShare)
		for part := range byte(changers) {
			if share == "" || share == strconv.Itoa(int(part%2)) {
				go c.change(ctx, part)
			}
		}
		select {} // until it is killed
	}
	if err := c.drain(ctx); err != nil {
		return err
	}
	return timers.Close(ctx)
}

// busy is what a child does.
type busy struct {
	j      journal
	timers *durable.Timers
	mu     sync.Mutex
	ids    []durable.ID
}

const onPurpose = "on purpose"

// run is the handler: some tasks fail at first, in one way or another.
func (c *busy) run(_ context.Context, task durable.Task) error {
	c.j.note(began, task.ID, task.At)
	fate := string(task.Payload)
	time.Sleep(time.Duration(rand.IntN(3)) * time.Millisecond)
	if task.Attempt == 1 {
		switch fate {
		case "fails":
			return errors.New(onPurpose)
		case "panics":
			panic(onPurpose)
		}
	}
	c.j.note(ended, task.ID, task.At)
	return nil
}

func (c *busy) schedule(ctx context.Context) {
	fates := []string{"fails", "panics", "", "", "", "", "", "", "", ""}
	for {
		at := time.Now().Add(randomDelay())
		var opts []durable.ScheduleOption
		if rand.IntN(3) == 0 {
			opts = append(opts, durable.WithID(durable.ID(fmt.Sprintf("chosen-%d", rand.Uint64()))))
		}
		r, err := c.timers.ScheduleAsync(at, "task", []byte(fates[rand.IntN(len(fates))]), opts...)
		if err != nil {
			return
		}
		id, err := r.Wait(ctx)
		if err != nil {
			return
		}
		c.j.note(scheduled, id, at)
		c.mu.Lock()
		c.ids = append(c.ids, id)
		c.mu.Unlock()
		time.Sleep(time.Duration(rand.IntN(8000)) * time.Microsecond)
	}
}

// randomDelay is at once, or before the lead, or about it, or long after.
func randomDelay() time.Duration {
	return []time.Duration{
		0, rand.N(300 * time.Millisecond), 250*time.Millisecond + rand.N(100*time.Millisecond), rand.N(3 * time.Second), rand.N(8 * time.Second),
	}[rand.IntN(5)]
}

// change cancels and moves timers of its part, most of them recent ones. There is one for each part, since nobody
// could tell otherwise what came first.
func (c *busy) change(ctx context.Context, part byte) {
	for {
		c.mu.Lock()
		n := len(c.ids)
		var id durable.ID
		if n > 0 {
			id = c.ids[max(0, n-1-rand.IntN(1+rand.IntN(2000)))]
		}
		c.mu.Unlock()
		if n == 0 || id[len(id)-1]%changers != part {
			time.Sleep(10 * time.Microsecond)
			continue
		}
		time.Sleep(time.Duration(rand.IntN(1000)) * time.Microsecond)
		if rand.IntN(4) == 0 {
			c.j.note(cancelling, id, time.Now())
			switch ok, err := c.timers.Cancel(ctx, id); {
			case err != nil:
			case ok:
				c.j.note(cancelled, id, time.Now())
			default:
				c.j.note(refused, id, time.Now())
			}
			continue
		}
		at := time.Now().Add(randomDelay())
		c.j.note(moving, id, at)
		if ok, err := c.timers.Reset(ctx, id, at); ok && err == nil {
			c.j.note(moved, id, at)
		}
	}
}

// drain waits until nothing is pending.
func (c *busy) drain(ctx context.Context) error {
	for {
		pending, _, err := c.timers.Pending(ctx, durable.Page{}, 1)
		if err != nil {
			return err
		}
		if len(pending) == 0 {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
}
