package durable

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"schedbench/internal/must"
)

var silent = slog.New(slog.DiscardHandler)

// What was cancelled stays cancelled after a kill: contiguous ones, among churn.
func TestCancelledStaysCancelled(t *testing.T) {
	if testing.Short() {
		t.Skip("several processes")
	}
	t.Parallel()
	onBoth(t, func(t *testing.T, where string) {
		t.Parallel()
		for _, sync := range []Sync{SyncNormal, SyncFull} {
			t.Run(fmt.Sprint(sync), func(t *testing.T) {
				j := newJudge()
				_ = startChild(t, j, fmt.Sprint("cancels", int(sync)), where).End() // it says what it cancelled, and kills itself
				var h journal
				timers := runs(t, where, Options{Lease: time.Second, Lead: 100 * time.Millisecond}, h.run, Policy{})
				empties(t, timers)
				require.NoError(t, closeNow(timers))
				keeps, cancels := cancelling()
				require.Len(t, j.fates, cancels)
				require.Len(t, h.tasks, keeps-cancels)
				for _, id := range h.ids() {
					require.NotContains(t, j.fates, id, "it was cancelled")
				}
			})
		}
	})
}

// A backlog is shared with the worker that joins, and takes bounded memory.
func TestThirdWorkerTakesItsShare(t *testing.T) {
	where := postgresURL(t)
	const backlog = 4000
	var did [3]atomic.Int64
	start := func(i int) *Timers {
		return runs(t, where, Options{Concurrency: 8}, func(context.Context, Task) error {
			time.Sleep(time.Millisecond)
			did[i].Add(1)
			return nil
		}, Policy{})
	}
	other := open(t, where, Options{})
	must.Get(other.ScheduleBatch(t.Context(), slices.Repeat([]New{{Kind: "a", At: in(0)}}, backlog)))(t)
	start(0)
	start(1)
	eventually(t, func() bool { return did[0].Load()+did[1].Load() > backlog/8 })
	start(2)
	left := backlog - did[0].Load() - did[1].Load()
	empties(t, other)
	require.Equal(t, int64(backlog), did[0].Load()+did[1].Load()+did[2].Load())
	require.GreaterOrEqual(t, did[2].Load()*4, left, "the third worker's share of %d", left)
}

func TestManyOverdueTakeLittleMemory(t *testing.T) {
	const overdue = 30_000
	timers := open(t, file(t), Options{})
	all := slices.Repeat([]New{{Kind: "a", At: in(-time.Hour), Payload: make([]byte, 1000)}}, overdue/10)
	for range 10 {
		must.Get(timers.ScheduleBatch(t.Context(), all))(t)
	}
	require.NoError(t, timers.Register("a", func(ctx context.Context, _ Task) error { <-ctx.Done(); return ctx.Err() }, Policy{}))
	require.NoError(t, timers.Start(t.Context()))
	eventually(t, func() bool { h := timers.Health(); return h.Running == 64 && h.Due == timers.ready() })
	time.Sleep(50 * time.Millisecond)
	require.LessOrEqual(t, timers.Health().Near, timers.ready()+64+chunk)
	ctx, end := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer end()
	require.ErrorIs(t, timers.Close(ctx), context.DeadlineExceeded)
}

// A worker without a handler for a kind leaves its timers alone.
func TestUnknownKindIsLeftAlone(t *testing.T) {
	onBoth(t, func(t *testing.T, where string) {
		var j journal
		timers := runs(t, where, Options{}, j.run, Policy{})
		must.Get(timers.ScheduleBatch(t.Context(), []New{{Kind: "new", ID: "n", At: in(0)}, {Kind: "a", ID: "a", At: in(0)}}))(t)
		eventually(t, func() bool { return j.len() == 1 })
		require.Equal(t, Waiting, must.Get(timers.Get(t.Context(), "n"))(t).State)
		require.Zero(t, timers.Health().Dead)
	})
}

// A paused worker that comes back does nothing to a later timer of the same ID.
func TestOldTimerDoesNothingToANewOne(t *testing.T) {
	onBoth(t, func(t *testing.T, where string) {
		began, goOn := make(chan Task, 2), make(chan struct{})
		timers := runs(t, where, Options{}, func(_ context.Context, task Task) error {
			began <- task
			<-goOn
			return nil
		}, Policy{Concurrency: 1})
		first := must.Get(timers.Schedule(t.Context(), New{Kind: "a", ID: "x", At: in(0)}))(t)
		require.Equal(t, first.Token, (<-began).Token)
		require.False(t, must.Get(timers.Cancel(t.Context(), "x"))(t), "it runs")
		second := must.Get(timers.Schedule(t.Context(), New{Kind: "a", ID: "x", At: in(0), Replace: true}))(t)
		goOn <- struct{}{} // the old one completes
		require.Equal(t, second.Token, (<-began).Token)
		close(goOn)
		empties(t, timers)
	})
}

