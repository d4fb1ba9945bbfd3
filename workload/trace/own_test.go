package trace

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/internal/must"
)

const ms = time.Millisecond

func TestATraceWrittenByHandIsRead(t *testing.T) {
	const text = `timer-trace 1
# what a person would write
unit ms

s 1 0 30
s 2 5 40
r 1 10 30
c 2 0
f 1 31
end`
	f, got := read(t, text, Options{})
	require.Equal(t, []Event{
		{0, 30 * ms, 1, Schedule}, {5 * ms, 40 * ms, 2, Schedule}, {15 * ms, 30 * ms, 1, Reset},
		{15 * ms, 0, 2, Cancel}, {46 * ms, 0, 1, Fire},
	}, got)
	require.EqualValues(t, 10, f.Counts().Lines)
	require.Empty(t, f.Notes())
	n, err := f.Read(nil)
	require.Zero(t, n)
	require.NoError(t, err)
	_, err = f.Read(make([]Event, 1))
	require.Equal(t, io.EOF, err, "again and again")
	require.NoError(t, f.Close())
}

// TestTheExampleOfTheDocumentationIsATrace reads the indented lines that begin with the first line of a trace.
func TestTheExampleOfTheDocumentationIsATrace(t *testing.T) {
	_, rest, ok := strings.Cut(string(must.Get(os.ReadFile("../../docs/traces.md"))(t)), "\n    "+magic)
	require.True(t, ok)
	example := magic
	for line := range strings.Lines(rest) {
		example += strings.TrimPrefix(line, "    ")
		if strings.HasPrefix(line, "    end") {
			break
		}
	}
	require.Len(t, events(t, example, Options{}), 5)
}

func trace(lines ...string) string { return magic + version + "\n" + strings.Join(lines, "\n") + "\n" }

// damaged are traces with one thing wrong: what an error says of it, and how many events are left when it is skipped.
var damaged = []struct {
	name, text string
	line       int64
	reason     Reason
	says       string
	left       int
}{
	{"garbage", trace("s 1 0 5", "what is this", "c 1 0", "end"), 3, Unknown, `"what"`, 2},
	{"an unknown event", trace("s 1 0 5", "x 1 0 5", "end"), 3, Unknown, `"x"`, 1},
	{"an unknown word of the header", trace("colour blue", "s 1 0 5", "end"), 2, Unknown, `"colour"`, 1},
	{"a header after events", trace("s 1 0 5", "unit ms", "end"), 3, Unknown, `"unit"`, 1},
	{"a time of start that is none", trace("start noon", "end"), 2, Malformed, `"noon"`, 0},
	{"no delay", trace("s 1 0", "end"), 2, Malformed, "a timer number, the time since the line before and a delay", 0},
	{"a delay too many", trace("f 1 0 5", "end"), 2, Malformed, "a timer number and the time since the line before, each", 0},
	{"a negative time", trace("s 1 -5 5", "end"), 2, Malformed, "0 or more", 0},
	{"a fraction", trace("s 1 5 0.5", "end"), 2, Malformed, "want", 0},
	{"two spaces", trace("s 1  5 5", "end"), 2, Malformed, "want", 0},
	{"a number that does not fit", trace("s 99999999999999999999 0 5", "end"), 2, Malformed, "below 2^64", 0},
	{"a time that does not fit", trace("f 1 9", "f 1 9223372036854775799", "f 2 0", "end"), 3, OutOfRange, "beyond the longest duration", 2},
	{"a delay that does not fit", trace("f 1 9", "s 1 0 9223372036854775799", "f 2 0", "end"), 3, OutOfRange, "a delay of 9223372036854775799 ns", 2},
	{"a time that does not fit in its unit", trace("unit s", "s 1 0 9223372037", "end"), 3, OutOfRange, "9223372037 s", 0},
	{"a timer scheduled twice", trace("s 1 0 5", "s 2 0 5", "s 1 1 7", "f 3 1", "end"), 4, Rescheduled, "timer 1 is pending already", 3},
	{"a long line", trace("s 1 0 5", strings.Repeat("x", 3*MaxLine), "c 1 0", "end"), 3, TooLong, "more than 65536 bytes", 2},
	{"a time in full that differs", trace("s 1 5 5", "at 6", "end"), 3, Mismatch, "said to be 6ns, and the steps up to here come to 5ns", 1},
	{"a time in full that is none", trace("s 1 5 5", "at noon", "end"), 3, Malformed, `"noon"`, 1},
	{"a time in full beyond all", trace("unit s", "s 1 5 5", "at 9223372037", "end"), 4, OutOfRange, "9223372037 s", 1},
	{"dropped without a number", trace("dropped some", "end"), 2, Malformed, `"some"`, 0},
	{"another number of events", trace("s 1 5 5", "end 0 5"), 3, Mismatch, "the end line has 0 events, the trace 1", 1},
	{"another end", trace("s 1 5 5", "end 1 6"), 3, Mismatch, "said to be at 6ns", 1},
	{"an end that is none", trace("s 1 5 5", "end soon"), 3, Malformed, "want end", 1},
	{"more after the end", trace("s 1 5 5", "end", "s 2 0 1"), 4, Malformed, "after the \"end\" line", 1},
	{"no end", trace("s 1 5 5"), 2, Truncated, "no \"end\" line", 1},
	{"a line without an end", strings.TrimSuffix(trace("s 1 5 5", "c 1 51"), "1\n"), 3, Truncated, "the line has no end", 1},
	{"nothing but a header", trace(), 2, Truncated, "no \"end\" line", 0},
}

