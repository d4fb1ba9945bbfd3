package trace

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"schedbench/internal/lists"
)

// jiffies is how many jiffies a second has: as given, or the only customary rate within the error of two readings of the
// counter of jiffies and the time. The four rates that x86 and ARM offer are taken before others.
type jiffies struct {
	hz     int // 0: unknown
	given  bool
	passed int64         // jiffies between the readings
	within time.Duration // the time between them
}

var (
	commonHZ = []int{100, 250, 300, 1000}
	rareHZ   = []int{24, 32, 48, 64, 128, 200, 256, 512, 1024, 1200}
)

// offJiffies is by how many jiffies the counter may differ from the time: a CPU that wakes up finds it as it was.
const offJiffies = 3

// rateOf finds the rate from the first and the last event that have the counter, unless it is given.
func rateOf(all []raw, given int) jiffies {
	j := jiffies{hz: given, given: given > 0}
	var first *raw
	for i := range all {
		r := &all[i]
		if r.knows {
			first = cmp.Or(first, r)
			j.passed, j.within = int64(r.jiffies-first.jiffies), r.at-first.at
		}
	}
	seconds := j.within.Seconds()
	if j.given || seconds <= 0 || j.passed <= 0 {
		return j
	}
	rate := float64(j.passed) / seconds
	off := offJiffies/seconds + rate/1000
	for _, list := range [][]int{commonHZ, rareHZ} {
		within := lists.Only(list, func(hz int) bool { return math.Abs(float64(hz)-rate) <= off })
		if len(within) == 1 {
			j.hz = within[0]
		}
		if len(within) > 0 {
			return j
		}
	}
	return j
}

// delay returns the time that some jiffies take, which may be the longest, and whether it was.
func (j *jiffies) delay(n int64) (d time.Duration, clamped bool) {
	whole, part := n/int64(j.hz), n%int64(j.hz)
	if whole > math.MaxInt64/int64(time.Second)-1 {
		return math.MaxInt64, true
	}
	return time.Duration(whole)*time.Second + time.Duration(part)*time.Second/time.Duration(j.hz), false
}

func (j *jiffies) String() string {
	switch {
	case j.given:
		return fmt.Sprintf("HZ is %d, as given", j.hz)
	case j.hz == 0:
		return ""
	}
	return fmt.Sprintf("HZ is %d, as %d jiffies within %v come to", j.hz, j.passed, j.within.Round(time.Millisecond))
}

// stamps relates the time stamps of a recording to the clocks that hrtimers are set on.
//
// An expiry has the time on the timer's clock, some microseconds before its stamp. The least difference between the two is
// that of the clocks: none with the monotonic clock (trace_clock mono, perf record -k monotonic). Otherwise it drifts: the
// scheduler's clock, which is the default, is not steered. Times of the wall clock are known by their size.
type stamps struct {
	behind    time.Duration   // what a stamp has to be reduced by to be a time of the monotonic clock
	recent    []time.Duration // the last differences, at most sureStamps
	last      time.Duration   // stamp of the last difference taken
	wall      time.Duration   // by how much the wall clock is ahead of stamps, if it is known
	knowsWall bool
}

const (
	sureStamps = 64 // the number of differences whose least one is reliable
	// Times of the wall clock are of the years 2001 to 2223.
	wallFrom, wallTo = 1_000_000_000 * time.Second, 8_000_000_000 * time.Second
	sameClock        = 10 * time.Millisecond // how far a difference may be from the known one and still be of that clock
	exact            = 50 * time.Microsecond // the difference that latency alone explains
)

func ofWall(t time.Duration) bool { return t >= wallFrom && t < wallTo }

// begin takes the first expiries. Most timers are on the monotonic clock: it is the clock of the median.
func (s *stamps) begin(all []raw) {
	var off []time.Duration
	for i := range all {
		r := &all[i]
		switch {
		case !r.timed():
		case ofWall(time.Duration(r.expires)):
			s.wall, s.knowsWall = time.Duration(r.expires)-r.at, true
		case len(off) < sureStamps:
			off = append(off, r.at-time.Duration(r.expires))
			s.last = r.at
		}
	}
	if len(off) == 0 {
		return
	}
	slices.Sort(off)
	median := off[len(off)/2]
	first := slices.IndexFunc(off, func(d time.Duration) bool { return d >= median-time.Millisecond })
	s.behind, s.recent = off[first], off[first:first+1]
}

// timed reports whether an event has the time on its timer's clock.
func (r *raw) timed() bool { return r.what == expire && r.high && r.expires > 0 }

func (s *stamps) note(r *raw) {
	if !r.timed() {
		return
	}
	now := time.Duration(r.expires)
	if ofWall(now) {
		s.wall, s.knowsWall = now-r.at, true
		return
	}
	d := r.at - now
	drift := max(r.at-s.last, 0) / 1000 // 500 millionths is the most that a clock is steered by
	if len(s.recent) > 0 && (d-s.behind).Abs() > sameClock+drift {
		return
	}
	if len(s.recent) == sureStamps {
		s.recent = s.recent[1:]
	}
	s.recent = append(s.recent, d)
	s.last = r.at
	s.behind = slices.Min(s.recent)
}

// offset returns what to subtract from a stamp: nothing where latency alone explains the difference.
func (s *stamps) offset() time.Duration {
	if s.behind.Abs() <= exact {
		return 0
	}
	return s.behind
}

// ahead returns how long after a stamp a time of an hrtimer's clock is, unless that is the wall clock, and unknown.
func (s *stamps) ahead(at, expires time.Duration) (time.Duration, bool) {
	if ofWall(expires) {
		return expires - at - s.wall, s.knowsWall
	}
	return expires - (at - s.offset()), true
}

func (s *stamps) String() string {
	switch off := s.offset(); {
	case len(s.recent) == 0:
		return "time stamps are taken for those of the monotonic clock: no hrtimer expires"
	case off == 0:
		return "time stamps are of the monotonic clock"
	default:
		way := "behind"
		if off > 0 {
			way = "ahead of"
		}
		return fmt.Sprintf("time stamps are %v %s the monotonic clock", off.Abs().Round(time.Microsecond), way)
	}
}
