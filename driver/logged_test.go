package driver_test

import (
	"bytes"
	"log/slog"
	"sync"
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
