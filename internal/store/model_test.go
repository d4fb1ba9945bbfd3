package store

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/schedulers"
)

// model is a store beside what it ought to hold.
type model struct {
	*testStore
	live, stale []schedulers.ID
	latest      map[uint32]uint32 // generation handed out, by cell
	heads       map[uint32]uint32 // what was written to reserved cells
}

func TestIDsAreValidUntilTheyAreDropped(t *testing.T) { rapid.Check(t, validUntilDropped) }

func FuzzStore(f *testing.F) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 4 { // as long as a few bursts need
		seed := make([]byte, 1<<10)
		for i := range seed {
			seed[i] = byte(rng.Uint32())
		}
		f.Add(seed)
	}
	f.Fuzz(rapid.MakeFuzz(validUntilDropped))
}

func validUntilDropped(t *rapid.T) {
	m := &model{
		testStore: newReserved(rapid.SampledFrom([]int{0, 1, 5}).Draw(t, "reserved")),
		latest:    map[uint32]uint32{},
		heads:     map[uint32]uint32{},
	}
	acts := map[string]func(*rapid.T){
		"take": func(t *rapid.T) {
			pages := rapid.SampledFrom([]int{slackPages + 2, 0, 1, 12, cached/PageLen + 20}).Draw(t, "pages")
			m.take(t, pages*PageLen+rapid.IntRange(0, 100).Draw(t, "more"))
		},
		"drop": func(t *rapid.T) {
			m.order(t)
			eighths := rapid.SampledFrom([]int{8, 0, 1, 4, 7}).Draw(t, "eighths")
			m.drop(t, min(len(m.live)*eighths/8+rapid.IntRange(0, 100).Draw(t, "more"), len(m.live)))
		},
		"replace": func(t *rapid.T) {
			m.order(t)
			for range rapid.IntRange(1, 1500).Draw(t, "times") {
				m.drop(t, min(1, len(m.live)))
				m.take(t, 1)
			}
		},
		"wear out": func(*rapid.T) {
			if i := m.First(); i != None {
				m.Cell(i).Gen = lastGen - 2
			}
		},
		"reserve": func(t *rapid.T) {
			if n := m.supply.reserved; n > 0 {
				i := rapid.Uint32Range(0, uint32(n*PageLen-1)).Draw(t, "head")
				c := m.Reserve(i)
				m.heads[i]++
				c.Link[0] = m.heads[i]
				if int(i>>pageBits) != n-1 {
					c.Gen = 2
				}
			}
		},
	}
	names := []string{"take", "drop", "replace", "wear out", "reserve"}
	for range rapid.IntRange(1, 12).Draw(t, "bursts") {
		acts[rapid.SampledFrom(names).Draw(t, "act")](t)
		m.check(t)
	}
}

// order decides which of the live ones go next: those at the end of the list.
func (m *model) order(t *rapid.T) {
	switch rapid.SampledFrom([]string{"newest", "oldest", "scattered", "highest", "lowest"}).Draw(t, "order") {
	case "oldest":
		slices.Reverse(m.live)
	case "scattered":
		rng := rand.New(rand.NewPCG(uint64(len(m.live)), uint64(len(m.stale))))
		rng.Shuffle(len(m.live), func(i, j int) { m.live[i], m.live[j] = m.live[j], m.live[i] })
	case "highest":
		slices.SortFunc(m.live, func(a, b schedulers.ID) int { return int(a.Cell()) - int(b.Cell()) })
	case "lowest":
		slices.SortFunc(m.live, func(a, b schedulers.ID) int { return int(b.Cell()) - int(a.Cell()) })
	}
}

func (m *model) take(t require.TestingT, n int) {
	for _, id := range m.takeMany(t, n) {
		if int(id.Cell())>>pageBits < m.supply.reserved {
			require.Fail(t, "a reserved cell", "%x", id)
		}
		if id.Generation() <= m.latest[id.Cell()] {
			require.Fail(t, "an ID for the second time", "%x after generation %d", id, m.latest[id.Cell()])
		}
		m.latest[id.Cell()] = id.Generation()
		m.live = append(m.live, id)
	}
}

// drop drops the last n of the live IDs.
func (m *model) drop(t require.TestingT, n int) {
	kept := len(m.live) - n
	m.dropBackward(t, m.live[kept:])
	m.stale = append(m.stale, m.live[kept:]...)
	m.live = m.live[:kept]
}

func (m *model) check(t require.TestingT) {
	m.requireSound(t)
	require.Equal(t, len(m.live), m.Used())
	m.requireValid(t, m.live...)
	m.requireStale(t, m.stale...)
	for i, link := range m.heads {
		require.Equal(t, link, m.Cell(i).Link[0], "reserved cell %d", i)
	}
	require.LessOrEqual(t, m.most, uint64(MaxUpkeep))
}
