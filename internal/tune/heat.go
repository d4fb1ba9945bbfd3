package tune

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"schedbench/catalog"
	"schedbench/internal/judge"
	"schedbench/internal/machine"
	"schedbench/internal/replay"
	"schedbench/schedulers"
	"schedbench/workload"
)

const (
	// chunks is the number of parts in which the heat times a replay: their scatter gives the interval.
	chunks = 3
	// runtimeGrain is the least time between wake-ups by the Go runtime, whose clock has milliseconds. preciseGrain is
	// that of precise waiting.
	runtimeGrain, preciseGrain = time.Millisecond, 50 * time.Microsecond
	// heatLimit is how long a replay may take.
	heatLimit = 2 * time.Second
)

// heat replays a segment in virtual time.
type heat struct {
	s      *Segment
	r      Requirements
	prices *prices
	// laps are those of this block, by what a replay depends on: a driver that ticks replays as one that sleeps.
	laps map[catalog.Config]lap
	// fires and wakeups are those of a driver that sleeps until due, per second. time.AfterFunc has as many.
	fires, wakeups float64
}

// all replays each candidate once, until the time is up.
func (h *heat) all(ctx context.Context, all []*Candidate, until time.Time, progress Progress) error {
	byWorth := slices.SortedStableFunc(slices.Values(all), func(a, b *Candidate) int { // the excluded last, otherwise the simplest first
		return cmp.Compare(min(len(a.Ruled), 1), min(len(b.Ruled), 1))
	})
	for i, c := range byWorth {
		progress("replaying", i, len(all))
		if time.Now().After(until) {
			c.Note = "not replayed: the time was up"
			continue
		}
		var err error
		if c.Heat, c.Note, err = h.figures(ctx, c); err != nil {
			return err
		}
		if c.Config == (catalog.Config{Scheduler: catalog.Heap}) && c.Heat != nil {
			h.fires, h.wakeups = h.laps[c.replayed()].fires, c.Heat.Wakeups
		}
	}
	for _, c := range all { // after the replays, whose wake-ups time.AfterFunc has
		if c.Config.Scheduler == catalog.RuntimeTimer && c.Name == "" {
			c.Heat, c.Note = h.ofRuntime(), ""
		} else if c.Name != "" {
			c.Note = "" // it plays all the same
		}
	}
	return nil
}

// play replays candidates instead of a match on the real clock: one replay of each is a block.
func (h *heat) play(ctx context.Context, m Match) (all []Sample, err error) {
	clear(h.laps)
	if err := h.prices.calls(h.s.Pending); err != nil {
		return nil, err
	}
	for _, c := range m.Candidates {
		f, note := h.ofRuntime(), ""
		if c.Config.Scheduler != catalog.RuntimeTimer {
			if f, note, err = h.figures(ctx, c); err != nil {
				return nil, err
			}
		}
		one := Sample{Note: note}
		if f != nil {
			one.CPU, one.Wakeups = f.CPU.Value, f.Wakeups
		}
		all = append(all, one)
	}
	return all, nil
}

// ofRuntime returns the figures of time.AfterFunc by the prices.
func (h *heat) ofRuntime() *Figures {
	p, price := h.prices, h.prices.Wakeup[catalog.Runtime]
	at := func(wakeup float64) float64 { return h.s.Rate*p.Runtime + h.fires*p.Fire + h.wakeups*wakeup }
	cpu := judge.Estimate{Value: at(price.Value), Low: at(price.Low), High: at(price.High)}
	return &Figures{CPU: judge.Average{Estimate: cpu}, Lateness: exactly(runtimeLate.Seconds()), Wakeups: h.wakeups, Memory: p.RuntimeBytes * float64(h.s.Pending)}
}

// replayed returns the part of the configuration that a replay depends on.
func (c *Candidate) replayed() catalog.Config {
	k := c.Config
	k.Waking, k.Waiting = catalog.Tickless, catalog.Runtime
	if k.Tick == 0 {
		k.Waiting = c.Config.Waiting
	}
	return k
}

// figures replays a candidate, or uses the lap of one with the same replay. The note says why there is none.
func (h *heat) figures(ctx context.Context, c *Candidate) (f *Figures, note string, err error) {
	if c.Config.Scheduler == "" || c.Config.Scheduler == catalog.RuntimeTimer {
		return nil, "it plays on the real clock only", nil
	}
	l, ok := h.laps[c.replayed()]
	if !ok {
		l, err = h.s.replayed(ctx, c)
		var cannot *replay.CannotHold
		var gaveUp *replay.GaveUp
		if errors.As(err, &cannot) || errors.As(err, &gaveUp) {
			l.note, err = err.Error(), nil
		}
		if err != nil {
			return nil, "", err
		}
		if l.note == "" && c.Heat == nil {
			if l.bytes, err = h.s.weighed(c); err != nil {
				return nil, "", err
			}
			l.bytes += h.prices.DriverBytes * float64(h.s.Pending)
		}
		h.laps[c.replayed()] = l
	}
	if l.note != "" {
		return nil, l.note, nil
	}
	return l.figures(c, h.s, h.prices, h.r), "", nil
}

