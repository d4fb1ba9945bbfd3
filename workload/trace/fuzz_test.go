package trace

import (
	"bytes"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzOwn reads anything as schedbench's format. What is read without an error is written and read again.
func FuzzOwn(f *testing.F) {
	for _, c := range damaged {
		f.Add(strings.TrimPrefix(c.text[:min(len(c.text), 500)], magic+version))
	}
	f.Add(strings.TrimPrefix(trace("unit us", "s 1 0 30000", "at 0", "r 1 5 7", "dropped 3 full", "c 1 0", "end 3 5"), magic+version))
	f.Fuzz(func(t *testing.T, text string) {
		all, sound := readAny(t, magic+version+text)
		if !sound {
			return
		}
		var b bytes.Buffer
		w := NewWriter(&b, Header{})
		_ = w.Dropped(1, "so that a timer may be scheduled again")
		write(t, w, all)
		require.Equal(t, all, events(t, b.String(), Options{}))
	})
}

func FuzzTracefs(f *testing.F) {
	addExcerpt(f, "nginx.trace.gz")
	addExcerpt(f, "idle.trace.gz")
	for bad := range badLines {
		f.Add(bad[:min(len(bad), 500)])
	}
	f.Add(expiries(5, -3*ms, 0))
	f.Fuzz(func(t *testing.T, text string) { readAny(t, "# tracer: nop\n"+text) })
}

func FuzzPerf(f *testing.F) {
	addExcerpt(f, "idle.perf.gz")
	f.Fuzz(func(t *testing.T, text string) {
		readAny(t, "swapper 0 [000]  3240.940659: timer:hrtimer_cancel: hrtimer=0xffff888627c1c6f8\n"+text)
	})
}

func addExcerpt(f *testing.F, name string) {
	lines := strings.SplitAfter(unpacked(f, filepath.Join("testdata", name)), "\n")
	for from := 0; from < len(lines); from += 40 {
		f.Add(strings.Join(lines[from:min(from+15, len(lines))], ""))
	}
}

// readAny reads a text in both ways, and checks what comes out. It returns what was read, and whether it was sound.
func readAny(t *testing.T, text string) (all []Event, sound bool) {
	for _, skip := range []bool{true, false} {
		f := open(t, text, Options{SkipBad: skip, HZ: 250})
		var err error
		skipped := all
		all, err = readAll(f)
		c := f.Counts()
		require.EqualValues(t, len(all), c.Events)
		require.LessOrEqual(t, len(all), strings.Count(text, "\n")+1)
		sound = err == nil
		switch {
		case skip && err != nil:
			require.Regexp(t, "another version of the form cannot be read|want ns, us, ms or s", err.Error())
		case skip:
			require.LessOrEqual(t, c.AllSkipped(), uint64(c.Lines)+2)
		case sound:
			require.Equal(t, skipped, all, "there was nothing to skip")
			require.Zero(t, c.AllSkipped())
		default:
			require.LessOrEqual(t, syntaxError(t, err).Line, int64(strings.Count(text, "\n")+2))
		}
		useAll(t, all)
	}
	return all, sound
}

func useAll(t require.TestingT, all []Event) {
	last := Event{}
	for _, e := range all {
		require.NoError(t, e.check(last.At))
		last = e
	}
	info := summarized(t, all)
	require.Equal(t, last.At, info.Duration)
	o := Ops(&list{left: all})
	ops := opsOf(t, o)
	require.LessOrEqual(t, len(ops), len(all))
	for _, op := range ops {
		require.LessOrEqual(t, op.Delay, math.MaxInt64-op.At)
		require.Less(t, int(op.Timer), len(ops))
	}
}
