package durable

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
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
				cmd := startChild(t, j, fmt.Sprint("cancels", int(sync)), where)
				<-cmd.heard // it has said what it cancelled, and kills itself
				_ = cmd.Wait()
				var h journal
				timers := runs(t, where, Options{Lease: time.Second, Lead: 100 * time.Millisecond}, h.run, Policy{})
				empties(t, timers)
				require.NoError(t, closeNow(timers))
				zombies := 0
				for _, id := range h.ids() {
					if f := j.fates[id]; f != nil && f.cancelled {
						zombies++
					}
				}
				keeps, cancels := cancelling()
				require.Len(t, j.fates, cancels)
				require.Zero(t, zombies)
				require.Len(t, h.tasks, keeps-cancels)
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
	where := filepath.Join(t.TempDir(), "timers.db")
	const overdue = 30_000
	timers := open(t, where, Options{})
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
	made := must.Get(timers.Schedule(t.Context(), New{Kind: "a", ID: "x", At: in(0)}))(t)
	now := timers.now()
	do := func(n int, o *op) {
		t.Helper()
		require.NoError(t, timers.store.do(t.Context(), o))
		require.Equal(t, n, max(o.n, len(o.rows)))
	}
	lease := func(holder, now int64) *op {
		return step(timers.sql.claim, holder, now+1000, now+1000, "a", now+5000, now, int64(10))
	}
	do(0, step(timers.sql.begin, int64(1), "x", made.Token, int64(1), now))
	do(1, lease(1, now))
	do(0, lease(2, now))
	do(0, step(timers.sql.begin, int64(1), "x", made.Token+1, int64(1), now))
	do(0, step(timers.sql.begin, int64(1), "x", made.Token, int64(2), now))
	do(0, step(timers.sql.begin, int64(1), "x", made.Token, int64(1), now+1000))
	do(1, lease(2, now+1000))
	do(0, step(timers.sql.begin, int64(1), "x", made.Token, int64(1), now))
	do(1, step(timers.sql.begin, int64(1), "x", made.Token, int64(2), now))
	do(1, step(timers.sql.begin, int64(1), "x", made.Token, int64(2), now)) // its answer was lost: it is the same attempt
	for _, late := range []*op{
		step(timers.sql.complete, "x", made.Token, int64(1)), step(timers.sql.retry, int64(1), now, "x", made.Token, int64(1)),
		step(timers.sql.bury, "no", now, "x", made.Token, int64(1)), step(timers.sql.release, "x", made.Token, int64(2)),
		step(timers.sql.renew, now, now, "x", made.Token, int64(1)), step(timers.sql.complete, "x", made.Token+1, int64(2)),
		step(timers.sql.cancel, "x", now), step(timers.sql.reset, int64(9), now, now, "x", now),
	} {
		do(0, late)
	}
	do(1, lease(1, now+2000)) // which still holds what it leased first
	do(0, step(timers.sql.begin, int64(1), "x", made.Token, int64(1), now))
	do(1, step(timers.sql.begin, int64(2), "x", made.Token, int64(1), now))
	do(0, step(timers.sql.complete, "x", made.Token, int64(2)))
	do(1, step(timers.sql.complete, "x", made.Token, int64(1)))
}

