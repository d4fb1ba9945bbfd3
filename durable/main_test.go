package durable

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	_ "modernc.org/sqlite"

	"schedbench/durable/internal/child"
	"schedbench/internal/lists"
	"schedbench/internal/must"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == childArg {
		runChild()
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
	t.Run("sqlite", func(t *testing.T) { test(t, file(t)) })
	t.Run("postgres", func(t *testing.T) { test(t, postgresURL(t)) })
}

func file(t *testing.T) string { return filepath.Join(t.TempDir(), "timers.db") }

func open(t *testing.T, where string, o Options) *Timers {
	t.Helper()
	o.Logger = silent
	timers := must.Get(Open(t.Context(), where, o))(t)
	t.Cleanup(func() { closeNow(timers) })
	return timers
}

// requireRefused holds Open to an error and what it says.
func requireRefused(t *testing.T, where string, want error, says string) {
	t.Helper()
	_, err := Open(t.Context(), where, Options{Logger: silent})
	require.ErrorIs(t, err, want)
	require.ErrorContains(t, err, says)
}

func closeNow(timers *Timers) error {
	ctx, end := context.WithTimeout(context.Background(), 10*time.Second)
	defer end()
	return timers.Close(ctx)
}

// journal has the tasks that ran, and how late they began by its clock, which a test sets.
type journal struct {
	ahead atomic.Int64 // of time.Now
	mu    sync.Mutex
	tasks []Task
	late  []time.Duration
}

func (j *journal) now() time.Time       { return time.Now().Add(time.Duration(j.ahead.Load())) }
func (j *journal) jump(d time.Duration) { j.ahead.Store(int64(d)) }

func (j *journal) run(_ context.Context, task Task) error {
	late := j.now().Sub(task.At)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.tasks, j.late = append(j.tasks, task), append(j.late, late)
	return nil
}

func (j *journal) len() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.tasks)
}

func (j *journal) ids() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return lists.Each(j.tasks, func(task Task) string { return task.ID })
}

// distinct returns how many timers ran.
func (j *journal) distinct() int { return len(slices.Compact(slices.Sorted(slices.Values(j.ids())))) }

// requireNoneEarly holds what ran to its instants.
func (j *journal) requireNoneEarly(t *testing.T) {
	t.Helper()
	j.mu.Lock()
	defer j.mu.Unlock()
	require.GreaterOrEqual(t, slices.Min(j.late), time.Duration(0))
}

// runs opens, registers a handler of kind "a", and starts.
func runs(t *testing.T, where string, o Options, h Handler, p Policy) *Timers {
	t.Helper()
	timers := open(t, where, o)
	require.NoError(t, timers.Register("a", h, p))
	require.NoError(t, timers.Start(t.Context()))
	return timers
}

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

// startChild starts a process that the judge hears, and returns when it is ready.
func startChild(t *testing.T, j *judge, what, where string) *child.Process {
	t.Helper()
	return must.Get(child.Start(j.hear, childArg, what, where))(t)
}
