//go:build linux

package driver_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
)

const (
	pausedChild  = "SCHEDBENCH_PAUSED_CHILD" // the name of the subject
	pausedTimers = 10_000                    // due in the first three seconds
	pausedLater  = 100                       // due much later
	minPause     = 500 * ms
)

// pauseSeen is what a child that was stopped has seen of the pause.
type pauseSeen struct {
	Fired, Unfired                   int
	Doubled, Lost, Early, OutOfOrder int
	Longest                          driver.Pause
}

// A process that is stopped for two seconds and goes on (kill -STOP, kill -CONT)
// loses no timer, doubles none, fires none early and all in order; and the pause
// handler hears of it.
func TestStoppedProcess(t *testing.T) {
	if testing.Short() {
		t.Skip("takes three seconds")
	}
	var group sync.WaitGroup
	saw, errs := make(map[string]pauseSeen), make(map[string]error)
	var mu sync.Mutex // protects both
	for _, s := range subjects() {
		switch s.name {
		case "heapsched", "hierwheel", "heapsched-sharded", "hierwheel-queued":
			group.Go(func() {
				seen, err := stopChild(t.Context(), s.name)
				mu.Lock()
				defer mu.Unlock()
				saw[s.name], errs[s.name] = seen, err
			})
		}
	}
	group.Wait()
	for name, saw := range saw {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, errs[name])
			require.Equal(t, pausedTimers, saw.Fired)
			require.Equal(t, pausedLater, saw.Unfired)
			require.Zero(t, saw.Lost, "lost")
			require.Zero(t, saw.Doubled, "doubled")
			require.Zero(t, saw.Early, "early")
			if !strings.HasSuffix(name, "-sharded") { // in order within each shard only
				require.Zero(t, saw.OutOfOrder, "out of order")
			}
			require.GreaterOrEqual(t, saw.Longest.Late, time.Second)
			require.Positive(t, saw.Longest.Fired)
		})
	}
}

// stopChild runs TestPausedChild in another process, which it stops for two
// seconds.
func stopChild(ctx context.Context, subject string) (saw pauseSeen, err error) {
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run", "^TestPausedChild$", "-test.count=1")
	cmd.Env = append(os.Environ(), pausedChild+"="+subject)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return saw, err
	}
	if err := cmd.Start(); err != nil {
		return saw, err
	}
	lines := bufio.NewReader(out)
	ready, err := lines.ReadString('\n')
	if ready == "ready\n" {
		err = errors.Join(err, cmd.Process.Signal(syscall.SIGSTOP))
		time.Sleep(2 * time.Second)
		err = errors.Join(err, cmd.Process.Signal(syscall.SIGCONT))
	}
	rest, _ := io.ReadAll(lines)
	if err := errors.Join(err, cmd.Wait()); err != nil {
		return saw, fmt.Errorf("%w: %s%s", err, ready, rest)
	}
	return saw, json.NewDecoder(bytes.NewReader(rest)).Decode(&saw)
}

func TestPausedChild(t *testing.T) {
	name := os.Getenv(pausedChild)
	if name == "" {
		t.Skip("runs in the process that TestStoppedProcess starts")
	}
	for _, s := range subjects() {
		if s.name == name {
			saw := watchPause(t, s)
			require.NoError(t, json.NewEncoder(os.Stdout).Encode(saw))
		}
	}
}

// lead is the time there is to make the timers and to list them, before the first
// is due.
const lead = 4 * time.Second

// watchPause runs timers over two seconds and says what became of them. The
// tasks run on the worker, one after another, so they share what is seen.
func watchPause(t *testing.T, s subject) (saw pauseSeen) {
	paused, ended := make(chan struct{}, 100), make(chan struct{})
	d := s.start(t, driver.WithPauseHandler(minPause, func(p driver.Pause) {
		if p.Late > saw.Longest.Late {
			saw.Longest = p
		}
		paused <- struct{}{}
	}))
	began := time.Now()
	fired := make([]int, pausedTimers)
	deadlines := make([]time.Duration, pausedTimers) // as the driver has them
	asked := new(atomic.Pointer[func(i int)])
	latest := time.Duration(math.MinInt64)
	for i := range fired {
		delay := lead + time.Duration(i*7919%pausedTimers)*220*time.Microsecond
		earliest := time.Since(began) + delay
		after(t, d, delay, func() {
			if answer := asked.Load(); answer != nil {
				(*answer)(i)
				return
			}
			if time.Since(began) < earliest {
				saw.Early++
			}
			if deadlines[i]+s.tick <= latest {
				saw.OutOfOrder++
			}
			latest = max(latest, deadlines[i])
			fired[i]++
			if saw.Fired++; saw.Fired == pausedTimers {
				close(ended)
			}
		})
	}
	all, err := d.All()
	require.NoError(t, err)
	require.Len(t, all, pausedTimers, "this machine is too slow")
	for _, p := range all {
		answer := func(i int) { deadlines[i] = p.Remaining }
		asked.Store(&answer)
		p.Func()
	}
	asked.Store(nil)
	for range pausedLater {
		after(t, d, 5*time.Minute, func() { t.Error("ran minutes early") })
	}
	time.Sleep(time.Until(began.Add(lead - 500*ms))) // so that the worker sleeps when it is stopped
	fmt.Println("ready")
	for _, c := range []<-chan struct{}{ended, paused} {
		select {
		case <-c:
		case <-time.After(time.Minute):
			t.Error("nothing came in a minute")
		}
	}
	unfired, err := d.Close(context.Background())
	require.NoError(t, err)
	saw.Unfired = len(unfired)
	for _, n := range fired {
		if n == 0 {
			saw.Lost++
		}
		saw.Doubled += max(n-1, 0)
	}
	return saw
}
