package buckets

import "github.com/stretchr/testify/require"

// requireSound walks every bucket and what a sweep has left of one. The counts
// of blocks and dead entries must agree with what is there, and with a pointer
// in T no place without an entry may hold one.
func requireSound[K Key, T comparable](t require.TestingT, b *Buckets[K, T]) {
	blocks, entries := 0, 0
	taken := make(map[uint32]uint32) // entries of each block
	walk := func(top uint32) {
		for ; top != 0; top = b.below(top) {
			n := (top-1)&blockMask + 1
			taken[(top-1)>>blockBits] = n
			blocks++
			entries += int(n)
		}
	}
	for i, top := range b.tops {
		walk(top)
		swept := b.sweep.rest != 0 && b.sweep.bucket == i
		require.Equal(t, top != 0 || swept, b.Has(i), "bucket %d", i)
	}
	walk(b.sweep.rest)
	require.Equal(t, blocks, b.blocks.Used())
	require.Equal(t, entries-b.Len(), b.held)
	if b.clear {
		requireErased(t, b, taken)
	}
}

func requireErased[K Key, T comparable](t require.TestingT, b *Buckets[K, T], taken map[uint32]uint32) {
	var zero T
	for n := range b.blocks.All() {
		for _, v := range b.blocks.Val(n).vals[taken[n]:] {
			if v != zero {
				require.Fail(t, "a value is kept that has left", "block %d of %d entries", n, taken[n])
			}
		}
	}
}
