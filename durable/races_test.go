package durable_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"schedbench/driver"
	"schedbench/durable"
)

// begun is what has begun, in order.
type begun struct {
	mu         sync.Mutex
	when       map[durable.ID][]time.Time
	deliveries int // beyond the first
}

func (b *begun) handle(_ context.Context, task durable.Task) error {
	now := time.Now()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.when == nil {
		b.when = map[durable.ID][]time.Time{}
	}
	b.when[task.ID] = append(b.when[task.ID], now)
	b.deliveries += task.Delivery - 1
	return nil
}

func (b *begun) of(id durable.ID) []time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.when[id]
}

func (b *begun) len() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.when)
}

// listening starts a server on a port of the machine itself.
func listening(t *testing.T) *server.Server {
	t.Helper()
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true})
	require.NoError(t, err)
	go s.Start()
	require.True(t, s.ReadyForConnections(eventually))
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	return s
}

// places are the two ways to have an engine.
func places(t *testing.T, test func(t *testing.T, o durable.Options)) {
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		test(t, durable.Options{Dir: t.TempDir()})
	})
	t.Run("url", func(t *testing.T) {
		t.Parallel()
		test(t, durable.Options{URL: listening(t).ClientURL()})
	})
}

func open(t *testing.T, o durable.Options, h durable.Handler) *durable.Timers {
	t.Helper()
	timers, err := durable.Open(t.Context(), o)
	require.NoError(t, err)
	t.Cleanup(func() { timers.Close(context.Background()) })
	if h != nil {
		require.NoError(t, timers.Register("note", h))
	}
	return timers
}

// Several cancel and move the same timers at once, when these are about to run: what one of them was told
// holds, whatever the others did.
func TestWhoCancelsIsNotOverruledByOthersWhoTry(t *testing.T) {
	places(t, func(t *testing.T, o durable.Options) {
		var b begun
		timers := open(t, o, b.handle)
		var ids []durable.ID
		base := time.Now().Add(1500 * time.Millisecond)
		at := func(i int) time.Time { return base.Add(time.Duration(i) * 5 * time.Millisecond) }
		for i := range 200 {
			id, err := timers.Schedule(t.Context(), at(i), "note", nil)
			require.NoError(t, err)
			ids = append(ids, id)
		}
		var wg sync.WaitGroup
		var mu sync.Mutex
		cancelled := map[durable.ID]bool{}
		for g := range 4 {
			wg.Go(func() {
				for i, id := range ids {
					time.Sleep(time.Until(at(i).Add(-rand.N(10 * time.Millisecond))))
					if g == 0 {
						_, _ = timers.Reset(t.Context(), id, at(i))
						continue
					}
					if ok, err := timers.Cancel(t.Context(), id); err == nil && ok {
						mu.Lock()
						cancelled[id] = true
						mu.Unlock()
					}
				}
			})
		}
		wg.Wait()
		time.Sleep(2 * time.Second)
		ran := 0
		for _, id := range ids {
			n := len(b.of(id))
			ran += n
			if cancelled[id] {
				require.Zero(t, n, "%s ran, and was cancelled", id)
			} else {
				require.Equal(t, 1, n, "%s was not cancelled", id)
			}
		}
		t.Logf("%d cancelled, %d ran", len(cancelled), ran)
	})
}

// Timers that are moved again and again while they are about to run do not begin before the last instant that
// was agreed, and not twice.
func TestMovedTimersBeginOnceAndThen(t *testing.T) {
	places(t, func(t *testing.T, o durable.Options) {
		var b begun
		timers := open(t, o, b.handle)
		type moved struct {
			id durable.ID
			at time.Time
		}
		list := make([]moved, 100)
		base := time.Now().Add(1200 * time.Millisecond)
		for i := range list {
			at := base.Add(time.Duration(i) * 5 * time.Millisecond)
			id, err := timers.Schedule(t.Context(), at, "note", nil)
			require.NoError(t, err)
			list[i] = moved{id, at}
		}
		var wg sync.WaitGroup
		for i := range list {
			wg.Go(func() {
				m := &list[i]
				for range 3 {
					time.Sleep(time.Until(m.at.Add(-time.Millisecond)))
					at := time.Now().Add(time.Duration(5+i*13%1300) * time.Millisecond)
					ok, err := timers.Reset(t.Context(), m.id, at)
					if err != nil {
						t.Error(err)
					}
					if !ok {
						return
					}
					m.at = at
				}
			})
		}
		wg.Wait()
		require.Eventually(t, func() bool { return b.len() == len(list) }, eventually, 10*time.Millisecond)
		time.Sleep(2 * time.Second)
		for _, m := range list {
			when := b.of(m.id)
			require.Len(t, when, 1, m.id)
			require.False(t, when[0].Before(m.at), "%s began %v early", m.id, m.at.Sub(when[0]))
		}
	})
}

