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
	"schedbench/judge"
	"schedbench/replay"
	"schedbench/schedulers"
	"schedbench/workload"
)

const (
	// chunks is in how many parts the heat times a replay: their scatter is the interval.
	chunks = 3
	// runtimeGrain is how far apart wake-ups are that wait by the Go runtime, whose clock has milliseconds, and
	// preciseGrain the same of precise ones.
	runtimeGrain, preciseGrain = time.Millisecond, 50 * time.Microsecond
	// heatLimit is how long a replay may take.
	heatLimit = 2 * time.Second
)

// Heat replays a segment with each candidate and says what each costs: time per operation × rate + wake-ups
// × the price of one. It ends early, with what it has, when the time is up.
func Heat(ctx context.Context, s *Segment, all []*Candidate, p *Prices, r Requirements, until time.Time, progress Progress) error {
	fires, wakeups := 0.0, 0.0
	for i, c := range byWorth(all) {
		if err := ctx.Err(); err != nil {
			return err
		}
		progress("replaying", i, len(all))
		if c.Name != "" || c.Config.Scheduler == catalog.RuntimeTimer {
			continue
		}
		if time.Now().After(until) {
			c.Note = "not replayed: the time was up"
			continue
		}
		lap, err := s.replayed(ctx, c)
		var cannot *replay.CannotHold
		var gaveUp *replay.GaveUp
		switch {
		case errors.As(err, &cannot) || errors.As(err, &gaveUp):
			c.Note = err.Error()
			continue
		case err != nil:
			return err
		}
		c.Heat = lap.figures(c, s, p, r)
		if c.Config.Scheduler == catalog.Heap && !c.ticks() && c.Config.Waiting == catalog.Runtime {
			fires, wakeups = lap.fires, lap.wakeups
		}
	}
	for _, c := range all {
		if c.Config.Scheduler == catalog.RuntimeTimer && c.Name == "" {
			price := p.Wakeup[catalog.Runtime]
			at := func(wakeup float64) float64 { return s.Rate*p.Runtime + fires*p.Fire + wakeups*wakeup }
			cpu := judge.Estimate{Value: at(price.Value), Low: at(price.Low), High: at(price.High)}
			c.Heat = &Figures{CPU: judge.Average{Estimate: cpu}, Lateness: exactly(runtimeLate.Seconds()), Wakeups: wakeups, Memory: p.RuntimeBytes * float64(s.Pending)}
		}
	}
	return nil
}

// byWorth orders candidates for a heat that may run out of time: the ruled out last, otherwise the simplest first.
func byWorth(all []*Candidate) []*Candidate {
	return slices.SortedStableFunc(slices.Values(all), func(a, b *Candidate) int {
		return cmp.Compare(min(len(a.Ruled), 1), min(len(b.Ruled), 1))
	})
}

// lap is what a replay showed.
type lap struct {
	perOp          judge.Average // seconds
	wakeups, fires float64       // a second
	bytes          float64
}

// replayed replays a segment with the scheduler of a candidate.
func (s *Segment) replayed(ctx context.Context, c *Candidate) (l lap, err error) {
	if l.bytes, err = s.weighed(c); err != nil {
		return l, err
	}
	inner, err := catalog.New[uint64](c.Config)
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
	fill := s.fill
	if c.Config.Scheduler == catalog.List {
		fill = inOrder(fill)
	}
	if err = player.Play(ctx, fill); err != nil {
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
	l.wakeups = float64(last.Wakeups-from.Wakeups+counted.kicks-kicks) / length
	if c.ticks() {
		l.wakeups = 1 / c.Config.Tick.Seconds()
	} else if c.Config.Waiting == catalog.Runtime {
		l.wakeups = min(l.wakeups, 1/runtimeGrain.Seconds()+float64(counted.kicks-kicks)/length)
	}
	return l, nil
}

// mostWeighed is how many timers are weighed at most.
const mostWeighed = 100_000

// weighed returns the memory of the timers that are pending when the segment begins. More than mostWeighed of
// them weigh in proportion.
func (s *Segment) weighed(c *Candidate) (bytes float64, err error) {
	few := s.fill[:min(len(s.fill), mostWeighed)]
	if c.Config.Scheduler == catalog.List {
		few = inOrder(few)
	}
	before := heapBytes()
	held, err := catalog.New[uint64](c.Config)
	if err != nil {
		return 0, err
	}
	for i, op := range few {
		if _, err := held.Schedule(op.Delay, uint64(i)); err != nil {
			return 0, &replay.CannotHold{Op: op, Index: uint64(i), Err: err}
		}
	}
	bytes = float64(heapBytes() - before)
	runtime.KeepAlive(held)
	return max(bytes, 0) * float64(len(s.fill)) / float64(max(len(few), 1)), nil
}

// inOrder returns armings in the order of their deadlines.
func inOrder(fill []workload.Op) []workload.Op {
	return slices.SortedStableFunc(slices.Values(fill), func(a, b workload.Op) int { return cmp.Compare(a.Delay, b.Delay) })
}

// figures turns a replay into costs.
func (l *lap) figures(c *Candidate, s *Segment, p *Prices, r Requirements) *Figures {
	price := p.Wakeup[c.Config.Waiting]
	at := func(perOp, wakeup float64) float64 { return s.Rate*(max(perOp, 0)+p.Call) + l.wakeups*wakeup }
	cpu := judge.Estimate{
		Value: at(l.perOp.Value, price.Value), Low: at(l.perOp.Low, price.Low), High: at(l.perOp.High, price.High),
	}
	return &Figures{
		CPU: judge.Average{Estimate: cpu}, Lateness: exactly(r.assumed(c.Config).Seconds()),
		Wakeups: l.wakeups, Memory: l.bytes,
	}
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

// Schedule implements schedulers.Scheduler.
func (s *sleeper) Schedule(deadline time.Duration, v uint64) (schedulers.ID, error) {
	s.arm(deadline)
	return s.Scheduler.Schedule(deadline, v)
}

// Reset implements schedulers.Resetter: all schedulers of the catalog do.
func (s *sleeper) Reset(id schedulers.ID, deadline time.Duration) (bool, error) {
	s.arm(deadline)
	return s.Scheduler.(schedulers.Resetter).Reset(id, deadline)
}

// Expire implements schedulers.Scheduler.
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
