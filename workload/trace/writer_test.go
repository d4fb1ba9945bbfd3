package trace

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/internal/must"
)

var someHeader = Header{
	Source: "nginx, 64 connections", Start: time.Date(2026, 1, 2, 15, 4, 5, 6, time.UTC),
	Notes: []string{"one", "two words"},
}

func TestATraceLooksAsItIsDocumented(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b, someHeader)
	require.NoError(t, w.Dropped(0, "nothing"))
	require.NoError(t, w.Dropped(4, "queue\nfull"))
	require.NoError(t, w.Write(Event{5, 0, 12, Fire}))
	require.EqualValues(t, 1, w.Events())
	require.NoError(t, w.Close())
	require.Equal(t, `timer-trace 1
source nginx, 64 connections
start 2026-01-02T15:04:05.000000006Z
unit ns
note one
note two words
dropped 4 queue full
f 12 5
end 1 5
`, b.String())
}

func TestWhatIsWrittenIsReadAgain(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		all := someEvents(t)
		path := filepath.Join(dir, rapid.SampledFrom([]string{"trace", "trace.gz"}).Draw(t, "name"))
		write(t, must.Get(Create(path, someHeader))(t), all)
		f := must.Get(Open(path, Options{}))(t)
		require.Equal(t, all, must.Get(readAll(f))(t))
		require.Equal(t, someHeader, f.Header())
		require.Equal(t, Own, f.Format())
		require.EqualValues(t, len(all), f.Counts().Events)
		require.Zero(t, f.Counts().AllSkipped())
		require.NoError(t, f.Close())
	})
}

func TestManyEventsAreWrittenWithTheTimeInFull(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b, Header{})
	const n = 3*checkEvery + 1
	for i := range n {
		require.NoError(t, w.Write(Event{At: time.Duration(i) * 1000, Timer: uint64(i), Kind: Fire}))
	}
	require.NoError(t, w.Close())
	require.Equal(t, 3, strings.Count(b.String(), "\nat "))
	require.Len(t, events(t, b.String(), Options{}), n)
}

func TestAnEventThatBreaksTheRulesIsRefusedAndTheTraceGoesOn(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b, Header{})
	require.NoError(t, w.Write(Event{At: 100, Timer: 1, Kind: Fire}))
	for _, c := range []struct {
		e    Event
		want string
	}{
		{Event{At: 99, Timer: 1, Kind: Fire}, "at 99ns, want 100ns or later"},
		{Event{At: -1, Timer: 1, Kind: Fire}, "at -1ns, want 100ns or later"},
		{Event{At: 100, Timer: 1}, "kind 0, want schedule"},
		{Event{At: 100, Timer: 1, Kind: 5}, "kind 5, want schedule"},
		{Event{At: 100, Delay: -5, Timer: 7, Kind: Schedule}, "schedule of timer 7 for -5ns ahead, want 0 or more"},
		{Event{At: 100, Delay: math.MaxInt64, Timer: 7, Kind: Reset}, "want a deadline of at most 2562047h47m16.854775807s"},
	} {
		err := w.Write(c.e)
		require.ErrorIs(t, err, ErrEvent)
		require.ErrorContains(t, err, c.want)
	}
	require.NoError(t, w.Write(Event{At: 100, Timer: 2, Kind: Fire}))
	require.NoError(t, w.Close())
	require.Len(t, events(t, b.String(), Options{}), 2)
}

func TestWhatIsFlushedIsThereForAReader(t *testing.T) {
	for _, name := range []string{"trace", "trace.gz"} {
		path := filepath.Join(t.TempDir(), name)
		w := must.Get(Create(path, Header{}))(t)
		require.NoError(t, w.Write(Event{Timer: 1, Delay: 5, Kind: Schedule}))
		require.NoError(t, w.Flush())
		f := must.Get(Open(path, Options{SkipBad: true}))(t)
		require.Len(t, must.Get(readAll(f))(t), 1, name)
		require.NoError(t, f.Close())
		require.NoError(t, w.Close())
	}
}

func TestAFailedWriteEndsTheTrace(t *testing.T) {
	full := errors.New("disk full")
	w := NewWriter(failing{full}, Header{})
	var err error
	for i := 0; err == nil; i++ {
		require.Less(t, i, writeSize, "nothing is gathered beyond the buffer")
		err = w.Write(Event{At: time.Duration(i), Kind: Fire})
	}
	require.ErrorIs(t, err, full)
	require.ErrorIs(t, w.Write(Event{At: math.MaxInt64, Kind: Fire}), full)
	require.ErrorIs(t, w.Dropped(1, "x"), full)
	require.ErrorIs(t, w.Close(), full)
	require.ErrorIs(t, w.Close(), full, "and again")
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestAClosedWriterTakesNothingMore(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b, Header{})
	require.NoError(t, w.Close())
	size := b.Len()
	require.NoError(t, w.Close())
	require.ErrorIs(t, w.Write(Event{Kind: Fire}), os.ErrClosed)
	require.ErrorIs(t, w.Flush(), os.ErrClosed)
	require.Equal(t, size, b.Len())
}

func TestAHeaderCannotBreakTheForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := Header{Source: rapid.String().Draw(t, "source"), Notes: []string{rapid.String().Draw(t, "note"), strings.Repeat("x", 2*MaxLine)}}
		var b bytes.Buffer
		w := NewWriter(&b, h)
		require.NoError(t, w.Write(Event{Timer: 1, Delay: 2, Kind: Schedule}))
		require.NoError(t, w.Dropped(1, h.Source))
		require.NoError(t, w.Close())
		require.Len(t, events(t, b.String(), Options{}), 1)
	})
}

func TestAnEventAllocatesNothing(t *testing.T) {
	w := NewWriter(io.Discard, Header{})
	e := Event{Delay: 30 * time.Second, Timer: 123, Kind: Schedule}
	require.Zero(t, testing.AllocsPerRun(10_000, func() {
		e.At += 12_345
		if w.Write(e) != nil {
			panic("refused")
		}
	}))
}
