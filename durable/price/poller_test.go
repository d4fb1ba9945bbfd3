package price

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// On a busy machine a timer may reach the engine after its interval was asked for: it runs at the end of the next one.
func TestAPollFindsWhatCameTooLate(t *testing.T) {
	p, err := newPoller(poller(20*time.Millisecond), t.TempDir())
	require.NoError(t, err)
	ran := make(chan time.Duration, 2)
	for _, delay := range []time.Duration{0, -time.Second} {
		time.Sleep(50 * time.Millisecond) // the interval of either is over, that of the first perhaps while it is written
		_, err := p.AfterFunc(delay, func() { ran <- delay })
		require.NoError(t, err)
		require.Equal(t, delay, <-ran)
	}
	require.NoError(t, p.Close())
	require.Empty(t, p.armed)
	require.Empty(t, p.tasks)
}

// What comes while an interval is polled is not removed unseen.
func TestAPollRemovesWhatItHasFound(t *testing.T) {
	p, err := newPoller(poller(time.Hour), t.TempDir())
	require.NoError(t, err)
	at := time.Now().Add(24 * time.Hour)
	slot, ran := p.slot(at), 0
	later := func() {
		ran++
		if ran == 1 {
			require.NoError(t, p.Schedule(at))
		}
	}
	_, err = p.AfterFunc(time.Until(at), later)
	require.NoError(t, err)
	require.NoError(t, p.Flush())
	require.NoError(t, p.runAll(slot))
	require.Equal(t, 1, ran)
	n, err := p.Held()
	require.NoError(t, err)
	require.Equal(t, 1, n, "what was scheduled meanwhile")
	require.NoError(t, p.Close())
}
