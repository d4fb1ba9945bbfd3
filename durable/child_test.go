package durable

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The processes that are killed are this test under another name. What such a process says it has done, or been acknowledged,
// is a line each: the test judges all lines together.
const childEnv = "DURABLE_CHILD"

var childOptions = Options{Lead: 500 * time.Millisecond, Lease: time.Second, Answer: time.Second}

// say writes a line in one piece.
func say(words ...any) { _, _ = os.Stdout.WriteString(fmt.Sprintln(words...)) }

// child schedules, cancels, moves and runs timers until it is killed, or runs what there is ("drain").
func child() {
	what, where, _ := strings.Cut(os.Getenv(childEnv), " ")
	o := childOptions
	o.Logger = slog.New(slog.DiscardHandler)
	ctx := context.Background()
	timers, err := Open(ctx, where, o)
	if err == nil {
		err = timers.Register("a", childTask, Policy{Attempts: 1000, Backoff: func(int) time.Duration { return 10 * time.Millisecond }})
	}
	if err == nil {
		err = timers.Start(ctx)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	say("ready")
	if sync, is := strings.CutPrefix(what, "cancels"); is {
		childCancels(ctx, where, timers, sync)
	}
	if what == "drain" {
		for n := 1; n > 0; time.Sleep(10 * time.Millisecond) {
			if n, err = timers.Count(ctx); err != nil {
				n = 1
			}
		}
		_ = timers.Close(ctx)
		return
	}
	for range 8 {
		go func() {
			for {
				childStep(ctx, timers)
			}
		}()
	}
	select {}
}

// cancelling is what a process holds, and cancels of it, until it is killed: more in the long form.
func cancelling() (held, cancelled int) {
	if os.Getenv("DURABLE_KILLS") == "" {
		return 4000, 600
	}
	return 20_000, 3000
}

// childCancels keeps many timers, cancels contiguous ones, stirs, and kills itself.
func childCancels(ctx context.Context, where string, timers *Timers, sync string) {
	_ = timers.Close(ctx)
	o := childOptions
	_, _ = fmt.Sscan(sync, &o.Sync)
	timers, err := Open(ctx, where, o)
	keeps, cancels := cancelling()
	for i := 0; i < keeps && err == nil; i += 100 {
		var all []New
		for k := range 100 {
			all = append(all, New{Kind: "a", ID: fmt.Sprint("id-", i+k), At: in(time.Second), Payload: make([]byte, 100)})
		}
		_, err = timers.ScheduleBatch(ctx, all)
	}
	for i := 0; i < cancels && err == nil; i++ {
		id := fmt.Sprint("id-", 500+i)
		var ok bool
		if ok, err = timers.Cancel(ctx, id); err == nil {
			say("cancelled", id, ok, 0)
		}
	}
	for i := 0; i < 1000 && err == nil; i++ { // churn
		if _, err = timers.Schedule(ctx, New{Kind: "a", ID: "churn", At: in(time.Hour)}); err == nil {
			_, err = timers.Cancel(ctx, "churn")
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Kill()
	}
}

func childTask(_ context.Context, task Task) error {
	say("begun", task.ID, task.Token, task.Attempt, task.At.UnixNano(), time.Now().UnixNano(), task.Began.UnixNano())
	switch rand.IntN(20) {
	case 0:
		return errors.New("no")
	case 1:
		panic("no")
	case 2:
		time.Sleep(20 * time.Millisecond)
	}
	return nil
}

// childStep schedules a timer; of some it cancels or moves it, or replaces it.
func childStep(ctx context.Context, timers *Timers) {
	id := fmt.Sprintf("%x", rand.Uint64())
	soon := func() time.Time { return in(rand.N(700 * time.Millisecond)) }
	schedule := func() {
		at := soon()
		say("trying", id)
		if made, err := timers.Schedule(ctx, New{Kind: "a", ID: id, At: at, Replace: true}); err == nil {
			say("kept", id, made.Token, at.UnixNano(), time.Now().UnixNano())
		}
	}
	schedule()
	switch rand.IntN(6) {
	case 0:
		time.Sleep(rand.N(400 * time.Millisecond))
		say("trying", id)
		if ok, err := timers.Cancel(ctx, id); err == nil {
			say("cancelled", id, ok, time.Now().UnixNano())
		}
	case 1:
		time.Sleep(rand.N(400 * time.Millisecond))
		at := soon()
		say("trying", id)
		if ok, err := timers.Reset(ctx, id, at); err == nil {
			say("moved", id, ok, at.UnixNano(), time.Now().UnixNano())
		}
	case 2:
		time.Sleep(rand.N(200 * time.Millisecond))
		schedule()
	}
}

// fate is what is known of an ID.
type fate struct {
	kept, cancelled, open bool             // open: a call has no answer
	token                 int64            // of the last Schedule that was acknowledged
	at                    int64            // the instant that was acknowledged
	since                 int64            // when that was, or a cancel: lines of several processes mix
	attempts              map[int64]uint64 // a bit for each attempt of a token
	begun                 bool             // since the last acknowledged call
	ran                   int64            // the instant of the task that began last: another process may say so before a Reset is said
	last                  int64            // when it began
}

// judge holds what all processes said to the promises.
type judge struct {
	mu                                   sync.Mutex
	fates                                map[string]*fate
	early, cancelled, moved, old, unsaid int
	begun, double                        int
	behind                               int64 // from when on acknowledged steps may be gone: the standby that is promoted lacks them
	gone                                 int   // how many timers show that
	latest                               int64 // how late the latest first attempt was
}

func newJudge() *judge { return &judge{fates: map[string]*fate{}, behind: math.MaxInt64} }

// fault counts one, unless it comes of a step that the standby may lack.
func (j *judge) fault(n *int, step int64) {
	if step >= j.behind {
		n = &j.gone
	}
	*n++
}

func (j *judge) hear(line string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	what, rest, _ := strings.Cut(line, " ")
	var id string
	_, _ = fmt.Sscan(rest, &id)
	f := j.fates[id]
	if f == nil {
		f = &fate{attempts: map[int64]uint64{}}
		j.fates[id] = f
	}
	var ok bool
	switch what {
	case "trying":
		f.open = true
	case "kept":
		_, _ = fmt.Sscan(rest, &id, &f.token, &f.at, &f.since)
		f.kept, f.open, f.begun = true, false, f.attempts[f.token] != 0
	case "cancelled":
		_, _ = fmt.Sscan(rest, &id, &ok, &f.since)
		f.cancelled, f.open = ok, false
	case "moved":
		var at int64
		if _, _ = fmt.Sscan(rest, &id, &ok, &at, &f.since); ok {
			f.begun, f.at, f.token = f.ran == at, at, 0
		}
		f.open = false
	case "begun":
		j.hearBegun(f, rest)
	}
}

func (j *judge) hearBegun(f *fate, rest string) {
	var id string
	var token, at, now int64
	var attempt int
	began := int64(0) // a begin that came before a Replace may be said after it
	if n, _ := fmt.Sscan(rest, &id, &token, &attempt, &at, &now, &began); n < 6 {
		began = now
	}
	j.begun++
	if now < at {
		j.early++
	}
	if attempt == 1 {
		j.latest = max(j.latest, now-at)
	}
	after := !f.open && began > f.since
	if after && f.cancelled {
		j.fault(&j.cancelled, f.since)
	}
	if after && f.kept && now < f.at {
		j.fault(&j.moved, f.since) // before the instant that was acknowledged
	}
	if after && f.token != 0 && f.token != token {
		j.fault(&j.old, f.since)
	}
	bit := uint64(1) << min(attempt, 63)
	if f.attempts[token] != 0 {
		j.double++
	}
	if f.attempts[token]&bit != 0 && attempt < 63 {
		j.fault(&j.unsaid, f.last)
	}
	f.attempts[token] |= bit
	f.begun, f.ran, f.last = f.begun || f.open || at == f.at, at, now
}

// verdict returns what must be zero.
func (j *judge) verdict(t *testing.T) {
	j.mu.Lock()
	defer j.mu.Unlock()
	kept, lost := 0, j.lost()
	for _, f := range j.fates {
		if f.kept {
			kept++
		}
	}
	t.Logf("%d timers kept, %d tasks begun, %d again: lost %d, early %d, after a cancel %d, before a reset %d, old after new %d, again without a mark %d; gone with the primary %d; first attempts at most %v late",
		kept, j.begun, j.double, lost, j.early, j.cancelled, j.moved, j.old, j.unsaid, j.gone, time.Duration(j.latest))
	require.Positive(t, kept)
	require.Zero(t, lost+j.early+j.cancelled+j.moved+j.old+j.unsaid)
}

// lost returns how many timers that were kept have not begun.
func (j *judge) lost() (n int) {
	for _, f := range j.fates {
		if f.kept && !f.begun && !f.cancelled && !f.open {
			j.fault(&n, f.since)
		}
	}
	return n
}

func TestTheJudgeFindsFaults(t *testing.T) {
	for lines, want := range map[string]func(*judge) int{
		"kept a 7 50 10|begun a 7 1 50 49":                                            func(j *judge) int { return j.early },
		"kept a 7 50 10|cancelled a true 20|begun a 7 1 50 60":                        func(j *judge) int { return j.cancelled },
		"kept a 7 50 10|moved a true 90 20|begun a 7 1 50 60":                         func(j *judge) int { return j.moved },
		"kept a 7 50 10|kept a 8 50 20|begun a 7 1 50 60":                             func(j *judge) int { return j.old },
		"kept a 7 50 10|begun a 7 1 50 60|begun a 7 1 50 70":                          func(j *judge) int { return j.unsaid },
		"kept a 7 50 10|begun a 7 1 50 60|begun a 7 2 50 70|x a x":                    func(j *judge) int { return j.double },
		"kept a 7 50 10|begun a 7 1 50 60|moved a true 90 70":                         func(j *judge) int { return j.lost() },
		"kept a 7 50 10|trying a|begun a 8 1 60 65|moved a true 60 62|kept b 9 50 10": func(j *judge) int { return j.lost() },
		"behind|kept a 7 50 10|begun a 7 1 50 60|begun a 7 1 50 70":                   func(j *judge) int { return j.unsaid },
		"behind|kept a 7 50 10|begun a 7 1 50 80|begun a 7 1 50 90":                   func(j *judge) int { return j.gone },
		"behind|kept a 7 50 80":                                                       func(j *judge) int { _ = j.lost(); return j.gone },
		"behind|kept a 7 50 10|cancelled a true 80|begun a 7 1 50 90":                 func(j *judge) int { return j.gone - j.cancelled },
	} {
		j := newJudge()
		for _, line := range strings.Split(lines, "|") {
			if line == "behind" {
				j.behind = 65
			}
			j.hear(line)
		}
		require.Equal(t, 1, want(j), lines)
	}
}
