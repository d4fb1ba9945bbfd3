package trace

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/internal/must"
	"schedbench/workload"
	"schedbench/workload/workloadtest"
)

func open(t require.TestingT, text string, o Options) *File {
	return must.Get(NewReader(strings.NewReader(text), "file", o))(t)
}

// readAll returns all events up to an error, which is nil at the end.
func readAll(r Reader) (all []Event, err error) {
	batch := make([]Event, 7)
	for {
		n, err := r.Read(batch)
		all = append(all, batch[:n]...)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return all, err
		}
	}
}

// read opens a text that has to be sound, or as sound as the options say, and returns its events.
func read(t require.TestingT, text string, o Options) (*File, []Event) {
	f := open(t, text, o)
	return f, must.Get(readAll(f))(t)
}

// events returns the events of a text that has to be sound.
func events(t require.TestingT, text string, o Options) []Event {
	_, all := read(t, text, o)
	return all
}

// damage reads a text that has to be damaged, and returns where it is, and the events before it.
func damage(t require.TestingT, text string, o Options) (*SyntaxError, []Event) {
	all, err := readAll(open(t, text, o))
	return syntaxError(t, err), all
}

// damagedOnce reads a text with one damage: it is an error that says so, or skipped, which leaves so many events. It
// returns the events before the damage.
func damagedOnce(t require.TestingT, text string, o Options, line int64, reason Reason, says string, left int) []Event {
	at, before := damage(t, text, o)
	require.Equal(t, []any{"file", line, reason}, []any{at.File, at.Line, at.Reason}, "%v", at)
	require.Contains(t, at.Detail, says)
	require.Less(t, len(at.Error()), 300)
	o.SkipBad = true
	f, got := read(t, text, o)
	require.Len(t, got, left, text)
	require.Equal(t, map[Reason]uint64{reason: 1}, f.Counts().Skipped)
	return before
}

func syntaxError(t require.TestingT, err error) (at *SyntaxError) {
	require.ErrorAs(t, err, &at)
	return at
}

func write(t require.TestingT, w *Writer, all []Event) {
	for _, e := range all {
		require.NoError(t, w.Write(e))
	}
	require.NoError(t, w.Close())
}

func opsOf(t require.TestingT, s workload.Stream) []workload.Op {
	return must.Get(workloadtest.ReadAll(s))(t)
}

type list struct {
	left []Event
	err  error // at the end, instead of io.EOF
}

func (l *list) Read(events []Event) (int, error) {
	n := copy(events, l.left)
	l.left = l.left[n:]
	if n == 0 {
		return 0, cmp.Or(l.err, io.EOF)
	}
	return n, nil
}

func unpacked(t testing.TB, name string) string {
	t.Helper()
	file := must.Get(os.Open(name))(t)
	defer file.Close()
	text := must.Get(io.ReadAll(must.Get(gzip.NewReader(file))(t)))(t)
	return string(text)
}

func packed(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	must.Get(io.WriteString(w, text))(t)
	require.NoError(t, w.Close())
	return b.String()
}

// someEvents draws sound events, in which timers may also end that were never seen, but none is scheduled twice.
func someEvents(t *rapid.T) (all []Event) {
	pending := map[uint64]bool{}
	var now time.Duration
	for range rapid.IntRange(0, 200).Draw(t, "events") {
		now += time.Duration(rapid.SampledFrom([]int64{0, 1, 999, 1e6, 5e9}).Draw(t, "step"))
		e := Event{At: now, Timer: rapid.SampledFrom([]uint64{0, 1, 2, 3, 70_000, 1 << 40, 1<<64 - 1}).Draw(t, "timer")}
		e.Kind = Kind(rapid.IntRange(int(Schedule), int(Fire)).Draw(t, "kind"))
		if e.Kind == Schedule && pending[e.Timer] {
			e.Kind = Reset
		}
		if pending[e.Timer] = arms(e.Kind); arms(e.Kind) {
			e.Delay = time.Duration(rapid.SampledFrom([]int64{0, 1, 3e6, 3e6, 1e15, 1<<63 - 1 - int64(now)}).Draw(t, "delay"))
		}
		all = append(all, e)
	}
	return all
}
