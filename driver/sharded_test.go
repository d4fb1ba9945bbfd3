package driver_test

import (
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/schedulers"
)

// everywhere calls f n times, each on a goroutine of its own, with all of them alive at once: so a Sharded driver gets
// timers in all its shards. It returns once all the calls have.
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

// A watchedShard notes in a book of all shards what it is given.
type watchedShard struct {
	*plain
	shard int
	book  *book
}

type book struct{ last int } // the shard that was given a value last

func (w watchedShard) Schedule(deadline time.Duration, task driver.Task) (schedulers.ID, error) {
	w.book.last = w.shard
	return w.plain.Schedule(deadline, task)
}

// startSharded starts a driver of n shards that are watched.
func startSharded(t *testing.T, n int) (*driver.Driver, *book) {
	t.Helper()
	b := new(book)
	made := 1
	inbox := driver.Sharded{Shards: n, New: func() (schedulers.Scheduler[driver.Task], error) {
		made++
		return watchedShard{newPlain(), made - 1, b}, nil
	}}
	d := start(t, watchedShard{newPlain(), 0, b}, driver.WithInbox(inbox))
	require.Equal(t, n, made, "New makes all but the first")
	return d, b
}

// Timers get into all shards, and begin in the order of each. A driver at rest does not wake up for any of them.
func TestShardedUsesAllShards(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, b := startSharded(t, 4)
		var mu sync.Mutex // protects what follows
		want, got, in := make([][]int, 4), make([][]int, 4), make([]int, 1000)
		for i := range in {
			deepDown(rand.N(1000), func() {
				after(t, d, time.Hour, func() {
					mu.Lock()
					defer mu.Unlock()
					got[in[i]] = append(got[in[i]], i)
				})
				mu.Lock()
				defer mu.Unlock()
				in[i] = b.last
				want[b.last] = append(want[b.last], i)
			})
		}
		for shard := range want {
			require.NotEmpty(t, want[shard], "shard %d", shard)
		}
		synctest.Wait()
		before := d.Stats().Wakeups
		pass(time.Hour - 1)
		require.Equal(t, before, d.Stats().Wakeups)
		pass(1)
		require.Equal(t, want, got)
	})
}
