package table

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestTableIsAnArray(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 20).Draw(t, "first")
		tab, want := New[int](n), make([]int, n)
		for i := range rapid.IntRange(0, 300).Draw(t, "steps") {
			switch rapid.IntRange(0, 4).Draw(t, "step") {
			case 0:
				if len(want) > 0 {
					tab.Pop()
					want = want[:len(want)-1]
				}
			case 1:
				if len(want) > 0 {
					at := rapid.IntRange(0, len(want)-1).Draw(t, "at")
					tab.Set(at, -i)
					want[at] = -i
				}
			default:
				require.LessOrEqual(t, tab.Add(i), Copied)
				want = append(want, i)
			}
			require.True(t, slices.Equal(want, tab.Now))
			require.True(t, slices.Equal(tab.Now[:tab.Copies()], tab.next))
			if tab.next != nil {
				require.GreaterOrEqual(t, tab.Copies(), 2*len(tab.Now)-cap(tab.Now), "copied too late")
			}
		}
	})
}

// TestNothingIsAllocatedWhereEntriesComeAndGo around the sizes at which arrays are made.
func TestNothingIsAllocatedWhereEntriesComeAndGo(t *testing.T) {
	for _, n := range []int{4, 8, 32, 64, 100} {
		tab := New[int](0)
		for i := range n + 3 {
			tab.Add(i)
		}
		require.Zero(t, testing.AllocsPerRun(20, func() {
			for range 3 {
				tab.Pop()
			}
			for i := range 3 {
				tab.Add(i)
			}
		}), "with %d entries", n)
	}
}

// TestPoppedEntriesAreForgotten: what they pointed to is not kept.
func TestPoppedEntriesAreForgotten(t *testing.T) {
	tab := New[*int](0)
	for range 7 {
		tab.Add(new(int))
	}
	for range 3 {
		tab.Pop()
	}
	for _, p := range tab.Now[4:7] {
		require.Nil(t, p)
	}
}