// So do the steps in a file, whose holders other than this process have ended.
func TestStepsOfAFileAreFenced(t *testing.T) {
	timers := open(t, filepath.Join(t.TempDir(), "timers.db"), Options{})
	made := must.Get(timers.Schedule(t.Context(), New{Kind: "a", ID: "x", At: in(0)}))(t)
	for _, c := range []struct {
		changes int
		o       *op
	}{
		{0, step(timers.sql.begin, int64(1), "x", made.Token+1, int64(1), int64(0))},
		{0, step(timers.sql.begin, int64(2), "x", made.Token, int64(1), int64(0))},
		{0, step(timers.sql.complete, "x", made.Token, int64(1))},
		{1, step(timers.sql.begin, int64(1), "x", made.Token, int64(1), int64(0))},
		{0, step(timers.sql.begin, int64(1), "x", made.Token, int64(1), int64(0))},
		{0, step(timers.sql.begin, int64(2), "x", made.Token, int64(1), int64(0))},
		{0, step(timers.sql.cancel, "x", int64(1))},
		{0, step(timers.sql.reset, int64(9), int64(0), int64(0), "x", int64(1))},
		{1, step(timers.sql.begin, int64(2), "x", made.Token, int64(2), int64(0))}, // a new process
		{0, step(timers.sql.complete, "x", made.Token, int64(1))},
		{0, step(timers.sql.retry, int64(1), int64(0), "x", made.Token, int64(1))},
		{0, step(timers.sql.bury, "no", int64(0), "x", made.Token, int64(1))},
		{1, step(timers.sql.reset, int64(9), int64(0), int64(0), "x", int64(3))}, // another
		{0, step(timers.sql.complete, "x", made.Token, int64(2))},
		{1, step(timers.sql.cancel, "x", int64(3))},
	} {
		require.NoError(t, timers.store.do(t.Context(), c.o))
		require.Equal(t, c.changes, c.o.n, "%s %v", c.o.text, c.o.args)
	}
}

// The clock is set back: nothing is early by it, and what is due by it runs.
func TestClockThatJumps(t *testing.T) {
	var offset atomic.Int64
	var early atomic.Int64
	now := func() time.Time { return time.Now().Add(time.Duration(offset.Load())) }
	var ran atomic.Int64
	timers := runs(t, filepath.Join(t.TempDir(), "timers.db"), Options{Now: now, Lead: 20 * time.Millisecond, Lease: 80 * time.Millisecond}, func(_ context.Context, task Task) error {
		if now().Before(task.At) {
			early.Add(1)
		}
		ran.Add(1)
		return nil
	}, Policy{})
	must.Get(timers.Schedule(t.Context(), New{Kind: "a", At: now().Add(time.Second)}))(t)
	offset.Store(-int64(2 * time.Second))
	time.Sleep(1200 * time.Millisecond)
	require.Zero(t, ran.Load())
	eventually(t, func() bool { return ran.Load() == 1 })
	must.Get(timers.Schedule(t.Context(), New{Kind: "a", At: now().Add(time.Hour)}))(t)
	offset.Store(int64(2 * time.Hour))
	eventually(t, func() bool { return ran.Load() == 2 })
	// Set back by an hour, and then ahead: what was scheduled meanwhile comes near.
	offset.Store(int64(time.Hour))
	must.Get(timers.Schedule(t.Context(), New{Kind: "a", At: now().Add(2 * farAway)}))(t)
	offset.Add(int64(2*farAway + time.Second))
	eventually(t, func() bool { return ran.Load() == 3 })
	require.Zero(t, early.Load())
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
	conn := must.Get(pgx.Connect(t.Context(), where))(t)
	defer conn.Close(context.Background())
	must.Get(conn.Exec(t.Context(), "CREATE ROLE guest LOGIN"))(t)
	as := strings.Replace(where, "timers@", "guest@", 1)
	_, err := Open(t.Context(), as, Options{})
	require.ErrorIs(t, err, ErrRights)
	require.ErrorContains(t, err, "tables not made")
	require.NoError(t, closeNow(open(t, where, Options{})))
	must.Get(conn.Exec(t.Context(), "GRANT SELECT, INSERT, DELETE ON durable_timers TO guest"))(t)
	_, err = Open(t.Context(), as, Options{})
	require.ErrorIs(t, err, ErrRights)
	require.ErrorContains(t, err, "UPDATE on table durable_timers")
	_, err = Open(t.Context(), "postgres://timers@127.0.0.1:1/x", Options{Answer: time.Second})
	require.ErrorIs(t, err, ErrStore)
	_, err = Open(t.Context(), "postgres://%", Options{})
	require.ErrorIs(t, err, ErrOption)
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
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
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
	for {
		select {
		case c := <-p.conns:
			c.Close()
		default:
			return
		}
	}
}

func (p *proxy) copy(to, from net.Conn) {
	defer to.Close()
	b := make([]byte, 64<<10)
	for {
		n, err := from.Read(b)
		if err != nil {
			return
		}
		if p.stall.Load() {
			continue // what is lost here the connection does not get over
		}
		if _, err := to.Write(b[:n]); err != nil {
			return
		}
	}
}