// lap is what a replay showed.
type lap struct {
	perOp          judge.Average // seconds
	wakeups, fires float64       // a second
	// woken is how often a second a sleeping driver wakes for an earlier deadline. bytes is the memory.
	woken, bytes float64
	note         string // why there is none
}

func (s *Segment) replayed(ctx context.Context, c *Candidate) (l lap, err error) {
	inner, err := c.Config.Bare()
	if err != nil {
		return l, err
	}
	counted := &sleeper{Scheduler: inner, asleep: -1}
	tick := cmp.Or(c.Config.Tick, runtimeGrain)
	if c.Config.Tick == 0 && c.Config.Waiting == catalog.Precise {
		tick = preciseGrain
	}
	player, err := replay.NewPlayer(counted, tick)
	if err != nil {
		return l, err
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	player.Limit(heatLimit)
	if err = player.Play(ctx, c.armed(s.fill)); err != nil {
		return l, err
	}
	from, kicks := player.Result(), counted.kicks
	var each []float64
	last := from
	for part := range slices.Chunk(s.ops, len(s.ops)/chunks+1) {
		if err = player.Play(ctx, part); err != nil {
			return l, err
		}
		now := player.Result()
		each, last = append(each, (now.Took-last.Took).Seconds()/float64(len(part))), now
	}
	l.perOp = judge.Mean(each)
	if len(each) == 0 {
		l.perOp = exactly(0)
	}
	length := s.Length.Seconds()
	l.fires = float64(last.Fired-from.Fired) / length
	l.woken = float64(counted.kicks-kicks) / length
	l.wakeups = float64(last.Wakeups-from.Wakeups)/length + l.woken
	return l, nil
}

const mostWeighed = 100_000

// weighed returns the scheduler's memory of the timers that are pending when the segment begins. More than mostWeighed
// of them weigh in proportion.
func (s *Segment) weighed(c *Candidate) (bytes float64, err error) {
	few := c.armed(s.fill[:min(len(s.fill), mostWeighed)])
	before := machine.Heap()
	held, err := c.Config.Bare()
	if err != nil {
		return 0, err
	}
	for i, op := range few {
		if _, err := held.Schedule(op.Delay, uint64(i)); err != nil {
			return 0, &replay.CannotHold{Op: op, Index: uint64(i), Err: err}
		}
	}
	bytes = machine.Heap() - before
	runtime.KeepAlive(held)
	return max(bytes, 0) * float64(len(s.fill)) / float64(max(len(few), 1)), nil
}

// armed returns armings in the order in which they take a candidate no time: a list takes them by deadline.
func (c *Candidate) armed(fill []workload.Op) []workload.Op {
	if c.Config.Scheduler != catalog.List {
		return fill
	}
	return slices.SortedStableFunc(slices.Values(fill), func(a, b workload.Op) int { return cmp.Compare(a.Delay, b.Delay) })
}

// figures turns a replay into costs.
func (l *lap) figures(c *Candidate, s *Segment, p *prices, r Requirements) *Figures {
	price, wakeups := p.Wakeup[c.Config.Waiting], l.wakeups
	if c.ticks() {
		wakeups = 1 / c.Config.Tick.Seconds()
	} else if c.Config.Waiting == catalog.Runtime {
		wakeups = min(wakeups, 1/runtimeGrain.Seconds()+l.woken)
	}
	at := func(perOp, wakeup float64) float64 { return s.Rate*(max(perOp, 0)+p.Call) + wakeups*wakeup }
	cpu := judge.Estimate{
		Value: at(l.perOp.Value, price.Value), Low: at(l.perOp.Low, price.Low), High: at(l.perOp.High, price.High),
	}
	return &Figures{CPU: judge.Average{Estimate: cpu}, Lateness: exactly(r.assumed(c.Config).Seconds()), Wakeups: wakeups, Memory: l.bytes}
}

// exactly is a figure without an interval.
func exactly(v float64) judge.Average {
	return judge.Average{Estimate: judge.Estimate{Value: v, Low: v, High: v}}
}

// sleeper counts how often a sleeping driver would be woken for a deadline that is earlier than what it sleeps for.
type sleeper struct {
	schedulers.Scheduler[uint64]
	asleep time.Duration // until; negative: for ever
	kicks  uint64
}

func (s *sleeper) Schedule(deadline time.Duration, v uint64) (schedulers.ID, error) {
	s.arm(deadline)
	return s.Scheduler.Schedule(deadline, v)
}

// Reset implements schedulers.Resetter: all schedulers of the catalog do.
func (s *sleeper) Reset(id schedulers.ID, deadline time.Duration) (bool, error) {
	s.arm(deadline)
	return s.Scheduler.(schedulers.Resetter).Reset(id, deadline)
}

func (s *sleeper) Expire(now time.Duration, due []uint64) int {
	n := s.Scheduler.Expire(now, due)
	s.asleep = -1
	if next, ok := s.Scheduler.Next(); ok {
		s.asleep = next
	}
	return n
}

func (s *sleeper) arm(deadline time.Duration) {
	if s.asleep < 0 || deadline < s.asleep {
		s.kicks++
		s.asleep = deadline
	}
}