func TestOneIDIsOneTimer(t *testing.T) {
	places(t, func(t *testing.T, o durable.Options) {
		var b begun
		timers := open(t, o, b.handle)
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for i := range 50 {
					_, err := timers.ScheduleAfter(t.Context(), 1500*time.Millisecond, "note", nil, durable.WithID(durable.ID(fmt.Sprint(i))))
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		require.Eventually(t, func() bool { return b.len() == 50 }, eventually, 10*time.Millisecond)
		time.Sleep(2 * time.Second)
		for i := range 50 {
			require.Len(t, b.of(durable.ID(fmt.Sprint(i))), 1)
		}
	})
}

// A near driver that takes no more for the moment delays timers, and loses none.
func TestANearDriverThatIsFullLosesNothing(t *testing.T) {
	var b begun
	timers := open(t, durable.Options{Dir: t.TempDir(), Driver: []driver.Option{driver.WithMaxPending(2)}, OnError: func(error) {}}, b.handle)
	for range 10 {
		_, err := timers.ScheduleAfter(t.Context(), 500*time.Millisecond, "note", nil)
		require.NoError(t, err)
	}
	require.Eventually(t, func() bool { return b.len() == 10 }, eventually, 10*time.Millisecond)
}

// A shutdown with timers near: the next process has them on time, and what has run does not run again.
func TestTheNextProcessHasWhatWasNear(t *testing.T) {
	places(t, func(t *testing.T, o durable.Options) {
		var first, second begun
		timers := open(t, o, first.handle)
		base := time.Now()
		var ids []durable.ID
		for i := range 300 {
			id, err := timers.Schedule(t.Context(), base.Add(time.Duration(i)*10*time.Millisecond), "note", nil)
			require.NoError(t, err)
			ids = append(ids, id)
		}
		time.Sleep(1500 * time.Millisecond)
		require.NoError(t, timers.Close(context.Background()))
		open(t, o, second.handle)
		require.Eventually(t, func() bool { return first.len()+second.len() >= len(ids) }, eventually, 10*time.Millisecond)
		late := time.Duration(0)
		for i, id := range ids {
			require.Len(t, append(first.of(id), second.of(id)...), 1, id)
			for _, when := range second.of(id) {
				late = max(late, when.Sub(base.Add(time.Duration(i)*10*time.Millisecond)))
			}
		}
		t.Logf("%d and %d ran, the latest of the second %v late", first.len(), second.len(), late)
		if o.Dir != "" {
			require.Zero(t, second.deliveries, "they were handed out anew, and not missed first")
		}
	})
}

func TestCloseLeavesNothingBehind(t *testing.T) {
	s := listening(t)
	conn, err := nats.Connect(s.ClientURL())
	require.NoError(t, err)
	defer conn.Close()
	use := func(o durable.Options) {
		timers, err := durable.Open(t.Context(), o)
		require.NoError(t, err)
		require.NoError(t, timers.Register("note", func(context.Context, durable.Task) error { return nil }))
		r, err := timers.ScheduleAsync(time.Now().Add(time.Hour), "note", nil)
		require.NoError(t, err)
		_, err = r.Wait(t.Context())
		require.NoError(t, err)
		_, err = timers.ScheduleAfter(t.Context(), 100*time.Millisecond, "note", nil)
		require.NoError(t, err)
		require.NoError(t, timers.Close(t.Context()))
	}
	use(durable.Options{Conn: conn})
	subs, before := conn.NumSubscriptions(), goleak.IgnoreCurrent()
	for range 3 {
		use(durable.Options{Conn: conn})
	}
	require.Equal(t, subs, conn.NumSubscriptions(), "subscriptions of closed Timers")
	goleak.VerifyNone(t, before)
	dir := t.TempDir()
	for range 2 {
		use(durable.Options{Dir: dir})
		use(durable.Options{URL: s.ClientURL()})
	}
	goleak.VerifyNone(t, before)
}

// An ID that is cancelled, scheduled and moved again and again is one timer, that of the last time.
func TestTheSameIDAgain(t *testing.T) {
	places(t, func(t *testing.T, o durable.Options) {
		var b begun
		timers := open(t, o, b.handle)
		delays := []time.Duration{500 * time.Millisecond, 1100 * time.Millisecond, 3 * time.Second, time.Hour}
		for i := range 10 {
			for _, delay := range delays {
				id := durable.ID(fmt.Sprint(i, " ", delay))
				for range 3 {
					_, err := timers.ScheduleAfter(t.Context(), delay, "note", nil, durable.WithID(id))
					require.NoError(t, err)
					ok, err := timers.Cancel(t.Context(), id)
					require.NoError(t, err)
					require.True(t, ok)
				}
				_, err := timers.ScheduleAfter(t.Context(), delay, "note", nil, durable.WithID(id))
				require.NoError(t, err)
				ok, err := timers.Reset(t.Context(), id, time.Now().Add(200*time.Millisecond))
				require.NoError(t, err)
				require.True(t, ok)
			}
		}
		require.Eventually(t, func() bool { return b.len() == 10*len(delays) }, eventually, 10*time.Millisecond)
		time.Sleep(3 * time.Second)
		for _, when := range b.when {
			require.Len(t, when, 1)
		}
	})
}
