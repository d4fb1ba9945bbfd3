package durable_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"schedbench/durable"
)

// runs counts the tasks that ran, by ID.
type runs struct {
	mu    sync.Mutex
	of    map[durable.ID]int
	early int
}

func (r *runs) run(_ context.Context, task durable.Task) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.of == nil {
		r.of = map[durable.ID]int{}
	}
	r.of[task.ID]++
	if time.Now().Before(task.At) {
		r.early++
	}
	return nil
}

func (r *runs) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.of)
}

func quiet(error) {}

func short(int) time.Duration { return 20 * time.Millisecond }

func TestNothingRunsTwiceAfterClose(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	var r runs
	const rounds, each = 8, 200
	for range rounds {
		timers, err := durable.Open(ctx, durable.Options{Dir: dir, Lead: 300 * time.Millisecond, Redelivery: time.Second})
		require.NoError(t, err)
		require.NoError(t, timers.Register("task", r.run))
		for i := range each {
			_, err := timers.ScheduleAfter(ctx, time.Duration(i)*5*time.Millisecond, "task", nil)
			require.NoError(t, err)
		}
		require.NoError(t, timers.Close(ctx))
		require.ErrorIs(t, timers.Close(ctx), durable.ErrClosed)
		_, err = timers.ScheduleAfter(ctx, 0, "task", nil)
		require.ErrorIs(t, err, durable.ErrClosed)
	}
	timers, err := durable.Open(ctx, durable.Options{Dir: dir})
	require.NoError(t, err)
	require.NoError(t, timers.Register("task", r.run))
	require.Eventually(t, func() bool { return r.count() == rounds*each }, eventually, 10*time.Millisecond)
	require.NoError(t, timers.Close(ctx))
	for id, n := range r.of {
		require.Equal(t, 1, n, id)
	}
	require.Zero(t, r.early)
}

func TestTasksThatFail(t *testing.T) {
	ctx := context.Background()
	timers, err := durable.Open(ctx, durable.Options{
		Dir: t.TempDir(), Attempts: 3, Backoff: short, Timeout: 50 * time.Millisecond, OnError: quiet,
	})
	require.NoError(t, err)
	defer timers.Close(ctx)
	var mu sync.Mutex
	attempts := map[string][]int{}
	note := func(task durable.Task) {
		mu.Lock()
		defer mu.Unlock()
		attempts[task.Kind] = append(attempts[task.Kind], task.Attempt)
	}
	for kind, handler := range map[string]durable.Handler{
		"fails":  func(_ context.Context, task durable.Task) error { note(task); return errors.New("on purpose") },
		"panics": func(_ context.Context, task durable.Task) error { note(task); panic("on purpose") },
		"hangs":  func(ctx context.Context, task durable.Task) error { note(task); <-ctx.Done(); return ctx.Err() },
		"second": func(_ context.Context, task durable.Task) error {
			note(task)
			if task.Attempt == 1 {
				return errors.New("on purpose")
			}
			return nil
		},
	} {
		require.NoError(t, timers.Register(kind, handler))
	}
	at := time.Now()
	for _, kind := range []string{"fails", "panics", "hangs", "second", "missing"} {
		_, err := timers.Schedule(ctx, at, kind, []byte(kind), durable.WithID(durable.ID("the one that "+kind)))
		require.NoError(t, err)
	}
	var dead []durable.DeadLetter
	require.Eventually(t, func() bool {
		dead, _, err = timers.Dead(ctx, durable.Page{}, 10)
		pending, _, err2 := timers.Pending(ctx, durable.Page{}, 10)
		return err == nil && err2 == nil && len(dead) == 4 && len(pending) == 0
	}, eventually, 10*time.Millisecond)
	for _, d := range dead {
		require.Equal(t, durable.ID("the one that "+d.Kind), d.ID)
		require.Equal(t, d.Kind, string(d.Payload))
		require.Equal(t, 3, d.Attempt)
		require.Equal(t, at.UnixNano(), d.At.UnixNano())
		require.NotEmpty(t, d.Error)
		for _, there := range []bool{true, false} {
			removed, err := timers.RemoveDead(ctx, d.ID)
			require.NoError(t, err)
			require.Equal(t, there, removed)
		}
	}
	dead, _, err = timers.Dead(ctx, durable.Page{}, 10)
	require.NoError(t, err)
	require.Empty(t, dead)
	mu.Lock()
	defer mu.Unlock()
	for _, kind := range []string{"fails", "panics", "hangs"} {
		require.Equal(t, []int{1, 2, 3}, attempts[kind], kind)
	}
	require.Equal(t, []int{1, 2}, attempts["second"])
}