func TestDamageIsAnErrorThatSaysWhereAndWhatOrIsSkippedAndCounted(t *testing.T) {
	for _, c := range damaged {
		t.Run(c.name, func(t *testing.T) { damagedOnce(t, c.text, Options{}, c.line, c.reason, c.says, c.left) })
	}
}

func TestWhatWouldMisreadTheRestIsNeverSkipped(t *testing.T) {
	damage(t, "timer-trace 2\nend\n", Options{SkipBad: true})
	damage(t, trace("unit weeks", "end"), Options{SkipBad: true})
	damage(t, trace(magic+version, "end"), Options{SkipBad: true})
}

func TestAfterSkippedLinesTheTimeIsSetRight(t *testing.T) {
	f, got := read(t, trace("s 1 5 5", "c 1 #", "f 2 3", "at 28", "f 3 2", "end 4 30"), Options{SkipBad: true})
	require.Equal(t, []Event{{5, 5, 1, Schedule}, {8, 0, 2, Fire}, {30, 0, 3, Fire}}, got)
	require.Zero(t, f.Counts().Missing)
}

func TestTheEndTellsHowManyEventsAreMissing(t *testing.T) {
	f, _ := read(t, trace("s 1 5 5", "?? 1 7", "end 2 12"), Options{SkipBad: true})
	require.EqualValues(t, 1, f.Counts().Missing)
	require.EqualValues(t, map[Reason]uint64{Unknown: 1}, f.Counts().Skipped)
}

func TestAfterDroppedEventsATimerMayBeScheduledAgain(t *testing.T) {
	f, got := read(t, trace("s 1 0 5", "dropped 3 queue full", "s 1 0 6", "end"), Options{})
	require.Len(t, got, 2)
	require.EqualValues(t, 3, f.Counts().Lost)
}

func TestDamagedGzipIsAnErrorOrTheEnd(t *testing.T) {
	whole := packed(t, trace(strings.Repeat("s 1 0 5\nc 1 17\n", 20_000), "end"))
	bent := func(at int) string { return whole[:at] + string([]byte{whole[at] ^ 0xff}) + whole[at+1:] }
	for name, data := range map[string]string{
		"cut off": whole[:len(whole)/2], "cut off at the sum": whole[:len(whole)-4], "bent": bent(len(whole) / 2), "with a wrong sum": bent(len(whole) - 6),
		"followed by garbage": whole + "garbage of some length",
	} {
		t.Run(name, func(t *testing.T) {
			at, _ := damage(t, data, Options{})
			require.Equal(t, "file", at.File)
			f, _ := read(t, data, Options{SkipBad: true})
			require.Positive(t, f.Counts().AllSkipped())
		})
	}
}

