package driver_test

import (
	"bytes"
	"context"
	"log/slog"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
)

// logged keeps what a logger writes, by any goroutine.
type logged struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logged) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// exiting is a handler of logs that ends its goroutine.
type exiting struct{ slog.Handler }

func (exiting) Enabled(context.Context, slog.Level) bool { return true }

func (exiting) Handle(context.Context, slog.Record) error { runtime.Goexit(); return nil }

// No task is lost where the logger ends the goroutine of the worker.
func TestQueuedSurvivesGoexitOfLogger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := startQueued(t, newPlainWithin(time.Second), 0, driver.WithLogger(slog.New(exiting{slog.DiscardHandler})))
		after(t, d, time.Second, nothing)
		synctest.Wait()
		fired := 0
		for range 2 {
			far := after(t, d, 2*time.Second, nothing)
			after(t, d, 0, func() { fired++ })
			after(t, d, 0, func() { fired++ })
			synctest.Wait()
			require.Equal(t, driver.Cancelled, far.State())
		}
		require.Equal(t, 4, fired)
		require.NoError(t, second(d.Close(context.Background())))
	})
}
