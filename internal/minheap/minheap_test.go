package minheap_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/internal/minheap"
)

func TestAHeapGivesOutInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := minheap.Heap[int]{Less: func(a, b *int) bool { return *a < *b }}
		var want []int
		for range rapid.IntRange(0, 200).Draw(t, "steps") {
			if len(want) > 0 && rapid.Bool().Draw(t, "pop") {
				require.Equal(t, want[0], *h.First())
				require.Equal(t, want[0], h.Pop())
				want = want[1:]
			} else {
				n := rapid.IntRange(0, 50).Draw(t, "item")
				h.Push(n)
				want = append(want, n)
				slices.Sort(want)
			}
			require.Equal(t, len(want), h.Len())
		}
	})
}
