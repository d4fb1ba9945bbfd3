package rundata

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// addBlock adds a block of samples.
func addBlock(s *Series, block int, unit string, samples ...float64) {
	for _, v := range samples {
		s.Add(block, 1, Values{unit: v, BytesPerTimer: v})
	}
}

func TestBlocksAreWithoutWhatSlowsARoundForAll(t *testing.T) {
	a, b := NewSeries(Cost, "op", OpPair, "impl", "a"), NewSeries(Cost, "op", OpPair, "impl", "b")
	loop := NewSeries(Cost, "op", OpPair, "impl", EmptyControl)
	elsewhere := NewSeries(Cost, "op", OpInsert, "impl", "a")
	addBlock(a, 1, NsPerOp, 10, 20, 20, 11)
	addBlock(b, 1, NsPerOp, 30, 60, 60, 30)
	addBlock(loop, 1, NsPerOp, 1, 2, 2, 1)
	addBlock(a, 2, NsPerOp, 10, 20, 20, 10)
	addBlock(b, 2, NsPerOp, 30, 60, 60)
	addBlock(elsewhere, 1, NsPerOp, 10, 20, 90)
	before := a.Blocks(BytesPerTimer)

	all := []*Series{a, b, loop, elsewhere}
	for range 2 { // the second time finds the same
		Level(all)
		require.InDelta(t, 15, a.Blocks(NsPerOp)[1], 0.6, "the middle of 10 and 20")
		require.InDelta(t, b.Blocks(NsPerOp)[1]/3, a.Blocks(NsPerOp)[1], 0.6)
		require.InDelta(t, b.Blocks(NsPerOp)[1]/30, loop.Blocks(NsPerOp)[1], 0.1)
		require.Equal(t, 15.0, a.Blocks(NsPerOp)[2], "b has other rounds")
		require.Equal(t, 60.0, b.Blocks(NsPerOp)[2])
		require.Equal(t, 20.0, elsewhere.Blocks(NsPerOp)[1], "alone")
		require.Equal(t, before[1:], a.Blocks(BytesPerTimer)[1:], "not compared by that")
	}
}
