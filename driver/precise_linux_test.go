package driver

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"schedbench/heapsched"
	"schedbench/internal/must"
)

func precise(t *testing.T) *timerfdWaiter {
	t.Helper()
	w := must.Get(Precise{}.newWaiter())(t)
	require.IsType(t, (*timerfdWaiter)(nil), w)
	return w.(*timerfdWaiter)
}

// timerfds counts the timerfds that the process has open.
func timerfds(t *testing.T) (n int) {
	t.Helper()
	for _, fd := range must.Get(filepath.Glob("/proc/self/fd/*"))(t) {
		if to, err := os.Readlink(fd); err == nil && to == "anon_inode:[timerfd]" {
			n++
		}
	}
	return n
}

// A driver gives its timerfd back with Close, whether it was ever used or not.
func TestCloseOfAPreciseDriverGivesTheDescriptorBack(t *testing.T) {
	runtime.GC() // no finalizer is to close anything meanwhile
	for _, used := range []bool{false, true} {
		before := timerfds(t)
		d := must.Get(Start(heapsched.New[Task](), WithWaiting(Precise{})))(t)
		require.Equal(t, before+1, timerfds(t))
		if used {
			ran := make(chan struct{})
			armed(t, d, time.Millisecond, func() { close(ran) })
			<-ran
			armed(t, d, time.Hour, func() {})
		}
		must.Get(d.Close(context.Background()))(t)
		require.Equal(t, before, timerfds(t), "used: %v", used)
	}
}

func TestAWaitAfterCloseReturns(t *testing.T) {
	w := precise(t)
	require.NoError(t, w.close())
	require.ErrorIs(t, w.close(), os.ErrClosed)
	returns(t, func() { w.wait(forever) })
}

func TestWithoutADescriptorThereIsAnError(t *testing.T) {
	before := timerfds(t)
	var old unix.Rlimit
	require.NoError(t, unix.Getrlimit(unix.RLIMIT_NOFILE, &old))
	require.NoError(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 0, Max: old.Max}))
	w, err := Precise{}.newWaiter()
	require.NoError(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &old))
	require.Nil(t, w)
	require.ErrorIs(t, err, unix.EMFILE)
	require.EqualError(t, err, "precise waiting: timerfd_create: too many open files")
	require.Equal(t, before, timerfds(t))
}

// A timerfd may become ready for the wait before, and a kick may set its deadline after it was drained. Neither ends a wait,
// nor hides a kick that comes later.
func TestOnlyItsEndAndAKickEndAWait(t *testing.T) {
	w := precise(t)
	defer w.close()
	for name, disturb := range map[string]func(){
		"a stray expiry": func() {
			w.conn.Control(func(fd uintptr) {
				unix.TimerfdSettime(int(fd), 0, &unix.ItimerSpec{Value: unix.Timespec{Nsec: 1}}, nil)
			})
		},
		"a kick drained halfway": func() { w.file.SetReadDeadline(longAgo) },
	} {
		const sleep = 2 * time.Millisecond
		for i := range 50 {
			done := make(chan struct{})
			w.drain()
			disturb() // before the wait, and during it
			time.AfterFunc(time.Duration(i)*sleep/50, func() { disturb(); close(done) })
			start := time.Now()
			w.wait(sleep)
			require.GreaterOrEqual(t, time.Since(start), sleep, name)
			<-done
			w.drain()
			kick := time.AfterFunc(sleep/4, w.kick)
			returns(t, func() { w.wait(forever) })
			require.False(t, kick.Stop(), name)
		}
	}
}

// TestAWaitHoldsNoThread has many wait at once: were each a thread in a system call, there would be as many threads.
func TestAWaitHoldsNoThread(t *testing.T) {
	threads := func() int { return len(must.Get(filepath.Glob("/proc/self/task/*"))(t)) }
	const n = 200
	waiters, done := make([]waiter, n), make(chan struct{}, n)
	before := threads()
	for i := range waiters {
		waiters[i] = precise(t)
		waiters[i].drain()
		go func() {
			waiters[i].wait(forever)
			done <- struct{}{}
		}()
	}
	time.Sleep(50 * time.Millisecond)
	require.Less(t, threads(), before+n/2)
	for _, w := range waiters {
		w.kick()
	}
	returns(t, func() {
		for range n {
			<-done
		}
	})
	for _, w := range waiters {
		require.NoError(t, w.close())
	}
}

func TestKernelSleepsLongerByItsSlack(t *testing.T) {
	w := must.Get(Kernel{}.newWaiter())(t)
	defer w.close()
	fd := w.(*timerfdWaiter)
	w.wait(time.Millisecond)
	require.Equal(t, time.Millisecond+kernelSlack, fd.sleep)
	w.wait(0)
	require.Zero(t, fd.sleep, "what is due is not put off")
}

func TestWaitsInABubbleAreVirtual(t *testing.T) {
	require.False(t, timeIsVirtual())
	synctest.Test(t, func(t *testing.T) {
		require.True(t, timeIsVirtual())
		for _, waiting := range []Waiting{Runtime{}, Precise{}} {
			w := must.Get(waiting.newWaiter())(t)
			start := time.Now()
			w.drain()
			w.wait(time.Hour)
			require.Equal(t, time.Hour, time.Since(start))
			time.AfterFunc(time.Minute, w.kick)
			w.drain()
			w.wait(forever)
			require.Equal(t, time.Hour+time.Minute, time.Since(start))
			require.NoError(t, w.close())
		}
	})
	require.False(t, timeIsVirtual())
}
