package live

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestOnOneProcessor(t *testing.T) {
	processors := func() int {
		var set unix.CPUSet
		require.NoError(t, unix.SchedGetaffinity(0, &set))
		return set.Count()
	}
	var within, after int
	before := make(chan int)
	go func() { before <- processors() }()
	all := <-before
	OnOneProcessor(func() {
		within = processors()
		go func() { before <- processors() }()
		after = <-before
	})
	require.Equal(t, 1, within)
	require.Equal(t, all, after, "another goroutine meanwhile")
	require.Equal(t, all, processors(), "afterwards")
}
