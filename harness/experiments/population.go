package experiments

import (
	"errors"
	"math/bits"
	"math/rand/v2"
	"reflect"
	"slices"
	"time"

	"schedbench/harness/rundata"
	"schedbench/internal/check"
	"schedbench/internal/lists"
	"schedbench/schedulers"
	"schedbench/workload"
)

// lookEvery is how many timers are scheduled between two looks: in a long list each may take 1 ms.
const lookEvery = 256

// fill inserts n timers with the delays of draw. It keeps no list of them, which might take as much memory as the timers.
// The error is that of look, or schedulers.ErrFull, or says how many were refused.
func fill(look func(made int) error, n int, draw func() time.Duration, insert func(i int, delay time.Duration) error) error {
	wrong := 0
	for i := range n {
		if i%lookEvery == 0 {
			if err := look(i); err != nil {
				return err
			}
		}
		switch err := insert(i, draw()); {
		case errors.Is(err, schedulers.ErrFull):
			return err
		case err != nil:
			wrong++
		}
	}
	return check.That(wrong == 0, "%d of %d insertions failed", wrong, n)
}

// virtual is a population of a bare scheduler, whose clock stands still. Its loops are the same for all contestants.
type virtual struct {
	s       schedulers.Scheduler[uint64]
	ids     []schedulers.ID
	more    []schedulers.ID
	arrived time.Duration // when the last timer arrived
	fired   []uint64      // came due, and not replaced yet
}

// reserve makes room for the names of n timers, which fill needs, and returns how many bytes it takes.
func (v *virtual) reserve(n int) (bytes float64) { return reserve(&v.ids, n) }

func reserve[H any](names *[]H, n int) (bytes float64) {
	*names = slices.Grow(*names, n)
	return float64(cap(*names)) * float64(reflect.TypeFor[H]().Size())
}

func (v *virtual) fill(look func(made int) error, n int, draw func() time.Duration) error {
	v.ids = v.ids[:n]
	return fill(look, n, draw, func(i int, d time.Duration) (err error) {
		v.arrived += arrival
		v.ids[i], err = v.s.Schedule(v.arrived+d, uint64(i))
		return err
	})
}

func (v *virtual) pairs(rs *replacements) (wrong int) {
	at, ids, sched := v.arrived, v.ids, v.s
	for i, p := range rs.picks {
		at += arrival
		if !sched.Cancel(ids[p]) {
			wrong++
		}
		id, err := sched.Schedule(at+rs.delays[i], uint64(p))
		if err != nil {
			wrong++
		}
		ids[p] = id
	}
	v.arrived = at
	return wrong
}

// resets gives the picked timers other deadlines: by Reset, or by Cancel and Schedule if the scheduler has no Reset.
func (v *virtual) resets(rs *replacements) (wrong int) {
	resetter, ok := v.s.(schedulers.Resetter)
	if !ok {
		return v.pairs(rs)
	}
	at := v.arrived
	for i, p := range rs.picks {
		at += arrival
		if ok, err := resetter.Reset(v.ids[p], at+rs.delays[i]); !ok || err != nil {
			wrong++
		}
	}
	v.arrived = at
	return wrong
}

func (v *virtual) add(delays []time.Duration) (wrong int) {
	v.more = v.more[:0]
	at := v.arrived
	for i, d := range delays {
		at += arrival
		id, err := v.s.Schedule(at+d, uint64(i))
		if err != nil {
			wrong++
		}
		v.more = append(v.more, id)
	}
	return wrong
}

func (v *virtual) drop() (wrong int) {
	for _, id := range v.more {
		if !v.s.Cancel(id) {
			wrong++
		}
	}
	return wrong
}

const firedAtOnce = 256

// expire takes out n timers, or a few more, as a driver does: it asks Next for the instant, and calls Expire with it.
func (v *virtual) expire(n int) {
	v.fired = slices.Grow(v.fired[:0], n+firedAtOnce)
	s, fired, last := v.s, v.fired, time.Duration(-1)
	for len(fired) < n {
		now, ok := s.Next()
		if !ok {
			break
		}
		before := len(fired)
		fired = fired[:before+s.Expire(now, fired[before:before+firedAtOnce])]
		if len(fired) == before && now <= last {
			break // Next says that a timer is due, and Expire hands out none
		}
		last = now
		v.arrived = max(v.arrived, now)
	}
	v.fired = fired
}

