package trace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/internal/must"
)

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