// At the step of each statement an old token, or another holder, changes nothing.
func TestStepsAreFenced(t *testing.T) {
	timers := open(t, postgresURL(t), Options{})
	token, now := must.Get(timers.Schedule(t.Context(), New{Kind: "a", ID: "x", At: in(0)}))(t).Token, timers.now()
	lease := func(holder, now int64) *op {
		return step(timers.sql.claim, holder, now+1000, now+1000, "a", now+5000, now, int64(10))
	}
	begin := func(attempt, token, holder, now int64) *op {
		return step(timers.sql.begin, attempt, "x", token, holder, now)
	}
	requireFenced(t, timers, []fenced{
		{0, begin(1, token, 1, now)},
		{1, lease(1, now)},
		{0, lease(2, now)},
		{0, begin(1, token+1, 1, now)},
		{0, begin(1, token, 2, now)},
		{0, begin(1, token, 1, now+1000)},
		{1, lease(2, now+1000)},
		{0, begin(1, token, 1, now)},
		{1, begin(1, token, 2, now)},
		{1, begin(1, token, 2, now)}, // its answer was lost: it is the same attempt
		{0, step(timers.sql.complete, "x", token, int64(1))},
		{0, step(timers.sql.retry, int64(1), now, "x", token, int64(1))},
		{0, step(timers.sql.bury, "no", now, "x", token, int64(1))},
		{0, step(timers.sql.release, "x", token, int64(2))},
		{0, step(timers.sql.renew, now, now, "x", token, int64(1))},
		{0, step(timers.sql.complete, "x", token+1, int64(2))},
		{0, step(timers.sql.cancel, "x", now)},
		{0, step(timers.sql.reset, int64(9), now, now, "x", now)},
		{1, lease(1, now+2000)}, // which still holds what it leased first
		{0, begin(1, token, 1, now)},
		{1, begin(2, token, 1, now)},
		{0, step(timers.sql.complete, "x", token, int64(2))},
		{1, step(timers.sql.complete, "x", token, int64(1))},
	})
}

// fenced is a step, and how many rows it changes or returns.
type fenced struct {
	rows int
	o    *op
}

func requireFenced(t *testing.T, timers *Timers, steps []fenced) {
	t.Helper()
	for i, c := range steps {
		require.NoError(t, timers.store.do(t.Context(), c.o))
		require.Equal(t, c.rows, max(c.o.n, len(c.o.rows)), "step %d: %s %v", i, c.o.text, c.o.args)
	}
}

// So do the steps in a file, whose holders other than this process have ended.
func TestStepsOfAFileAreFenced(t *testing.T) {
	timers := open(t, file(t), Options{})
	token := must.Get(timers.Schedule(t.Context(), New{Kind: "a", ID: "x", At: in(0)}))(t).Token
	begin := func(attempt, token, holder int64) *op {
		return step(timers.sql.begin, attempt, "x", token, holder, int64(0))
	}
	reset := func(holder int64) *op { return step(timers.sql.reset, int64(9), int64(0), int64(0), "x", holder) }
	requireFenced(t, timers, []fenced{
		{0, begin(1, token+1, 1)},
		{0, begin(2, token, 1)},
		{0, step(timers.sql.complete, "x", token, int64(1))},
		{1, begin(1, token, 1)},
		{0, begin(1, token, 1)},
		{0, begin(2, token, 1)},
		{0, step(timers.sql.cancel, "x", int64(1))},
		{0, reset(1)},
		{1, begin(2, token, 2)}, // a new process
		{0, step(timers.sql.complete, "x", token, int64(1))},
		{0, step(timers.sql.retry, int64(1), int64(0), "x", token, int64(1))},
		{0, step(timers.sql.bury, "no", int64(0), "x", token, int64(1))},
		{1, reset(3)}, // another
		{0, step(timers.sql.complete, "x", token, int64(2))},
		{1, step(timers.sql.cancel, "x", int64(3))},
	})
}

