package durable

import (
	"bufio"
	"context"
	"database/sql"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	_ "modernc.org/sqlite"

	"schedbench/internal/must"
)

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) != "" {
		child()
		return
	}
	code := m.Run()
	if shared.Server != nil {
		shared.Stop()
	}
	if code == 0 {
		if err := goleak.Find(); err != nil {
			println(err.Error())
			code = 1
		}
	}
	os.Exit(code)
}

// onBoth runs a test on both databases. where is a new one.
func onBoth(t *testing.T, test func(t *testing.T, where string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { test(t, filepath.Join(t.TempDir(), "timers.db")) })
	t.Run("postgres", func(t *testing.T) { test(t, postgresURL(t)) })
}

func open(t *testing.T, where string, o Options) *Timers {
	t.Helper()
	o.Logger = silent
	timers := must.Get(Open(t.Context(), where, o))(t)
	t.Cleanup(func() { closeNow(timers) })
	return timers
}

func closeNow(timers *Timers) error {
	ctx, end := context.WithTimeout(context.Background(), 10*time.Second)
	defer end()
	return timers.Close(ctx)
}

// journal has the tasks that ran.
type journal struct {
	mu    sync.Mutex
	tasks []Task
	early int
}

func (j *journal) run(_ context.Context, task Task) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if time.Now().Before(task.At) {
		j.early++
	}
	j.tasks = append(j.tasks, task)
	return nil
}

func (j *journal) len() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.tasks)
}

func (j *journal) ids() (ids []string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, task := range j.tasks {
		ids = append(ids, task.ID)
	}
	return ids
}

// runs opens, registers a handler of kind "a", and starts.
func runs(t *testing.T, where string, o Options, h Handler, p Policy) *Timers {
	t.Helper()
	timers := open(t, where, o)
	require.NoError(t, timers.Register("a", h, p))
	require.NoError(t, timers.Start(t.Context()))
	return timers
}

// empties waits until no timer is left.
func empties(t *testing.T, timers *Timers) {
	t.Helper()
	eventually(t, func() bool { n, err := timers.Count(t.Context()); return err == nil && n == 0 })
}

func in(d time.Duration) time.Time { return time.Now().Add(d) }

func eventually(t *testing.T, what func() bool) {
	t.Helper()
	require.Eventually(t, what, time.Minute, 2*time.Millisecond)
}

// otherDB is a database of the caller: the file of the timers. Its transactions write from their beginning.
func otherDB(t *testing.T, where string) *sql.DB {
	t.Helper()
	db := must.Get(sql.Open("sqlite", "file:"+where+"?_txlock=immediate&_pragma=busy_timeout(5000)"))(t)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// childProcess is one that runs.
type childProcess struct {
	*exec.Cmd
	heard chan struct{}
}

// startChild starts a process, and returns when it is ready.
func startChild(t *testing.T, j *judge, what, where string) *childProcess {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+what+" "+where)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	p := &childProcess{Cmd: cmd, heard: make(chan struct{})}
	ready := make(chan bool, 2)
	go func() {
		defer close(p.heard)
		in := bufio.NewReader(out)
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				ready <- false
				return
			}
			if line == "ready\n" {
				ready <- true
			} else {
				j.hear(strings.TrimSuffix(line, "\n"))
			}
		}
	}()
	require.True(t, <-ready, "the process did not start")
	return p
}

// end waits until a process has said all and ended.
func (p *childProcess) end() error {
	<-p.heard
	return p.Wait()
}

func (p *childProcess) kill() {
	_ = p.Process.Kill()
	_ = p.end()
}
