package catalog

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/internal/must"
)

func TestAConfigSaysWhatItIs(t *testing.T) {
	for want, c := range map[string]Config{
		"heapsched, tickless, runtime waiting":                    {Scheduler: Heap},
		"listsched, ticking every 5ms, precise waiting":           {Scheduler: List, Tick: 5 * ms, Waking: Ticking, Waiting: Precise},
		"hierwheel 5ms x 256, tickless, runtime waiting":          {Scheduler: Hier, Tick: 5 * ms, Slots: 256},
		"roundswheel 100ms x 512, ticking, runtime waiting":       {Scheduler: Rounds, Tick: 100 * ms, Slots: 512, Waking: Ticking},
		"heapsched, tickless, runtime waiting, goroutine running": {Scheduler: Heap, Running: driver.Goroutine{}},
		"binaryheap, tickless, runtime waiting, queued inbox":     {Scheduler: binaryHeap, Inbox: driver.Queued{}},
	} {
		require.Equal(t, want, c.String())
		require.NoError(t, c.Check())
	}
}

func TestABadConfigIsRefused(t *testing.T) {
	for want, c := range map[string]Config{
		`scheduler "ring", want one of heapsched, listsched`:           {Scheduler: "ring"},
		"a tick of 0s for hierwheel, want more":                        {Scheduler: Hier, Slots: 4},
		"a tick of 0s for heapsched, want more":                        {Scheduler: Heap, Waking: Ticking},
		"a tick of 1ms for heapsched, whose driver does not tick":      {Scheduler: Heap, Tick: ms},
		"1 slots for hierwheel, want 2 to":                             {Scheduler: Hier, Tick: ms, Slots: 1},
		"8 slots for listsched, which has none":                        {Scheduler: List, Slots: 8},
		"1024 slots of 2562047h47m16.854775807s are longer than a dur": {Scheduler: Rounds, Tick: 1<<63 - 1, Slots: 1024},
	} {
		err := c.Check()
		require.ErrorIs(t, err, ErrConfig)
		require.ErrorContains(t, err, want)
	}
	_, err := Config{Scheduler: "ring"}.Start()
	require.ErrorIs(t, err, ErrConfig)
}

func TestEverySystemCanBeStarted(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range Systems() {
		require.NoError(t, s.Config.Check(), s.Name)
		require.NotEmpty(t, s.About)
		require.False(t, seen[s.Name], s.Name)
		seen[s.Name] = true
		d, err := s.Config.Start()
		require.NoError(t, err, s.Name)
		must.Get(d.Close(t.Context()))(t)
	}
	_, err := FindSystem("hashgrid")
	require.ErrorContains(t, err, `unknown system "hashgrid", want one of netty, dubbo, `)
	require.Equal(t, time.Second, must.Get(FindSystem("dubbo-heartbeat"))(t).Config.Tick)
}
