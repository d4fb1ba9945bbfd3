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

// The processes that are killed are this test under another name. They say a line for each step, and the test judges all lines.
const childArg = "child"

var childOptions = Options{Lead: 500 * time.Millisecond, Lease: time.Second, Answer: time.Second}

// say writes a line in one piece.
func say(words ...any) { _, _ = os.Stdout.WriteString(fmt.Sprintln(words...)) }

// runChild schedules, cancels, moves and runs timers until it is killed, or runs what there is ("drain").
func runChild() {
	what, where := os.Args[2], os.Args[3]
	o := childOptions
	o.Logger = slog.New(slog.DiscardHandler)
	cancels, _ := fmt.Sscanf(what, "cancels%d", &o.Sync)
	ctx := context.Background()
	timers, err := Open(ctx, where, o)
	if err == nil && cancels == 0 {
		policy := Policy{Attempts: 1000, Backoff: func(int) time.Duration { return 10 * time.Millisecond }}
		err = errors.Join(timers.Register("a", childTask, policy), timers.Start(ctx))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	say("ready")
	switch {
	case cancels > 0:
		childCancels(ctx, timers)
	case what == "drain":
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
func childCancels(ctx context.Context, timers *Timers) {
	var err error
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
	mu     sync.Mutex
	fates  map[string]*fate
	counts map[string]int // of faults, and of what may be
	behind int64          // from when on acknowledged steps may be gone: the standby that is promoted lacks them
	latest int64          // how late the latest first attempt was
}

// faults are what must not be.
var faults = []string{"lost", "early", "after a cancel", "before a reset", "old after new", "again without a mark"}

func newJudge() *judge {
	return &judge{fates: map[string]*fate{}, counts: map[string]int{}, behind: math.MaxInt64}
}

// fault counts one, unless it comes of a step that the standby may lack.
func (j *judge) fault(what string, step int64) {
	if step >= j.behind {
		what = "gone"
	}
	j.counts[what]++
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
	var token, at, now, began int64 // a begin that came before a Replace may be said after it
	var attempt int
	_, _ = fmt.Sscan(rest, &id, &token, &attempt, &at, &now, &began)
	j.counts["begun"]++
	if now < at {
		j.counts["early"]++
	}
	if attempt == 1 {
		j.latest = max(j.latest, now-at)
	}
	after := !f.open && began > f.since
	if after && f.cancelled {
		j.fault("after a cancel", f.since)
	}
	if after && f.kept && now < f.at {
		j.fault("before a reset", f.since) // before the instant that was acknowledged
	}
	if after && f.token != 0 && f.token != token {
		j.fault("old after new", f.since)
	}
	bit := uint64(1) << min(attempt, 63)
	if f.attempts[token] != 0 {
		j.counts["again"]++
	}
	if f.attempts[token]&bit != 0 && attempt < 63 {
		j.fault("again without a mark", f.last)
	}
	f.attempts[token] |= bit
	f.begun, f.ran, f.last = f.begun || f.open || at == f.at, at, now
}

// verdict has a process run what is left, and holds what all said to the promises.
func (j *judge) verdict(t *testing.T, where string) {
	require.NoError(t, startChild(t, j, "drain", where).End())
	j.mu.Lock()
	defer j.mu.Unlock()
	j.findLost()
	t.Logf("%v; first attempts at most %v late", j.counts, time.Duration(j.latest))
	require.Positive(t, j.counts["kept"])
	for _, fault := range faults {
		require.Zero(t, j.counts[fault], fault)
	}
}

// findLost counts the timers that were kept, and those of them that have not begun.
func (j *judge) findLost() {
	for _, f := range j.fates {
		if f.kept {
			j.counts["kept"]++
		}
		if f.kept && !f.begun && !f.cancelled && !f.open {
			j.fault("lost", f.since)
		}
	}
}

func TestTheJudgeFindsFaults(t *testing.T) {
	for lines, want := range map[string]string{
		"kept a 7 50 10|begun a 7 1 50 49 49":                                            "early",
		"kept a 7 50 10|cancelled a true 20|begun a 7 1 50 60 60":                        "after a cancel",
		"kept a 7 50 10|moved a true 90 20|begun a 7 1 50 60 60":                         "before a reset",
		"kept a 7 50 10|kept a 8 50 20|begun a 7 1 50 60 60":                             "old after new",
		"kept a 7 50 10|begun a 7 1 50 60 60|begun a 7 1 50 70 70":                       "again without a mark",
		"kept a 7 50 10|begun a 7 1 50 60 60|begun a 7 2 50 70 70|x a x":                 "again",
		"kept a 7 50 10|begun a 7 1 50 60 60|moved a true 90 70":                         "lost",
		"kept a 7 50 10|trying a|begun a 8 1 60 65 65|moved a true 60 62|kept b 9 50 10": "lost",
		"behind|kept a 7 50 10|begun a 7 1 50 60 60|begun a 7 1 50 70 70":                "again without a mark",
		"behind|kept a 7 50 10|begun a 7 1 50 80 80|begun a 7 1 50 90 90":                "gone",
		"behind|kept a 7 50 80": "gone",
		"behind|kept a 7 50 10|cancelled a true 80|begun a 7 1 50 90 90": "gone",
	} {
		j := newJudge()
		for _, line := range strings.Split(lines, "|") {
			if line == "behind" {
				j.behind = 65
			}
			j.hear(line)
		}
		j.findLost()
		require.Equal(t, 1, j.counts[want], lines)
	}
}
