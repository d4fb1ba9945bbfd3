package buckets

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/schedulers"
)

const modelBuckets = 5

// bucketEntry is a pending value as the model sees it.
type bucketEntry struct {
	id   schedulers.ID
	tick uint64
	val  *uint64
}

// model is buckets beside what they ought to hold. The values have pointers, so buckets erase those that leave.
type model struct {
	b     Buckets[*uint64]
	want  [modelBuckets][]bucketEntry
	queue []bucketEntry
	stale []schedulers.ID
}

func (m *model) add(t require.TestingT, i int, tick uint64) {
	before := m.b.Counts().Upkeep
	m.b.Opened = false
	val := new(uint64)
	id := m.b.Add(uint32(i), tick, val)
	require.NotZero(t, id)
	require.Equal(t, len(m.want[i]) == 0, m.b.Opened)
	m.b.Lower(uint32(id), uint32(i), tick)
	require.LessOrEqual(t, m.b.Counts().Upkeep-before, uint64(MaxUpkeep))
	m.want[i] = append(m.want[i], bucketEntry{id, tick, val})
}

// cancel cancels entry at of bucket i.
func (m *model) cancel(t require.TestingT, i, at int) {
	before, id := m.b.Counts().Upkeep, m.want[i][at].id
	require.True(t, m.b.Cancel(id))
	require.LessOrEqual(t, m.b.Counts().Upkeep-before, uint64(MaxUpkeep))
	m.want[i] = slices.Delete(m.want[i], at, at+1)
	m.stale = append(m.stale, id)
}

// move moves entry at of bucket i.
func (m *model) move(t require.TestingT, i, at, to int, tick uint64) {
	before, e := m.b.Counts().Upkeep, m.want[i][at]
	e.tick = tick
	require.True(t, m.b.Move(e.id, uint32(to), tick, 0, never))
	m.b.Lower(uint32(e.id), uint32(to), tick)
	require.LessOrEqual(t, m.b.Counts().Upkeep-before, uint64(MaxUpkeep))
	m.want[i] = slices.Delete(m.want[i], at, at+1)
	m.want[to] = append(m.want[to], e)
}

// gone takes the entry with a value out of what bucket i ought to hold.
func (m *model) gone(t require.TestingT, i int, v *uint64) {
	at := slices.IndexFunc(m.want[i], func(e bucketEntry) bool { return e.val == v })
	require.GreaterOrEqual(t, at, 0, "a value that was not there: %v in bucket %d", v, i)
	m.stale = append(m.stale, m.want[i][at].id)
	m.want[i] = slices.Delete(m.want[i], at, at+1)
}

func (m *model) drain(t require.TestingT, i, room int) {
	due := make([]*uint64, room)
	n := m.b.Drain(i, due)
	require.Equal(t, min(room, len(m.want[i])), n)
	for _, v := range due[:n] {
		m.gone(t, i, v)
	}
}

// taken returns the entry of cell at, which was taken out of bucket i.
func (m *model) taken(t require.TestingT, i int, at uint32) bucketEntry {
	k := slices.IndexFunc(m.want[i], func(e bucketEntry) bool { return uint32(e.id) == at })
	require.GreaterOrEqual(t, k, 0, "cell %d was not in bucket %d", at, i)
	e := m.want[i][k]
	require.Equal(t, e.tick, m.b.Tick(at))
	m.want[i] = slices.Delete(m.want[i], k, k+1)
	return e
}

// place puts an entry that was taken out into a bucket, the queue behind them, or nowhere.
func (m *model) place(t require.TestingT, e bucketEntry, to int, chain uint32) {
	at := uint32(e.id)
	switch {
	case to < modelBuckets:
		m.b.put(at, uint32(to), chain) // without Lower, which is for Walk
		m.want[to] = append(m.want[to], e)
	case to == modelBuckets:
		m.b.Enqueue(at)
		m.queue = append(m.queue, e)
	default:
		require.Same(t, e.val, m.b.Hand(at))
		m.stale = append(m.stale, e.id)
	}
}

// take takes some entries out of bucket i and places them at random. What is put is
// drained again, since no tick is known of it.
func (m *model) take(t require.TestingT, i, limit int, rng *rand.Rand) {
	n := len(m.want[i])
	out := slices.Clone(m.b.Take(i, limit))
	require.Len(t, out, min(n, limit, Batch))
	put := map[int]bool{}
	for _, at := range out {
		to := rng.IntN(modelBuckets + 2)
		put[to] = true
		m.place(t, m.taken(t, i, at), to, rng.Uint32())
	}
	m.check(t)
	for to := range modelBuckets {
		if put[to] {
			m.drain(t, to, len(m.want[to]))
		}
	}
}

// walk takes out of bucket i what is due, and queues it.
func (m *model) walk(t require.TestingT, i int, tick uint64) {
	due := 0
	for _, e := range m.want[i] {
		if e.tick <= tick {
			due++
		}
	}
	var w Walk
	for more := m.b.Start(&w, i, tick); more; {
		var out []uint32
		out, more = m.b.Step(&w, tick)
		for _, at := range slices.Clone(out) {
			e := m.taken(t, i, at)
			require.LessOrEqual(t, e.tick, tick)
			m.place(t, e, modelBuckets, 0)
			due--
		}
	}
	require.Zero(t, due, "all that is due was seen")
	if len(m.want[i]) > 0 {
		require.Greater(t, m.b.Least(i), tick, "there is nothing more to see")
	}
}