// refill replaces the timers that came due. It counts those that had not been pending or still are.
func (v *virtual) refill(draw func() time.Duration) (wrong int) {
	for _, p := range v.fired {
		if p >= uint64(len(v.ids)) || v.s.Cancel(v.ids[p]) {
			wrong++
			continue
		}
		v.arrived += arrival
		id, err := v.s.Schedule(v.arrived+draw(), p)
		if err != nil {
			wrong++
		}
		v.ids[p] = id
	}
	return wrong
}

func (v *virtual) work() (schedulers.Work, bool) {
	if m, ok := v.s.(schedulers.Meter); ok {
		return m.Work(), true
	}
	return schedulers.Work{}, false
}

func (v *virtual) len() int { return v.s.Len() }

type delay func(*rand.Rand) time.Duration

const (
	shortest = time.Second // so far ahead that nothing expires in a cost cell by accident
	longest  = time.Hour
)

// distribution is one of delays, of which none is longer than its horizon.
type distribution struct {
	name, text string
	horizon    time.Duration
}

// delays are the delay distributions: timeouts far ahead, of all lengths; the same within a minute; most of them short; all
// alike; nine in ten as timeouts of calls, the others as sessions.
func delays() []distribution {
	return []distribution{
		{"uniform", "uniform(1s, 1h)", longest},
		{rundata.NearDelays, "uniform(1s, 1m)", time.Minute},
		{"exponential", "exponential(5m, min=1s, max=1h)", longest},
		{"constant", "30s", longest},
		{"bimodal", "mix(9: uniform(1s, 2s), 1: uniform(30m, 1h))", longest},
	}
}

// Delays lists the delay distributions.
func Delays() []string { return lists.Each(delays(), func(d distribution) string { return d.name }) }

// delayOf returns a distribution of delays and its horizon.
func delayOf(name string) (delay, time.Duration, error) {
	d := delays()[slices.Index(Delays(), name)]
	of, err := workload.ParseDistribution(d.text)
	return of.Sample, d.horizon, err
}

func uniform(low, high time.Duration) delay { return workload.Uniform(low, high).Sample }

func drawn(n int, draw func() time.Duration) []time.Duration {
	list := make([]time.Duration, n)
	for i := range list {
		list[i] = draw()
	}
	return list
}

// ascending draws n durations and returns a function that hands them out, the shortest first.
func ascending(n int, draw func() time.Duration) func() time.Duration {
	list := drawn(n, draw)
	slices.Sort(list)
	return func() (d time.Duration) {
		d, list = list[0], list[1:]
		return d
	}
}

// arrival is the virtual time between insertions of a cost cell. Without it equal delays would have one deadline.
const arrival = time.Microsecond

// replacements are the timers that an epoch of a cost cell replaces, and their delays: the same for all contestants.
type replacements struct {
	picks  []uint32
	delays []time.Duration
}

func (rs *replacements) draw(r *rand.Rand, n int, d delay) {
	for i := range rs.picks {
		rs.picks[i] = uint32(r.IntN(n))
		rs.delays[i] = d(r)
	}
}

func newReplacements(ops int) *replacements {
	return &replacements{picks: make([]uint32, ops), delays: make([]time.Duration, ops)}
}

// splitMix (SplitMix64) is a source of picks and delays without a list of them, which would weigh on garbage collections.
type splitMix struct{ state uint64 }

func (m *splitMix) bits() uint64 {
	m.state += 0x9e3779b97f4a7c15
	z := m.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// next returns the index of one of n timers, and a delay that is uniform from shortest to longest.
func (m *splitMix) next(n int) (pick int, delay time.Duration) {
	index, rest := bits.Mul64(m.bits(), uint64(n))
	above, _ := bits.Mul64(rest, uint64(longest-shortest))
	return int(index), shortest + time.Duration(above)
}

func (m *splitMix) between(low, high time.Duration) time.Duration {
	above, _ := bits.Mul64(m.bits(), uint64(high-low))
	return low + time.Duration(above)
}

func (m *splitMix) delay() time.Duration {
	_, delay := m.next(1)
	return delay
}