func TestHandlerThatNeverEnds(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	o := durable.Options{Dir: dir, Concurrency: 2, Timeout: 10 * time.Millisecond, Redelivery: time.Second, OnError: quiet}
	timers, err := durable.Open(ctx, o)
	require.NoError(t, err)
	var r runs
	begun, release := make(chan bool, 10), make(chan bool)
	require.NoError(t, timers.Register("never", func(context.Context, durable.Task) error {
		begun <- true
		<-release
		return nil
	}))
	require.NoError(t, timers.Register("task", r.run))
	id, err := timers.ScheduleAfter(ctx, 0, "never", nil)
	require.NoError(t, err)
	<-begun
	ok, err := timers.Cancel(ctx, id)
	require.NoError(t, err)
	require.False(t, ok, "it runs")
	for range 50 { // the other place is free
		_, err := timers.ScheduleAfter(ctx, 0, "task", nil)
		require.NoError(t, err)
	}
	require.Eventually(t, func() bool { return r.count() == 50 }, eventually, time.Millisecond)
	limited, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, timers.Close(limited), context.DeadlineExceeded)
	close(release)

	timers, err = durable.Open(ctx, o)
	require.NoError(t, err)
	again := make(chan durable.Task, 1)
	require.NoError(t, timers.Register("never", func(_ context.Context, task durable.Task) error {
		again <- task
		return nil
	}))
	require.Equal(t, id, (<-again).ID)
	require.NoError(t, timers.Close(ctx))
}

func TestFolderThatCannotBeUsed(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := durable.Open(ctx, durable.Options{Dir: filepath.Join(file, "timers")})
	require.ErrorIs(t, err, durable.ErrFolder)

	timers, err := durable.Open(ctx, durable.Options{Dir: filepath.Join(dir, "timers")})
	require.NoError(t, err)
	_, err = durable.Open(ctx, durable.Options{Dir: filepath.Join(dir, "timers")})
	require.ErrorIs(t, err, durable.ErrFolder)
	require.NoError(t, timers.Close(ctx))

	if os.Getuid() != 0 { // who may write anywhere
		require.NoError(t, os.Chmod(filepath.Join(dir, "timers"), 0o500))
		_, err = durable.Open(ctx, durable.Options{Dir: filepath.Join(dir, "timers")})
		require.ErrorIs(t, err, durable.ErrFolder)
	}
}

// Three servers on the loopback interface keep every timer; the one that leads is stopped, and comes
// back.
// An older server acknowledges schedules, and hands none of them out.
func TestServerWithoutSchedulesIsRefused(t *testing.T) {
	s := serve(t, &server.Options{})
	conn, err := nats.Connect(s.ClientURL())
	require.NoError(t, err)
	defer conn.Close()
	_, err = conn.Subscribe("$JS.API.STREAM.>", func(m *nats.Msg) {
		_ = m.Respond([]byte(`{"type":"io.nats.jetstream.api.v1.stream_update_response","config":{"name":"timers"},"state":{}}`))
	})
	require.NoError(t, err)
	require.NoError(t, conn.Flush())
	_, err = durable.Open(t.Context(), durable.Options{URL: s.ClientURL()})
	require.ErrorIs(t, err, durable.ErrEngine)
	require.ErrorContains(t, err, "want NATS 2.12")
}

