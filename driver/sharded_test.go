package driver_test

import (
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/schedulers"
)

// everywhere calls f n times, each on a goroutine of its own, with all of them
// alive at once: so a Sharded driver gets timers in all its shards. It returns
// once all the calls have.
func everywhere(n int, f func(i int)) {
	var group, alive sync.WaitGroup
	alive.Add(n)
	for i := range n {
		group.Go(func() {
			alive.Done()
			alive.Wait()
			f(i)
		})
	}
	group.Wait()
}

// afterEverywhere makes n timers from as many goroutines.
func afterEverywhere(t *testing.T, d *driver.Driver, n int, task func(i int) (time.Duration, func())) []driver.Timer {
	t.Helper()
	timers := make([]driver.Timer, n)
	everywhere(n, func(i int) {
		timer, err := d.AfterFunc(task(i))
		if err == nil {
			timers[i] = timer
		}
	})
	for _, timer := range timers {
		require.NotZero(t, timer)
	}
	return timers
}

// A watchedShard notes in a book of all shards what it is given.
type watchedShard struct {
	*plain
	shard int
	book  *book
}

type book struct {
	mu   sync.Mutex
	last int   // the shard that was given a value last
	held []int // by shard: values given
}

func (w watchedShard) Schedule(deadline time.Duration, task driver.Task) (schedulers.ID, error) {
	w.book.mu.Lock()
	w.book.last = w.shard
	w.book.held[w.shard]++
	w.book.mu.Unlock()
	return w.plain.Schedule(deadline, task)
}

// startSharded starts a driver of n shards that are watched.
func startSharded(t *testing.T, n int, opts ...driver.Option) (*driver.Driver, *book) {
	t.Helper()
	b := &book{held: make([]int, n)}
	made := 1
	inbox := driver.Sharded{Shards: n, New: func() (schedulers.Scheduler[driver.Task], error) {
		made++
		return watchedShard{newPlain(), made - 1, b}, nil
	}}
	d := start(t, watchedShard{newPlain(), 0, b}, append(opts, driver.WithInbox(inbox))...)
	require.Equal(t, n, made, "New makes all but the first")
	return d, b
}

// Timers made by many goroutines get into all shards and fire out of all shards;
// and a driver at rest does not wake up for any of them.
func TestShardedUsesAllShards(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, b := startSharded(t, 4)
		began := time.Now()
		var mu sync.Mutex
		fired := make([]time.Duration, 64)
		afterEverywhere(t, d, len(fired), func(i int) (time.Duration, func()) {
			return time.Hour + time.Duration(i)*time.Second, func() {
				mu.Lock()
				defer mu.Unlock()
				fired[i] = time.Since(began) - time.Hour
			}
		})
		for shard, n := range b.held {
			require.NotZero(t, n, "shard %d", shard)
		}
		require.Equal(t, len(fired), d.Len())
		synctest.Wait()
		before := d.Stats().Wakeups
		pass(time.Hour - 1)
		require.Equal(t, before, d.Stats().Wakeups)
		pass(time.Hour)
		for i, at := range fired {
			require.Equal(t, time.Duration(i)*time.Second, at)
		}
		require.Zero(t, d.Len())
	})
}

// Within a shard tasks begin in the order of its scheduler.
func TestShardedKeepsTheOrderWithinAShard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, b := startSharded(t, 4)
		want, got := make([][]int, 4), make([][]int, 4)
		for i := range 1000 {
			deepDown(rand.N(1000), func() {
				var shard int
				known := make(chan struct{})
				after(t, d, time.Second, func() {
					<-known
					got[shard] = append(got[shard], i)
				})
				shard = b.last
				want[shard] = append(want[shard], i)
				close(known)
			})
		}
		for shard := range want {
			require.NotEmpty(t, want[shard], "shard %d", shard)
		}
		pass(2 * time.Second)
		require.Equal(t, want, got)
	})
}

// What New returns is checked like the scheduler given to Start.
func TestShardedRefuses(t *testing.T) {
	broken := errors.New("broken")
	used := newPlain()
	_, err := used.Schedule(1, driver.Task{})
	require.NoError(t, err)
	for want, make := range map[error]func() (schedulers.Scheduler[driver.Task], error){
		broken:              func() (schedulers.Scheduler[driver.Task], error) { return nil, broken },
		driver.ErrScheduler: func() (schedulers.Scheduler[driver.Task], error) { return used, nil },
	} {
		d, err := driver.Start(newPlain(), driver.WithInbox(driver.Sharded{Shards: 2, New: make}))
		require.ErrorIs(t, err, want)
		require.Nil(t, d)
	}
	none := func() (schedulers.Scheduler[driver.Task], error) { return nil, nil }
	_, err = driver.Start(newPlain(), driver.WithInbox(driver.Sharded{Shards: 2, New: none}))
	require.ErrorIs(t, err, driver.ErrScheduler)
	for _, n := range []int{-1, 0, 1<<10 + 1} {
		_, err = driver.Start(newPlain(), driver.WithInbox(driver.Sharded{Shards: n, New: none}))
		require.ErrorIs(t, err, driver.ErrOption)
	}
	d := start(t, newPlain(), driver.WithInbox(driver.Sharded{Shards: 1, New: none}))
	require.Zero(t, d.Len(), "one shard needs no New")
}
