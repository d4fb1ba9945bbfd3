package buckets

import "schedbench/internal/store"

const (
	// sweepSlack is how many dead entries beyond half of the pending are left
	// alone, and sweepSlackFast how many beyond three quarters are swept slowly.
	// They spare small populations most of the sweeping: the more of the entries
	// are dead, the fewer are seen for each that is dropped.
	sweepSlack     = 1408
	sweepSlackFast = 1600
	// sweepEvery is how many cancellations and expiries make a step of a sweep.
	// Steps at each would be shorter pauses, but they halt the processor's
	// look-ahead over the random accesses to memory that cancellations are.
	sweepEvery = 64
	// A step sees at least so many entries: two for each cancellation mostly, so
	// that in a steady state half are dead when they are seen, and a third of
	// all, which is half as many as are pending; and 24 for each cancellation when
	// the dead are many. That is a pause of a few microseconds.
	sweepEntries     = 2 * sweepEvery
	sweepEntriesFast = 24 * sweepEvery
)

// sweep is the state of a pass over all buckets that drops dead entries. It
// takes the blocks off a bucket from the top down and pushes the entries that
// are pending onto the same bucket, which is begun anew:
//
//	bucket ──▶ ▣▣▣▣▣▣▣▣      rest ──▶ ▣□▣□□▣▣□ ──▶ ...
//	           kept           to be read next
type sweep struct {
	active bool
	bucket int    // the bucket being swept, or from which to go on
	rest   uint32 // top of what is left to be read of it, or 0
}

// fired notes that n entries fewer are pending, which may leave the dead ones
// too many.
func (b *Buckets[K, T]) fired(n int) {
	if b.due -= n; b.due < 0 {
		b.sweepIfDue()
	}
}

// sweepIfDue takes the steps that have become due.
//
// The dead never outnumber the pending by more than schedulers.MaxHeld. Let
// there be n pending and 3n/4 + sweepSlackFast dead at the last slow step, and
// all of the dead where the pass has been. What comes after is fast, but sees the
// pending first: those in front of the pass, and the others when the next one
// begins. That is n/24 cancellations, and no more than three steps beside: the
// first one, one cut short by the end of the pass, and one that sees the last of
// the pending. Each cancellation brings the dead closer by two, so the most is
//
//	-n/4 + sweepSlackFast + 2 (n/24 + 3 sweepEvery) = 1984 - n/6
//
// more dead than pending, since what is seen from then on is dead: 24 are dropped
// for each one that is new. An expiry brings the dead closer by one. What it moves
// to the buckets behind the slots may be seen once more, which is n/12 at most;
// what is added lies before the pass too, but is pending, and so wins time.
func (b *Buckets[K, T]) sweepIfDue() {
	for ; b.due < 0; b.due += sweepEvery {
		switch n := b.Len(); {
		case b.held > n-n/4+sweepSlackFast:
			b.sweepStep(sweepEntriesFast)
		case b.sweep.active || b.held > n/2+sweepSlack:
			b.sweepStep(sweepEntries)
		}
	}
}

// sweepStep looks at blocks until it has seen some entries, so that a pass over
// sparse buckets is as fast as one over full ones.
func (b *Buckets[K, T]) sweepStep(entries int) {
	s := &b.sweep
	if !s.active {
		*s = sweep{active: true}
	}
	for seen := 0; seen < entries; {
		if s.rest == 0 {
			if s.bucket = b.From(s.bucket); s.bucket < 0 {
				s.active = false
				return
			}
			if s.bucket == b.ordered {
				seen += b.repack(s.bucket)
				s.bucket += 2
				continue
			}
			s.rest, b.tops[s.bucket] = b.tops[s.bucket], 0
		}
		seen += b.sweepBlock()
	}
}

// finishSweep completes the sweep of bucket i, if there is one under way.
func (b *Buckets[K, T]) finishSweep(i int) {
	for b.sweep.rest != 0 && b.sweep.bucket == i {
		b.sweepBlock()
	}
}

// repack drops the dead entries of bucket i without changing the order of the
// others, all at once, by way of the bucket after it. It returns how many
// entries it saw.
func (b *Buckets[K, T]) repack(i int) (seen int) {
	dead := b.held
	kept := b.Scatter(i, func(K) int { return i + 1 })
	b.Scatter(i+1, func(K) int { return i })
	dead -= b.held
	b.Work.Swept += uint64(kept + dead)
	return kept + dead
}

// sweepBlock takes the highest block of the rest, pushes the pending among its
// entries, and returns how many entries it saw.
//
// It copies every entry and advances only past those that are alive, because a
// branch on that would be mispredicted for every second one.
func (b *Buckets[K, T]) sweepBlock() (seen int) {
	s := &b.sweep
	i, n := s.bucket, (s.rest-1)>>blockBits
	from, entries := b.blocks.Val(n), (s.rest-1)&blockMask+1
	s.rest = b.below(s.rest)
	b.blocks.Free(n, b.blocks.Cell(n)) // and so the next to be filled, which is safe

	top, alive := b.tops[i], uint32(0)
	to, k := from, uint32(blockLen) // where the next one goes: nowhere yet
	if top&blockMask != 0 {
		to, k = b.blocks.Val(top>>blockBits), top&blockMask
	}
	for at := range entries {
		if k == blockLen {
			top = b.extend(i)
			to, k = b.blocks.Val(top>>blockBits), 0
			b.tops[i] = top + blockLen // for the next extend
		}
		id := from.ids[at&blockMask]
		to.keys[k&blockMask] = from.keys[at&blockMask]
		to.ids[k&blockMask] = id
		to.vals[k&blockMask] = from.vals[at&blockMask]
		a := store.Valid(&b.ids, id)
		k += a
		alive += a
	}
	if b.clear {
		clear(to.vals[k:])
		if from != to {
			clear(from.vals[:])
		}
	}
	b.setTop(i, top&^blockMask, k)
	b.held -= int(entries - alive)
	b.Work.Swept += uint64(entries)
	if s.rest == 0 {
		if b.tops[i] == 0 {
			b.occupied.Remove(i)
		}
		s.bucket++
	}
	return int(entries)
}

// setTop makes position base+k the top of bucket i. Its highest block, which
// begins at base, goes if it is empty.
func (b *Buckets[K, T]) setTop(i int, base, k uint32) {
	b.tops[i] = base + k
	if k == 0 {
		n := base >> blockBits
		b.tops[i] = b.below(base + 1)
		b.blocks.Free(n, b.blocks.Cell(n))
	}
}
