package driver

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/heapsched"
)

// A driver gives its timerfd back with Close, whether it was ever used or not.
func TestCloseOfAPreciseDriverGivesTheDescriptorBack(t *testing.T) {
	for _, used := range []bool{false, true} {
		before := timerfds(t)
		d, err := Start(heapsched.New[Task](), WithWaiting(Precise{}))
		require.NoError(t, err)
		require.Equal(t, before+1, timerfds(t))
		if used {
			ran := make(chan struct{})
			_, err := d.AfterFunc(time.Millisecond, func() { close(ran) })
			require.NoError(t, err)
			<-ran
			_, err = d.AfterFunc(time.Hour, func() {})
			require.NoError(t, err)
		}
		_, err = d.Close(context.Background())
		require.NoError(t, err)
		require.Equal(t, before, timerfds(t), "used: %v", used)
	}
}
