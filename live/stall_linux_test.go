package live

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/internal/must"
)

func TestStallsAreWritten(t *testing.T) {
	var said strings.Builder
	stop := WatchStalls(&said)
	time.Sleep(20 * time.Millisecond)
	stop()
	for _, s := range must.Get(ReadStalls(strings.NewReader(said.String())))(t) {
		require.GreaterOrEqual(t, s.To-s.From, int64(leastStall))
	}
	length := said.Len()
	time.Sleep(5 * time.Millisecond)
	require.Equal(t, length, said.Len(), "it has stopped")
}
