package driver

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// put takes a record as add does.
func put(t *testing.T, table *table) uint64 {
	h, r, err := table.take()
	require.NoError(t, err)
	require.Nil(t, table.at(h), "not valid before its state is settled")
	r.state = pending
	return h
}

func drop(table *table, h uint64) { table.free(h, table.at(h)) }

func requireStale(t *testing.T, table *table, handles []uint64) {
	for _, h := range handles {
		if table.at(h) != nil {
			t.Fatalf("handle %#x is valid again", h)
		}
	}
}

func TestRecordSize(t *testing.T) {
	require.Equal(t, uintptr(32), unsafe.Sizeof(record{}))
}

func TestTableAgainstMap(t *testing.T) {
	var table table
	live := map[uint64]time.Duration{}
	var stale, handles []uint64
	for round := range 20 {
		for target := rand.N(20 * chunkSize); len(live) < target; {
			h := put(t, &table)
			_, twice := live[h]
			require.False(t, twice)
			table.at(h).deadline = time.Duration(len(stale))
			live[h] = table.at(h).deadline
			handles = append(handles, h)
		}
		rand.Shuffle(len(handles), func(i, j int) { handles[i], handles[j] = handles[j], handles[i] })
		keep := rand.N(len(handles) + 1)
		if round%5 == 4 {
			keep = 0
		}
		for _, h := range handles[keep:] {
			drop(&table, h)
			delete(live, h)
			stale = append(stale, h)
		}
		handles = handles[:keep]
		require.Equal(t, len(live), table.used)
		for h, deadline := range live {
			if table.at(h).deadline != deadline {
				t.Fatalf("handle %#x leads to another record", h)
			}
		}
		requireStale(t, &table, stale)
		n := 0
		for range table.all() {
			n++
		}
		require.Equal(t, len(live), n)
	}
}

func TestTableRefusesGarbage(t *testing.T) {
	var table table
	require.Nil(t, table.at(0))
	h := put(t, &table)
	for _, garbage := range []uint64{0, h + 1, h ^ 1<<32, math.MaxUint64, h | math.MaxUint32} {
		require.Nil(t, table.at(garbage), "%#x", garbage)
	}
	require.NotNil(t, table.at(h))
}

func TestTableGivesMemoryBack(t *testing.T) {
	var table table
	var handles []uint64
	for range 100 * chunkSize {
		handles = append(handles, put(t, &table))
	}
	for _, h := range handles[1:] {
		drop(&table, h)
	}
	held := 0
	for _, c := range table.chunks {
		if c.records != nil {
			held++
		}
	}
	require.LessOrEqual(t, held, 2+spare+1)
	require.NotNil(t, table.at(handles[0]))

	for range 100 * chunkSize {
		put(t, &table)
	}
	require.Len(t, table.chunks, 101, "numbers are used again")
	requireStale(t, &table, handles[1:]) // though their chunks were made anew
}

// A record whose generations are used up is left alone, so that no handle ever
// becomes valid again.
func TestTableRetiresRecords(t *testing.T) {
	var table table
	first := put(t, &table)
	table.at(first).generation = math.MaxUint32
	last := handleOf(uint32(first), math.MaxUint32)
	drop(&table, last)
	require.Zero(t, table.used)
	for range 2 * chunkSize {
		require.NotEqual(t, uint32(last), uint32(put(t, &table)))
	}
	require.Nil(t, table.at(last))
}
