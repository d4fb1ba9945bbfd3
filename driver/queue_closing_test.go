package driver

import (
	"bytes"
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/heapsched"
)

// All says that a Queued driver is closed, if Close begins while All waits for
// the queue: what it then finds may be a part of what was pending.
func TestQueuedAllWhileItIsClosed(t *testing.T) {
	const pending = 10
	d, err := Start(heapsched.New[Task](), WithInbox(Queued{}))
	require.NoError(t, err)
	for range pending {
		_, err := d.AfterFunc(time.Hour, func() {})
		require.NoError(t, err)
	}
	q := d.inboxes[0].(*queue)
	q.mu.Lock()
	listed := make(chan error, 1)
	go func() {
		_, err := d.All()
		listed <- err
	}()
	for len(listed) == 0 && !isUnderWay("(*queue).list") {
		runtime.Gosched()
	}
	unfired := make(chan []Unfired, 1)
	go func() {
		u, _ := d.Close(context.Background())
		unfired <- u
	}()
	for !d.closed.Load() {
		runtime.Gosched()
	}
	q.mu.Unlock()
	require.ErrorIs(t, <-listed, ErrClosed)
	require.Len(t, <-unfired, pending)
}

// isUnderWay reports whether a goroutine is in a function.
func isUnderWay(function string) bool {
	stacks := make([]byte, 1<<20)
	return bytes.Contains(stacks[:runtime.Stack(stacks, true)], []byte(function))
}