// put puts an entry that was taken out into a chain of bucket i. Any number selects one.
func (b *Buckets[T]) put(at, i, chain uint32) {
	v := b.cells.View()
	b.link(v, at, v.Cell(at), chain&b.chain*b.stride+i, i)
}

func (m *model) dequeue(t require.TestingT, room int) {
	due := make([]*uint64, room)
	n := m.b.Dequeue(due)
	require.Equal(t, min(room, len(m.queue)), n)
	for at, v := range due[:n] {
		require.Same(t, m.queue[at].val, v, "in order")
		m.stale = append(m.stale, m.queue[at].id)
	}
	m.queue = m.queue[n:]
}

// check compares everything that can be seen, and the rings within.
func (m *model) check(t require.TestingT) {
	wanted := make(map[schedulers.ID]*uint64)
	for i, bucket := range m.want {
		for _, e := range bucket {
			wanted[e.id] = e.val
		}
		require.Equal(t, len(bucket) > 0, m.b.Holding(i))
		require.Equal(t, len(bucket) > 0, m.b.From(i) == i)
		require.Equal(t, len(bucket) > 0, m.b.MayHold(i) == i, "once it was looked at")
	}
	for _, e := range m.queue {
		wanted[e.id] = e.val
	}
	require.Equal(t, len(m.queue) > 0, m.b.Queued())
	require.Equal(t, len(wanted), m.b.Len())
	for id, v := range m.b.All() {
		want, ok := wanted[id]
		require.True(t, ok && want == v, "All yields what is not pending: %v of %x", v, id)
		delete(wanted, id)
	}
	require.Empty(t, wanted, "not yielded by All")
	for _, id := range m.stale[max(0, len(m.stale)-20):] {
		require.False(t, m.b.Cancel(id) || m.b.Move(id, 0, 0, 0, never), "stale id %x", id)
	}
	m.requireSound(t)
}

// requireSound walks every ring, both ways.
func (m *model) requireSound(t require.TestingT) {
	b := &m.b
	follow := func(h uint32) (n int) {
		at := b.cells.Cell(h).Link[next]
		for before := h; at != h; before, at = at, b.cells.Cell(at).Link[next] {
			require.Equal(t, before, b.cells.Cell(at).Link[prev])
			n++
		}
		return n
	}
	for i, bucket := range m.want {
		n := 0
		for x := range int(b.most) + 1 {
			h, head := b.head(i, x)
			if b.chains(i)>>x&1 == 0 {
				require.Zero(t, head.Gen&open)
				continue
			}
			require.Equal(t, uint32(open), head.Gen&open)
			n += follow(h)
		}
		require.Equal(t, len(bucket), n, "bucket %d", i)
	}
	require.Equal(t, len(m.queue), follow(b.queue))
	require.Zero(t, b.cells.Cell(b.queue).Gen)
}

// play does operations drawn at random.
func play(t *rapid.T, m *model) {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	bucket, tick := rapid.IntRange(0, modelBuckets-1), rapid.Uint64Range(0, 20)
	some := func() (i, at int) {
		i = bucket.Draw(t, "bucket")
		if len(m.want[i]) > 0 {
			at = rng.IntN(len(m.want[i]))
		} else {
			m.add(t, i, tick.Draw(t, "tick"))
		}
		return i, at
	}
	t.Repeat(map[string]func(*rapid.T){
		"add": func(t *rapid.T) { m.add(t, bucket.Draw(t, "bucket"), tick.Draw(t, "tick")) },
		"add many": func(t *rapid.T) {
			i := bucket.Draw(t, "bucket")
			for range rapid.IntRange(1, 300).Draw(t, "n") {
				m.add(t, i, 1<<40+rng.Uint64N(30))
			}
		},
		"cancel": func(t *rapid.T) {
			i, at := some()
			m.cancel(t, i, at)
		},
		"cancel all": func(t *rapid.T) {
			i := bucket.Draw(t, "bucket")
			for len(m.want[i]) > 0 {
				m.cancel(t, i, rng.IntN(len(m.want[i])))
			}
		},
		"move": func(t *rapid.T) {
			i, at := some()
			m.move(t, i, at, bucket.Draw(t, "to"), tick.Draw(t, "tick"))
		},
		"drain":   func(t *rapid.T) { m.drain(t, bucket.Draw(t, "bucket"), rapid.IntRange(0, 200).Draw(t, "room")) },
		"take":    func(t *rapid.T) { m.take(t, bucket.Draw(t, "bucket"), rapid.IntRange(1, 90).Draw(t, "limit"), rng) },
		"walk":    func(t *rapid.T) { m.walk(t, bucket.Draw(t, "bucket"), tick.Draw(t, "tick")) },
		"far":     func(t *rapid.T) { m.walk(t, bucket.Draw(t, "bucket"), 1<<40+rng.Uint64N(30)) },
		"dequeue": func(t *rapid.T) { m.dequeue(t, rapid.IntRange(0, 100).Draw(t, "room")) },
		"":        func(t *rapid.T) { m.check(t) },
	})
}

func TestBucketsAreAsTheirModel(t *testing.T) {
	for _, chains := range []uint32{1, 2, mostChains} {
		rapid.Check(t, func(t *rapid.T) {
			m := &model{b: New[*uint64](modelBuckets, 1)}
			m.b.chain = chains - 1
			play(t, m)
		})
	}
}
