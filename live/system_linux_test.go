package live

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"schedbench/internal/must"
)

func TestOnOneProcessor(t *testing.T) {
	processors := func() int {
		var set unix.CPUSet
		require.NoError(t, unix.SchedGetaffinity(0, &set))
		return set.Count()
	}
	var within, after int
	before := make(chan int)
	go func() { before <- processors() }()
	all := <-before
	OnOneProcessor(func() {
		within = processors()
		go func() { before <- processors() }()
		after = <-before
	})
	require.Equal(t, 1, within)
	require.Equal(t, all, after, "another goroutine meanwhile")
	require.Equal(t, all, processors(), "afterwards")
}

func TestStallsAreWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stalls")
	said := must.Get(os.Create(path))(t)
	defer said.Close()
	stop := WatchStalls(said)
	time.Sleep(20 * time.Millisecond)
	stop()
	for _, s := range must.Get(StallsIn(path))(t) {
		require.GreaterOrEqual(t, s.To-s.From, int64(leastStall))
	}
	require.NoError(t, said.Close(), "it has stopped")
}

func TestTheTimeOfTheMachineIsRead(t *testing.T) {
	m, ok := parseMachine("cpu  100 200 300 4000 500 60 70 80 90 10")
	require.True(t, ok)
	require.InDelta(t, 8.1, m.busy, 1e-9)
	require.InDelta(t, 53.1, m.all, 1e-9)
	for _, bad := range []string{"", "cpu", "cpu0 1 2 3 4 5 6 7 8", "cpu 1 2 3 4 5 6 7", "cpu 1 2 x 4 5 6 7 8", "cpu -1 2 3 4 5 6 7 8"} {
		_, ok := parseMachine(bad)
		require.False(t, ok, bad)
	}
	_, ok = readMachine()
	require.True(t, ok)
}

func TestUsageIsReadFromOutside(t *testing.T) {
	u, ok := ReadUsageOf(os.Getpid())
	require.True(t, ok)
	own, _ := ReadUsage()
	require.Positive(t, u.CPU)
	require.LessOrEqual(t, u.CPU, own.CPU)
	require.Positive(t, u.Switches)
	_, ok = ReadUsageOf(1 << 30)
	require.False(t, ok)
}