func TestClusterLosesItsLeader(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	cluster := make([]*server.Options, 3)
	ports := freePorts(t, 6)
	var routes, urls string
	for i := range cluster {
		routes += fmt.Sprintf("nats://127.0.0.1:%d,", ports[i])
		urls += fmt.Sprintf("nats://127.0.0.1:%d,", ports[3+i])
	}
	servers := map[string]*server.Server{}
	start := func(i int) {
		o := &server.Options{
			ServerName: fmt.Sprint("n", i), Port: ports[3+i], JetStream: true, StoreDir: filepath.Join(dir, fmt.Sprint(i)),
			Cluster: server.ClusterOpts{Name: "c", Host: "127.0.0.1", Port: ports[i]}, Routes: server.RoutesFromStr(routes[:len(routes)-1]),
		}
		cluster[i] = o
		servers[o.ServerName] = serve(t, o)
	}
	for i := range cluster {
		start(i)
	}
	require.Eventually(t, func() bool {
		for _, s := range servers {
			if s.JetStreamIsLeader() && len(s.JetStreamClusterPeers()) == 3 {
				return true
			}
		}
		return false
	}, eventually, 10*time.Millisecond)

	timers, err := durable.Open(ctx, durable.Options{
		URL: urls[:len(urls)-1], Replicas: 3, Lead: 300 * time.Millisecond, Redelivery: time.Second, OnError: quiet,
	})
	require.NoError(t, err)
	var r runs
	require.NoError(t, timers.Register("task", r.run))
	kept, gone := map[durable.ID]bool{}, map[durable.ID]bool{}
	unknown := 0
	until := time.Now().Add(6 * time.Second)
	stop, back := time.Now().Add(2*time.Second), time.Now().Add(4*time.Second)
	stopped := -1
	for i := 0; time.Now().Before(until); i++ {
		if stopped < 0 && time.Now().After(stop) {
			name := leader(t, servers)
			_, err = fmt.Sscanf(name, "n%d", &stopped)
			require.NoError(t, err)
			servers[name].Shutdown()
			servers[name].WaitForShutdown()
		}
		if stopped >= 0 && stopped < 3 && time.Now().After(back) {
			start(stopped)
			stopped = 3
		}
		limited, cancel := context.WithTimeout(ctx, 2*time.Second)
		id, err := timers.ScheduleAfter(limited, time.Duration(i%100)*30*time.Millisecond, "task", nil, durable.WithID(durable.ID(fmt.Sprint("timer ", i))))
		if err != nil {
			unknown++
		} else if i%10 == 0 {
			if ok, err := timers.Cancel(limited, id); err == nil && ok {
				gone[id] = true
			} else if err == nil {
				kept[id] = true
			}
		} else {
			kept[id] = true
		}
		cancel()
	}
	missing := func() (n int) {
		r.mu.Lock()
		defer r.mu.Unlock()
		for id := range kept {
			if r.of[id] == 0 {
				n++
			}
		}
		return n
	}
	require.Eventually(t, func() bool { return missing() == 0 }, eventually, 50*time.Millisecond, "%d of %d", missing(), len(kept))
	require.NoError(t, timers.Close(ctx))
	doubles := 0
	for id, n := range r.of {
		require.False(t, gone[id], id)
		doubles += n - 1
	}
	require.Zero(t, r.early)
	t.Logf("kept %d, cancelled %d, unknown %d, ran twice %d", len(kept), len(gone), unknown, doubles)
}

// leader returns the name of the server that leads the stream.
func leader(t *testing.T, servers map[string]*server.Server) string {
	for name, s := range servers {
		if s.GlobalAccount().JetStreamEnabled() && s.JetStreamIsStreamLeader(server.DEFAULT_GLOBAL_ACCOUNT, "timers") {
			return name
		}
	}
	require.Fail(t, "nobody leads")
	return ""
}

// freePorts returns ports that nobody uses now.
func freePorts(t *testing.T, n int) []int {
	ports := make([]int, n)
	for i := range ports {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer l.Close()
		ports[i] = l.Addr().(*net.TCPAddr).Port
	}
	return ports
}
