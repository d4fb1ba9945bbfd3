package quiet

import (
	"math/rand/v2"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	// chainBytes is more than caches hold, whatever else is in them.
	chainBytes = 64 << 20
	// chainSteps take some 80 µs.
	chainSteps = 300
	lineBytes  = 64
)

// Memory is a control of the caches and the memory that this machine shares with others: a chain of places at
// random, one in each cache line. It lies outside of the heap: the garbage collector would work less often.
type Memory struct{ chain []uint64 }

// NewMemory returns a chain, which takes 64 MB and some 50 ms, or nil if there is no memory for it. Close frees it.
func NewMemory() *Memory {
	bytes, err := unix.Mmap(-1, 0, chainBytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil
	}
	_ = unix.Madvise(bytes, unix.MADV_HUGEPAGE) // to have it faster; it may not be so
	chain := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(bytes))), chainBytes/8)
	const perLine = lineBytes / 8
	order := rand.Perm(chainBytes / lineBytes)
	for i, line := range order {
		chain[line*perLine] = uint64(order[(i+1)%len(order)] * perLine)
	}
	return &Memory{chain}
}

// Close frees the chain.
func (m *Memory) Close() error {
	return unix.Munmap(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(m.chain))), chainBytes))
}

// readings returns what reads the memory: for each goroutine how long some steps take from where it was. They
// begin at places of their own.
func (m *Memory) readings(goroutines int) func(goroutine int) time.Duration {
	places := make([]uint64, goroutines)
	for i := range places {
		places[i] = uint64(i * len(m.chain) / goroutines)
	}
	return func(i int) time.Duration {
		at, start := places[i], time.Now()
		for range chainSteps {
			at = m.chain[at]
		}
		places[i] = at
		return time.Since(start)
	}
}
