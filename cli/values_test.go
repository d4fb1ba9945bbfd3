package cli

import (
	"encoding"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"schedbench/harness"
)

// reads fails the test unless a value is read from texts, and left as it was by a bad text, whose error says what is wanted.
func reads[T any, P interface {
	*T
	encoding.TextUnmarshaler
}](t *testing.T, good map[string]T, want string, bad ...string) {
	t.Helper()
	for text, value := range good {
		var got T
		require.NoError(t, P(&got).UnmarshalText([]byte(text)), text)
		require.Equal(t, value, got, text)
	}
	for _, text := range bad {
		got := good["1"]
		require.ErrorContains(t, P(&got).UnmarshalText([]byte(text)), want, text)
		require.Equal(t, good["1"], got, text)
	}
}

func TestValuesAreReadWithTheirUnits(t *testing.T) {
	reads(t, map[string]percent{"1%": 0.01, "0.01": 0.01, "100%": 1, "1": 1, "0.5%": 0.005},
		"want a share", "", "%", "0", "0%", "-1%", "101%", "1.01", "NaN", "Inf", "one", "1%%", "1 %")
	reads(t, map[string]number{"1": 1, "10k": 10_000, "2M": 2_000_000, "1.5k": 1500, "10M": 10_000_000, "100M": harness.MostPending, "1 k": 1000},
		"want a whole number", "", "0", "-1", "k", "1.5", "101M", "1G", "NaN", "Inf", "1e99")
	reads(t, map[string]memory{"1": 1, "4096": 4096, "64MiB": 64 << 20, "1.5kB": 1500, "2GB": 2e9, "1 kB": 1000},
		"want an amount of memory such as 64MiB", "", "0", "none", "64XiB", "NaN", "99999999TiB")
}

func TestAFolderMayBeBelowHome(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	var f folder
	require.NoError(t, f.UnmarshalText([]byte("~/runs")))
	require.Equal(t, kong.ExpandPath("~/runs"), string(f))
	require.NotContains(t, f, "~")
	require.Error(t, f.UnmarshalText(nil))
}

func TestAnArgumentIsShownAsAShellReadsIt(t *testing.T) {
	for arg, shown := range map[string]string{"10ms": "10ms", "": "''", "a b": "'a b'", "$x": "'$x'", "it's $x": `'it'\''s $x'`} {
		require.Equal(t, shown, typed(arg))
	}
}

func TestWhatMergedRunsDifferInIsCounted(t *testing.T) {
	for said, shown := range map[string]string{"A": "A", "A | A": "A", "A | B": "A (and 1 more)", "A | B | B": "A (and 1 more)", "A | B | A | C": "A (and 2 more)"} {
		require.Equal(t, shown, firstOfRuns(said))
	}
}
