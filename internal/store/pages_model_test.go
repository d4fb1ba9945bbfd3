package store

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/schedulers"
)

// model is pages beside what they ought to hold.
type model struct {
	tested
	pageTests
	live, stale []schedulers.ID
	latest      []uint32 // generation handed out, by cell
}

func (g pageTests) validUntilDropped(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &model{tested: g.make(), pageTests: g}
		for range rapid.IntRange(1, 9).Draw(t, "bursts") {
			switch rapid.SampledFrom([]string{"take", "drop", "wear out"}).Draw(t, "act") {
			case "take":
				pages := rapid.SampledFrom([]int{keepPages + 1, 0, 2}).Draw(t, "pages")
				m.take(t, g.cells(pages)+rapid.IntRange(0, 100).Draw(t, "more"))
			case "drop":
				eighths := rapid.SampledFrom([]int{8, 0, 4, 7}).Draw(t, "eighths")
				few := rapid.IntRange(0, 100).Draw(t, "more")
				m.drop(t, len(m.live)*eighths/8+few, rapid.Bool().Draw(t, "scattered"))
			case "wear out":
				m.wearOut()
			}
			m.check(t)
		}
	})
}

func (m *model) take(t require.TestingT, n int) {
	for _, id := range takeMany(t, m.tested, n) {
		cell := int(id.Cell())
		if cell >= len(m.latest) {
			m.latest = append(m.latest, make([]uint32, cell+1-len(m.latest))...)
		}
		if id.Generation() <= m.latest[cell] {
			require.Fail(t, "an ID for the second time", "%x after generation %d", id, m.latest[cell])
		}
		m.latest[cell] = id.Generation()
		m.live = append(m.live, id)
	}
}

// drop drops n of the live IDs, or as many as there are: the latest, or every
// second one before them.
func (m *model) drop(t require.TestingT, n int, scattered bool) {
	var kept []schedulers.ID
	for at, id := range slices.Backward(m.live) {
		if n == 0 || scattered && at%2 == 0 {
			kept = append(kept, id)
			continue
		}
		drop(t, m.tested, id)
		m.stale = append(m.stale, id)
		n--
	}
	slices.Reverse(kept)
	m.live = kept
}

// wearOut brings the cell that is next to be handed out to its last use.
func (m *model) wearOut() {
	for cell := range m.freeList() {
		*m.generation(cell) = lastGen - 2
		return
	}
}

func (m *model) check(t require.TestingT) {
	m.pageTests.requireSound(t, m.tested)
	require.Equal(t, len(m.live), m.plan().used)
	requireValid(t, m.tested, m.live...)
	requireStale(t, m.tested, m.stale...)
}
