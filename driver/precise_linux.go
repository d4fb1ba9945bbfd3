package driver

import (
	"fmt"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

func (Precise) newWaiter() (waiter, error) { return newPreciseWaiter(0) }

func (Kernel) newWaiter() (waiter, error) { return newPreciseWaiter(kernelSlack) }

// newPreciseWaiter returns a waiter whose sleeps last slack longer than asked for.
func newPreciseWaiter(slack time.Duration) (waiter, error) {
	if timeIsVirtual() {
		return Runtime{}.newWaiter()
	}
	w, err := newTimerfdWaiter()
	if err != nil {
		return nil, fmt.Errorf("precise waiting: %w", err)
	}
	w.slack = slack
	return w, nil
}

// timerfdWaiter sleeps in the network poller until a timerfd is ready to be read: the goroutine is parked and holds no
// thread. The timerfd is never read, since arming it anew makes it unready. So a sleep takes one system call, which
// returns at once. A read would wake the monitoring thread of the Go scheduler each time.
//
// A kick is a read deadline that has passed. The poller keeps it until it is taken away, and wakes the sleeping
// goroutine for it without a system call on the timer.
type timerfdWaiter struct {
	file *os.File
	conn syscall.RawConn
	over func(fd uintptr) bool // w.isOver, made once: a wait allocates nothing

	// kicked is set by a kick before it sets the read deadline. The worker takes the deadline away before it reads
	// kicked. So the worker sees kicked or, later, the deadline.
	kicked atomic.Bool

	slack time.Duration // how much longer a sleep lasts than it is asked for
	start time.Time     // when the present wait began
	sleep time.Duration // and how long it lasts
}

// longestArm limits what the timerfd is set to: it must fit 32 bits of seconds. A longer sleep arms it repeatedly.
const longestArm = 1000 * time.Hour

var (
	longAgo = time.Unix(1, 0)
	never   time.Time // as a deadline: none
)

func newTimerfdWaiter() (*timerfdWaiter, error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("timerfd_create", err)
	}
	w := &timerfdWaiter{file: os.NewFile(uintptr(fd), "timerfd")}
	w.over = w.isOver
	w.conn, err = w.file.SyscallConn()
	if err == nil {
		err = w.file.SetReadDeadline(never) // refused if the poller has refused the file
	}
	if err != nil {
		w.file.Close()
		return nil, err
	}
	return w, nil
}

func (w *timerfdWaiter) wait(sleep time.Duration) {
	w.start, w.sleep = time.Now(), max(sleep, 0)
	if w.sleep > 0 {
		w.sleep = after(w.sleep, w.slack)
	}
	for !w.kicked.Load() {
		if w.conn.Read(w.over) == nil {
			return
		}
		// The deadline is that of a kick, perhaps of one that was drained between its two steps.
		if w.file.SetReadDeadline(never) != nil {
			return // closed
		}
	}
}

// isOver reports whether the present wait is over. If not, it arms the timerfd. The poller calls isOver before it parks the
// worker, and whenever the timerfd has been ready, perhaps for the wait before.
func (w *timerfdWaiter) isOver(fd uintptr) bool {
	left := w.sleep - time.Since(w.start)
	if left <= 0 || w.kicked.Load() {
		return true
	}
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(min(left, longestArm)))}
	if err := unix.TimerfdSettime(int(fd), 0, &spec, nil); err != nil {
		// The kernel refuses only what cannot be here: no timerfd, or a bad time.
		panic(fmt.Sprintf("driver: timerfd_settime for %v: %v", left, err))
	}
	return false
}

func (w *timerfdWaiter) kick() {
	if w.kicked.CompareAndSwap(false, true) {
		w.file.SetReadDeadline(longAgo)
	}
}

func (w *timerfdWaiter) drain() {
	if w.kicked.Load() {
		w.kicked.Store(false)
		w.file.SetReadDeadline(never)
	}
}

func (w *timerfdWaiter) close() error { return w.file.Close() }

// timeIsVirtual reports whether the caller is inside a testing/synctest bubble: whether its clock stands still while
// the system's goes on. The clock of a bubble cannot go on meanwhile, since the caller is running.
func timeIsVirtual() bool {
	var first, now unix.Timespec
	start := time.Now()
	err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &first)
	for now = first; err == nil && now == first; {
		err = unix.ClockGettime(unix.CLOCK_MONOTONIC, &now)
	}
	return err == nil && time.Since(start) == 0
}
