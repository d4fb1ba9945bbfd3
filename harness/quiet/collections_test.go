package quiet

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// madeCollections returns collections of which the readings are made up.
func madeCollections(readings ...[2]uint64) Collections {
	return Collections{Read: func() (cycles, pauses uint64) {
		next := readings[0]
		readings = readings[1:]
		return next[0], next[1]
	}}
}

func TestAChunkIsMarkedFromTheBeginningOfACollectionToItsSweeping(t *testing.T) {
	c := madeCollections(
		[2]uint64{3, 6}, [2]uint64{3, 6}, // nothing
		[2]uint64{3, 7}, [2]uint64{3, 7}, // it has begun, and goes on
		[2]uint64{4, 7}, // it has marked; its second pause is not counted yet
		[2]uint64{4, 8}, // now it is
		[2]uint64{4, 8}, [2]uint64{4, 8},
		[2]uint64{5, 10}, [2]uint64{5, 10}, [2]uint64{5, 10}, // a whole one between two readings
		[2]uint64{5, 10},
	)
	c.Start()
	var ran []bool
	for range 10 {
		ran = append(ran, c.Ran())
	}
	require.Equal(t, []bool{false, true, true, true, true, false, false, true, true, false}, ran)
}

func TestCollectionsAreRead(t *testing.T) {
	c := NewCollections()
	c.Start()
	runtime.GC()
	require.True(t, c.Ran(), "it has ended since")
	require.Zero(t, testing.AllocsPerRun(10, func() { c.Ran() }))
}
