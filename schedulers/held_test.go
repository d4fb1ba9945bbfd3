package schedulers_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/schedulers"
)

// tick is that of the wheels made by structures.
const tick = time.Millisecond

// lazyWheel is a scheduler whose Cancel leaves something behind.
type lazyWheel interface {
	schedulers.Scheduler[uint64]
	schedulers.Meter
}

// eachLazyWheel runs a test over the schedulers that cancel lazily.
func eachLazyWheel(t *testing.T, test func(t *testing.T, s structure)) {
	for _, s := range structures() {
		if s.name == "roundswheel" || s.name == "hierwheel" {
			t.Run(s.name, func(t *testing.T) { test(t, s) })
		}
	}
}

// filled returns a wheel of n timers with random deadlines.
func filled(t *testing.T, s structure, n int, from, to time.Duration) (lazyWheel, []schedulers.ID) {
	w := s.make(t).(lazyWheel)
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	ids := make([]schedulers.ID, n)
	for i := range ids {
		var err error
		ids[i], err = w.Schedule(from+time.Duration(rng.Int64N(int64(to-from))), uint64(i))
		require.NoError(t, err)
	}
	return w, ids
}

// requireBound demands that what is cancelled and held stays within its bound.
func requireBound(t *testing.T, w lazyWheel) {
	if held := w.Work().Held; held > uint64(w.Len()+schedulers.MaxHeld) {
		require.Fail(t, "too many held", "%d with %d pending", held, w.Len())
	}
}

// nearAndFar is a wheel with as many near deadlines as far ones.
type nearAndFar struct {
	wheel     lazyWheel
	near, far []schedulers.ID
}

// newNearAndFar has half near ones and half far ones.
func newNearAndFar(t *testing.T, s structure, half int) *nearAndFar {
	p := &nearAndFar{}
	p.wheel, p.near = filled(t, s, half, tick, 20*time.Second)
	for i := range half {
		id, err := p.wheel.Schedule(time.Hour+time.Duration(i)*tick, 0)
		require.NoError(t, err)
		p.far = append(p.far, id)
	}
	return p
}

// most returns so many of the far ones that they are swept slowly.
func (p *nearAndFar) most() []schedulers.ID { return p.far[:len(p.far)*3/4] }

func (p *nearAndFar) cancel(t *testing.T, ids []schedulers.ID) {
	for _, id := range ids {
		require.True(t, p.wheel.Cancel(id))
		requireBound(t, p.wheel)
	}
}

// expire takes out what is due until an instant, as many at a time as room has.
func (p *nearAndFar) expire(t *testing.T, until, step time.Duration, room int) {
	due := make([]uint64, room)
	for now := time.Duration(0); now <= until; now += step {
		for n := room; n == room; {
			n = p.wheel.Expire(now, due)
			requireBound(t, p.wheel)
		}
	}
}

// TestHeldIsBounded goes through orders that leave the cancelled where they are
// not come across, while those that are pending leave.
func TestHeldIsBounded(t *testing.T) {
	for name, run := range map[string]func(t *testing.T, p *nearAndFar){
		"far ones cancelled, near ones expire": func(t *testing.T, p *nearAndFar) {
			p.cancel(t, p.far)
			p.expire(t, time.Minute, tick, 1)
		},
		"most far ones cancelled, near ones expire one by one": func(t *testing.T, p *nearAndFar) {
			p.cancel(t, p.most())
			p.expire(t, time.Minute, tick, 1)
			p.cancel(t, p.far[len(p.most()):])
		},
		"far ones cancelled, near ones expire at once": func(t *testing.T, p *nearAndFar) {
			p.cancel(t, p.most())
			p.expire(t, time.Minute, 40*time.Second, len(p.near))
			p.cancel(t, p.far[len(p.most()):])
		},
		"all cancelled": func(t *testing.T, p *nearAndFar) {
			p.cancel(t, p.near)
			p.cancel(t, p.far)
		},
		"some near ones cancelled, all far ones, the rest expires": func(t *testing.T, p *nearAndFar) {
			p.cancel(t, p.near[:len(p.near)/3])
			p.expire(t, 5*time.Second, tick, 3)
			p.cancel(t, p.far)
			p.expire(t, time.Minute, tick, 3)
		},
		"cancelled and scheduled again and again": func(t *testing.T, p *nearAndFar) {
			for range 5 {
				p.cancel(t, p.far)
				for i := range p.far {
					p.far[i], _ = p.wheel.Schedule(2*time.Hour, 0)
				}
			}
			p.expire(t, time.Minute, tick, 2)
			p.cancel(t, p.far)
		},
	} {
		eachLazyWheel(t, func(t *testing.T, s structure) {
			for _, half := range []int{50, 500, 3000, 20_000} {
				t.Run(fmt.Sprint(name, ", ", 2*half), func(t *testing.T) { run(t, newNearAndFar(t, s, half)) })
			}
		})
	}
}

// TestHalfAsManyAreHeldInASteadyState of cancelling and replacing, as documented.
func TestHalfAsManyAreHeldInASteadyState(t *testing.T) {
	eachLazyWheel(t, func(t *testing.T, s structure) {
		const n = 50_000
		w, ids := filled(t, s, n, time.Second, time.Hour)
		rng := rand.New(rand.NewPCG(7, 8))
		for turn := range 40 {
			for range n / 4 {
				i := rng.IntN(n)
				w.Cancel(ids[i])
				ids[i], _ = w.Schedule(time.Second+time.Duration(rng.Int64N(int64(time.Hour))), 0)
			}
			switch held := w.Work().Held; {
			case turn < 2:
				require.EqualValues(t, (turn+1)*n/4, held, "not swept yet")
			case turn < 8:
				require.InDelta(t, n*11/20, held, n/20, "the first passes find little")
			default:
				require.InDelta(t, n/2, held, n/25)
			}
		}
	})
}

// TestHeldGoesAtTheTickItWasDue, when there are too few for a sweep.
func TestHeldGoesAtTheTickItWasDue(t *testing.T) {
	eachLazyWheel(t, func(t *testing.T, s structure) {
		w, ids := filled(t, s, 100, time.Second, 2*time.Second)
		for _, id := range ids {
			require.True(t, w.Cancel(id))
		}
		require.EqualValues(t, 100, w.Work().Held)
		require.Zero(t, w.Expire(2*time.Second, make([]uint64, 1)))
		require.Zero(t, w.Work().Held)
	})
}