func TestALineOfAGigabyteTakesNoMemory(t *testing.T) {
	const gigabyte = 1 << 30
	endless := io.MultiReader(strings.NewReader(trace("s 1 0 5")), io.LimitReader(filled{}, gigabyte), strings.NewReader("\nc 1 0\nend\n"))
	f := must.Get(NewReader(endless, "file", Options{SkipBad: true}))(t)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got, err := readAll(f)
	runtime.ReadMemStats(&after)
	require.NoError(t, err)
	require.Len(t, got, 2)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
	require.EqualValues(t, 1, f.Counts().Skipped[TooLong])
}

type filled struct{}

func (filled) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestAReaderThatFailsIsNotDamage(t *testing.T) {
	broken := errors.New("broken disk")
	for _, skip := range []bool{false, true} {
		_, err := readAll(must.Get(NewReader(io.MultiReader(strings.NewReader(trace("s 1 0 5")), iotest.ErrReader(broken)), "file", Options{SkipBad: skip}))(t))
		require.ErrorIs(t, err, broken)
		require.ErrorContains(t, err, "file:3: ")
	}
}

func TestTheFormIsToldFromWhatAFileHolds(t *testing.T) {
	const event = "x-1 [000] d..1. 5.000001: timer_cancel: timer=00000000aa\n"
	for name, c := range map[string]struct {
		text string
		want Format
	}{
		"own":                      {trace("end"), Own},
		"tracefs":                  {"# tracer: nop\n#\n" + event, Tracefs},
		"tracefs without events":   {"# tracer: nop\n", Tracefs},
		"tracefs without its head": {event, Tracefs},
		"tracefs after damage":     {"!!\n\n" + event, Tracefs},
		"trace-cmd report":         {"cpus=2\n" + event, Tracefs},
		"perf script":              {"swapper 0 [000] 5.000001: timer:timer_cancel: timer=0xaa\n", Perf},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range map[string]string{"plain.gz": c.text, "packed": packed(t, c.text)} {
				path := filepath.Join(dir, file)
				require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
				f := must.Get(Open(path, Options{}))(t)
				require.Equal(t, c.want, f.Format())
				require.Equal(t, path, f.Name())
				require.NoError(t, f.Close())
			}
		})
	}
}

func TestWhatIsNoTraceIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "it is empty",
		"hello\n":                  "want a file that begins with",
		"\x00\x01\x02":             "want a file that begins with",
		strings.Repeat("x", 1<<20): "want a file that begins with",
		"PERFILE2\x00\x00":         "the text of perf script",
		"\x17\x08Dtracing6":        "the text of trace-cmd report",
	} {
		for _, skip := range []bool{false, true} {
			_, err := NewReader(strings.NewReader(text), "file", Options{SkipBad: skip})
			require.ErrorIs(t, err, ErrFormat)
			require.ErrorContains(t, err, "file: not a trace: ")
			require.ErrorContains(t, err, want)
		}
	}
}

func TestGzipWithoutAnythingIsDamage(t *testing.T) {
	for _, text := range []string{"\x1f\x8b", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"} {
		_, err := NewReader(strings.NewReader(text), "file", Options{SkipBad: true})
		require.Equal(t, Packing, syntaxError(t, err).Reason)
	}
}

func TestAnAbsurdHZIsRefused(t *testing.T) {
	for _, hz := range []int{-1, MaxHZ + 1} {
		_, err := NewReader(strings.NewReader(trace("end")), "file", Options{HZ: hz})
		require.ErrorContains(t, err, "want 0 (to find it out) to 10000")
	}
}
