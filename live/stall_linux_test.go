package live

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestStallsAreWritten(t *testing.T) {
	var said strings.Builder
	stop := WatchStalls(&said)
	time.Sleep(20 * time.Millisecond)
	stop()
	all, err := ReadStalls(strings.NewReader(said.String()))
	require.NoError(t, err)
	for _, s := range all {
		require.GreaterOrEqual(t, s.To-s.From, int64(leastStall))
	}
	length := said.Len()
	time.Sleep(5 * time.Millisecond)
	require.Equal(t, length, said.Len(), "it has stopped")
}
