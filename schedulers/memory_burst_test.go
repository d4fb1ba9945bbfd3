package schedulers_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/internal/machine"
	"schedbench/internal/store"
	"schedbench/schedulers"
)

// burst is a scheduler and what is pending in it.
type burst struct {
	sched  schedulers.Scheduler[uint64]
	ids    []schedulers.ID
	linear bool
	rng    *rand.Rand
	last   time.Duration
	meter  schedulers.Meter // each call is looked at by itself, unless it is nil
	most   schedulers.Work  // the largest of each count
}

func newBurst(t *testing.T, s structure, n int) *burst {
	b := &burst{sched: s.make(t), linear: s.linear, rng: rand.New(rand.NewPCG(1, 2)), ids: make([]schedulers.ID, n)}
	for i := range b.ids {
		b.schedule(t, i)
	}
	return b
}

// deadline returns one at random, or one behind all others if insertion is linear.
func (b *burst) deadline() time.Duration {
	if b.linear {
		b.last++
		return b.last
	}
	return time.Second + time.Duration(b.rng.Int64N(int64(smallHorizon-time.Second)))
}

// counted does something and notes what it counted.
func (b *burst) counted(operate func()) {
	if b.meter == nil {
		operate()
		return
	}
	before := b.meter.Work()
	operate()
	b.most = larger(b.most, b.meter.Work().Sub(before))
}

func (b *burst) schedule(t *testing.T, i int) {
	var err error
	deadline := b.deadline()
	b.counted(func() { b.ids[i], err = b.sched.Schedule(deadline, uint64(i)) })
	if err != nil {
		require.NoError(t, err)
	}
}

func (b *burst) cancel(t *testing.T, i int) {
	var ok bool
	if b.counted(func() { ok = b.sched.Cancel(b.ids[i]) }); !ok {
		require.Fail(t, "lost", "%d", i)
	}
}

// shrink cancels all but n: those that leaves puts at the end are cancelled first.
func (b *burst) shrink(t *testing.T, n int, leaves func(ids []schedulers.ID, n int)) {
	leaves(b.ids, n)
	for i := n; i < len(b.ids); i++ {
		b.cancel(t, i)
	}
	b.ids = slices.Clone(b.ids[:n])
}

// replaceAll replaces each of what is pending so many times.
func (b *burst) replaceAll(t *testing.T, times int) {
	for range times {
		for i := range b.ids {
			b.cancel(t, i)
			b.schedule(t, i)
		}
	}
}

// leftovers are ways to choose n that stay: they put these first.
var leftovers = map[string]func(ids []schedulers.ID, n int){
	"random": func(ids []schedulers.ID, _ int) {
		rng := rand.New(rand.NewPCG(3, 4))
		rng.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	},
	"oldest": func([]schedulers.ID, int) {},
	"newest": func(ids []schedulers.ID, _ int) { slices.Reverse(ids) },
	"every so many": func(ids []schedulers.ID, n int) {
		for i, each := 0, len(ids)/n; i < n; i++ {
			ids[i], ids[i*each] = ids[i*each], ids[i]
		}
	},
}

// bytesOf returns how much memory what is made takes up.
func bytesOf(made func() *burst) float64 {
	before := machine.Heap()
	b := made()
	bytes := machine.Heap() - before - float64(8*cap(b.ids))
	runtime.KeepAlive(b)
	return bytes
}

// listsPerTimer is how much a store keeps of each timer that there ever was: 120 bytes of lists for a page of 512.
const listsPerTimer = 120. / store.PageLen

// TestMemoryComesBackAfterABurst also where what remains is scattered: it takes hardly more than in a scheduler that
// never had more, once each timer was replaced. Where next to nothing remains, the lists of pages show.
func TestMemoryComesBackAfterABurst(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector has a heap of its own")
	}
	sizes := [][2]int{{300_000, 30_000}, {1_000_000, 10_000}}
	if testing.Short() {
		sizes = sizes[:1] // of a hundredth one would see only what is kept anyway
	}
	for _, s := range structures() {
		for _, size := range sizes {
			most, n := size[0], size[1]
			fresh := bytesOf(func() *burst {
				b := newBurst(t, s, n)
				b.replaceAll(t, 10)
				return b
			})
			limit := 1.5 * fresh
			if most/n > 10 {
				limit += listsPerTimer * float64(most)
			}
			for name, leaves := range leftovers {
				t.Run(fmt.Sprintf("%s/%d of %d stay/%s", s.name, n, most, name), func(t *testing.T) {
					after := bytesOf(func() *burst {
						b := newBurst(t, s, most)
						b.shrink(t, n, leaves)
						b.replaceAll(t, 10)
						return b
					})
					t.Logf("%.2f MB, %.1f bytes for each; never more: %.2f MB: %.2f times", after/1e6, after/float64(n), fresh/1e6, after/fresh)
					require.LessOrEqual(t, after, limit)
					require.Greater(t, after, float64(8*n), "less than the values themselves")
				})
			}
		}
	}
}

// maxBytes is how much memory a pending uint64 may take, slots included.
var maxBytes = map[string]float64{
	"heapsched": 36, "listsched": 36, "singlewheel": 36, "roundswheel": 36, "hierwheel": 32, "fifosched": 36,
}

// TestMemoryPerTimer looks at those just scheduled, and again when each was replaced several times.
func TestMemoryPerTimer(t *testing.T) {
	if raceEnabled || testing.Short() {
		t.Skip("fills the heap, and the race detector has its own")
	}
	for _, s := range structures() {
		for _, n := range []int{100_000, 400_000} {
			t.Run(fmt.Sprintf("%s/%d", s.name, n), func(t *testing.T) {
				for what, use := range map[string]func(*burst){
					"fresh": func(*burst) {}, "replaced": func(b *burst) { b.replaceAll(t, 10) },
				} {
					bytes := bytesOf(func() *burst {
						b := newBurst(t, s, n)
						use(b)
						return b
					}) / float64(n)
					t.Logf("%s: %.1f bytes for each timer", what, bytes)
					require.LessOrEqual(t, bytes, maxBytes[s.name], what)
					require.Greater(t, bytes, 8., "less than the values themselves")
				}
			})
		}
	}
}