// The clock is set back: nothing is early by it, and what is due by it runs.
func TestClockThatJumps(t *testing.T) {
	var j journal
	timers := runs(t, file(t), Options{Now: j.now, Lead: 20 * time.Millisecond, Lease: 80 * time.Millisecond}, j.run, Policy{})
	schedule := func(ahead time.Duration) {
		must.Get(timers.Schedule(t.Context(), New{Kind: "a", At: j.now().Add(ahead)}))(t)
	}
	ran := func(n int) { eventually(t, func() bool { return j.len() == n }) }
	schedule(time.Second)
	j.jump(-2 * time.Second)
	time.Sleep(1200 * time.Millisecond)
	require.Zero(t, j.len())
	ran(1)
	schedule(time.Hour)
	j.jump(2 * time.Hour)
	ran(2)
	// Set back by an hour, and then ahead: what was scheduled meanwhile comes near.
	j.jump(time.Hour)
	schedule(2 * farAway)
	j.jump(time.Hour + 2*farAway + time.Second)
	ran(3)
	j.requireNoneEarly(t)
}

// Close keeps its deadline with a server that does not answer.
func TestCloseKeepsItsDeadline(t *testing.T) {
	p := newProxy(t, postgresURL(t))
	timers := runs(t, p.url, Options{Logger: silent, Answer: time.Second}, func(context.Context, Task) error { return nil }, Policy{})
	must.Get(timers.Schedule(t.Context(), New{Kind: "a", At: in(time.Hour)}))(t)
	p.stall.Store(true)
	ctx, end := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer end()
	_, err := timers.Schedule(ctx, New{Kind: "a", At: in(time.Hour)})
	require.ErrorIs(t, err, ErrStore)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	ctx, end = context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer end()
	done := make(chan error)
	go func() { done <- timers.Close(ctx) }()
	<-ctx.Done()
	ended := time.Now()
	select {
	case err := <-done:
		require.Error(t, err)
		t.Log("Close returned after its deadline by ", time.Since(ended))
	case <-time.After(time.Second): // far beyond; make soak shows how far it is
		require.Fail(t, "Close goes on")
	}
}

// Without a network a worker waits, and goes on by itself.
func TestNetworkThatGoesAndComes(t *testing.T) {
	p := newProxy(t, postgresURL(t))
	var j journal
	timers := runs(t, p.url, Options{Answer: 3 * time.Second, Lease: 6 * time.Second, Lead: 100 * time.Millisecond}, j.run, Policy{})
	must.Get(timers.Schedule(t.Context(), New{Kind: "a", At: in(time.Second)}))(t)
	p.stall.Store(true)
	eventually(t, func() bool { return timers.Health().Trouble != nil })
	p.stall.Store(false)
	p.cut()
	eventually(t, func() bool { return j.len() > 0 })
}

// An Open without rights says which it lacks.
func TestNoRights(t *testing.T) {
	where := postgresURL(t)
	conn := connect(t, where)
	must.Get(conn.Exec(t.Context(), "CREATE ROLE guest LOGIN"))(t)
	as := strings.Replace(where, "timers@", "guest@", 1)
	requireRefused(t, as, ErrRights, "tables not made")
	require.NoError(t, closeNow(open(t, where, Options{})))
	must.Get(conn.Exec(t.Context(), "GRANT SELECT, INSERT, DELETE ON durable_timers TO guest"))(t)
	requireRefused(t, as, ErrRights, "UPDATE on table durable_timers")
	requireRefused(t, "postgres://timers@127.0.0.1:1/x", ErrStore, "")
	requireRefused(t, "postgres://%", ErrOption, "")
}

// proxy is a network that can be cut, or stalled.
type proxy struct {
	url   string
	stall atomic.Bool
	conns chan net.Conn
}

func newProxy(t *testing.T, url string) *proxy {
	t.Helper()
	config := must.Get(pgx.ParseConfig(url))(t)
	to := net.JoinHostPort(config.Host, fmt.Sprint(config.Port))
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	p := &proxy{url: strings.Replace(url, to, l.Addr().String(), 1), conns: make(chan net.Conn, 1000)}
	t.Cleanup(func() {
		l.Close()
		p.cut()
	})
	go func() {
		for from, err := l.Accept(); err == nil; from, err = l.Accept() {
			there, err := net.Dial("tcp", to)
			if err != nil {
				from.Close()
				continue
			}
			p.conns <- from
			p.conns <- there
			go p.copy(from, there)
			go p.copy(there, from)
		}
	}()
	return p
}

func (p *proxy) cut() {
	for len(p.conns) > 0 {
		(<-p.conns).Close()
	}
}

func (p *proxy) copy(to, from net.Conn) {
	defer to.Close()
	b := make([]byte, 64<<10)
	for n, err := from.Read(b); err == nil; n, err = from.Read(b) {
		if !p.stall.Load() { // what is lost here the connection does not get over
			_, _ = to.Write(b[:n]) // after an error the next read fails, or is lost
		}
	}
}
