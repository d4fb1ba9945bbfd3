package durable_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/stretchr/testify/require"

	"schedbench/durable"
)

// heldInFolder leaves a timer in a folder, and returns where the engine says what it keeps there.
func heldInFolder(t *testing.T) (o durable.Options, description, sum string) {
	o = durable.Options{Dir: t.TempDir(), OnError: quiet}
	timers, err := durable.Open(t.Context(), o)
	require.NoError(t, err)
	_, err = timers.ScheduleAfter(t.Context(), time.Hour, "task", nil)
	require.NoError(t, err)
	require.NoError(t, timers.Close(t.Context()))
	stream := filepath.Join(o.Dir, "jetstream", "$G", "streams", "timers")
	return o, filepath.Join(stream, server.JetStreamMetaFile), filepath.Join(stream, server.JetStreamMetaFileSum)
}

func requireHeld(t *testing.T, o durable.Options) {
	timers, err := durable.Open(t.Context(), o)
	require.NoError(t, err)
	n, err := timers.Count(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.NoError(t, timers.Close(t.Context()))
}

func TestKilledBeforeTheSumWasWritten(t *testing.T) {
	o, _, sum := heldInFolder(t)
	is, err := os.ReadFile(sum)
	require.NoError(t, err)
	for _, was := range []string{"", "0123456789abcdef"} {
		require.NoError(t, os.Remove(sum))
		if was != "" {
			require.NoError(t, os.WriteFile(sum, []byte(was), 0o600))
		}
		requireHeld(t, o)
		now, err := os.ReadFile(sum)
		require.NoError(t, err)
		require.Equal(t, string(is), string(now))
	}
}

func TestADescriptionThatCannotBeRead(t *testing.T) {
	o, description, _ := heldInFolder(t)
	is, err := os.ReadFile(description)
	require.NoError(t, err)
	for _, was := range []string{"", "not that", strings.Repeat("not that", 100)} {
		require.NoError(t, os.WriteFile(description, []byte(was), 0o600))
		_, err = durable.Open(t.Context(), o)
		require.ErrorIs(t, err, durable.ErrFolder)
		require.ErrorContains(t, err, description)
		t.Log(err)
	}
	require.NoError(t, os.WriteFile(description, is, 0o600))
	requireHeld(t, o)
}

func TestOpenWritesNoDescriptionThatIsThere(t *testing.T) {
	o, description, _ := heldInFolder(t)
	is, err := os.ReadFile(description)
	require.NoError(t, err)
	requireHeld(t, o)
	now, err := os.ReadFile(description)
	require.NoError(t, err)
	require.Equal(t, is, now)
}
