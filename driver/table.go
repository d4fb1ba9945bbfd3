package driver

import (
	"fmt"
	"iter"
	"math"
	"math/bits"
	"time"

	"schedbench/schedulers"
)

// state is where a task stands. A task that has begun has no record any more.
type state uint8

const (
	free    state = iota // the record holds no task
	pending              // in the scheduler
	found                // handed out by Expire, not yet begun
)

// record holds one task. It is 32 bytes long, so two share a cache line.
type record struct {
	f          func()
	id         schedulers.ID // of the scheduler, while pending
	deadline   time.Duration
	generation uint32 // of the handle that is valid while not free
	next       uint16 // the next free record of the chunk, while free
	state      state
}

const (
	chunkBits = 9
	chunkSize = 1 << chunkBits
	maxChunks = 1 << (32 - chunkBits)
	spare     = 16 // empty chunks that are kept for the next burst
	noRecord  = math.MaxUint16
)

// chunk heads a block of records. Heads lie close together, so that finding a
// record costs one cache miss, its own.
type chunk struct {
	records *[chunkSize]record // nil after being given back
	used    uint32             // records that are not on the free list
	base    uint32             // generation before that of a new record
	first   uint16             // the first free record, or noRecord
}

// table holds the tasks in records named by handles. A handle combines the cell
// of a record (chunk and place in it) with a generation that rises with every
// use, so a handle that is no longer valid is recognised for good. Growing adds
// a chunk and moves nothing; chunks that stay empty are given back.
type table struct {
	used   int // tasks in the table
	chunks []chunk
	room   []uint64 // one bit per chunk: it has a free record
	gone   []uint32 // chunks whose records were given back
	empty  int      // chunks that have records but no task
	last   uint32   // the chunk freed into last: its memory is still in cache
}

func handleOf(cell, generation uint32) uint64 {
	return uint64(generation)<<32 | uint64(cell)
}

// at returns the record of h, or nil if h is not valid.
func (t *table) at(h uint64) *record {
	cell := uint32(h)
	if int(cell>>chunkBits) >= len(t.chunks) {
		return nil
	}
	records := t.chunks[cell>>chunkBits].records
	if records == nil {
		return nil
	}
	r := &records[cell%chunkSize]
	if r.state == free || r.generation != uint32(h>>32) {
		return nil
	}
	return r
}

// take returns a free record and its handle. The record stays free in state, to
// be settled by the caller. The error is schedulers.ErrFull.
func (t *table) take() (uint64, *record, error) {
	number := t.last
	if int(number) >= len(t.chunks) || t.chunks[number].first == noRecord {
		var ok bool
		if number, ok = t.roomy(); !ok {
			return 0, nil, fmt.Errorf("%w: %d tasks", schedulers.ErrFull, t.used)
		}
	}
	c := &t.chunks[number]
	if c.used == 0 {
		t.empty--
	}
	place := c.first
	r := &c.records[place]
	if c.first = r.next; c.first == noRecord {
		t.room[number/64] &^= 1 << (number % 64)
	}
	c.used++
	t.used++
	return handleOf(number<<chunkBits|uint32(place), r.generation), r, nil
}

// free gives the record r of handle h back. A record that has used up its
// generations is never used again.
func (t *table) free(h uint64, r *record) {
	t.used--
	r.f, r.state = nil, free
	if r.generation == math.MaxUint32 {
		return
	}
	r.generation++
	cell := uint32(h)
	number := cell >> chunkBits
	c := &t.chunks[number]
	if c.first == noRecord {
		t.room[number/64] |= 1 << (number % 64)
	}
	r.next, c.first = c.first, uint16(cell%chunkSize)
	t.last = number
	if c.used--; c.used == 0 {
		t.emptied(number)
	}
}

// all yields the records of all tasks.
func (t *table) all() iter.Seq[*record] {
	return func(yield func(*record) bool) {
		for _, c := range t.chunks {
			if c.records == nil {
				continue
			}
			for i := range c.records {
				if r := &c.records[i]; r.state != free && !yield(r) {
					return
				}
			}
		}
	}
}

// roomy returns a chunk with a free record, a new one if need be.
func (t *table) roomy() (uint32, bool) {
	for i, word := range t.room {
		if word != 0 {
			return uint32(i*64 + bits.TrailingZeros64(word)), true
		}
	}
	if n := len(t.gone); n > 0 {
		number := t.gone[n-1]
		t.gone = t.gone[:n-1]
		t.fill(number)
		return number, true
	}
	if len(t.chunks) == maxChunks {
		return 0, false
	}
	number := uint32(len(t.chunks))
	t.chunks = append(t.chunks, chunk{})
	if int(number/64) == len(t.room) {
		t.room = append(t.room, 0)
	}
	t.fill(number)
	return number, true
}

// fill gives a chunk its records, all of them free and of a generation that no
// handle has had.
func (t *table) fill(number uint32) {
	c := &t.chunks[number]
	c.records = new([chunkSize]record)
	for i := range c.records {
		c.records[i].generation = c.base + 1
		c.records[i].next = uint16(i + 1)
	}
	c.records[chunkSize-1].next = noRecord
	c.first = 0
	t.room[number/64] |= 1 << (number % 64)
	t.empty++
}

// emptied notes that a chunk has lost its last task, and gives its records back
// if enough others stand empty.
func (t *table) emptied(number uint32) {
	if t.empty++; t.empty <= spare {
		return
	}
	c := &t.chunks[number]
	highest := c.base
	for i := range c.records {
		highest = max(highest, c.records[i].generation)
	}
	if highest == math.MaxUint32 {
		return // a new record would have no generation left
	}
	c.records, c.first, c.base = nil, noRecord, highest
	t.room[number/64] &^= 1 << (number % 64)
	t.gone = append(t.gone, number)
	t.empty--
}
