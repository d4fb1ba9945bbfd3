package workload

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"time"

	"schedbench/internal/words"
)

const maxProfileBytes = 1 << 18

// Parse reads a profile in the format of docs/workloads.md. Errors are ParseErrors and begin with file:line.
func Parse(r io.Reader, file string) (*Profile, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxProfileBytes+1))
	if err != nil {
		return nil, fmt.Errorf("workload: reading %s: %w", file, err)
	}
	if len(text) > maxProfileBytes {
		return nil, &ParseError{file, 1, fmt.Sprintf("longer than %d bytes", maxProfileBytes)}
	}
	s, err := readDocument(text, file)
	if err != nil {
		return nil, err
	}
	p := s.profile()
	if s.err != nil {
		return nil, s.err
	}
	digest := fnv.New64a()
	digest.Write(text)
	p.digest = digest.Sum64()
	return p, nil
}

// profile makes the profile. After an error it is of no use.
func (s *profileText) profile() *Profile {
	p := &Profile{Name: s.Name, About: s.About, Source: s.Source, Choices: s.Choices}
	s.check(s.Name != "", "name", "is missing")
	p.length, p.Tick = s.positive("length", s.Length), s.positive("tick", s.Tick)
	n := len(s.Timers)
	s.check(n > 0 && n <= maxBlocks, "timers", "%d blocks of timers; want 1 to %d", n, maxBlocks)
	for i := 0; i < n && s.err == nil; i++ {
		b := blockReader{profileText: s, timersBlock: &s.Timers[i], path: fmt.Sprintf("timers[%d]", i)}
		b.p.name = cmp.Or(b.timersBlock.Name, fmt.Sprintf("timers %d", i+1))
		b.read()
		p.populations = append(p.populations, b.p)
	}
	if s.err == nil {
		rate := p.Mix().Operations()
		s.check(p.Initial() <= maxPopulation, "timers", "%d timers at the start; at most 10M are allowed", p.Initial())
		s.check(!(rate > maxRate), "timers", "%.3g operations per second; at most %g are allowed", rate, maxRate)
	}
	return p
}

// positive reads a duration that must not be missing or zero.
func (s *profileText) positive(path, text string) time.Duration {
	s.check(text != "", path, "is missing")
	d, err := parseDuration(text)
	s.check(err == nil, path, "%v", err)
	s.check(d > 0, path, "must be more than 0")
	return d
}

type blockReader struct {
	*profileText
	*timersBlock
	path string
	p    Population
}

func (b *blockReader) want(holds bool, key, format string, args ...any) {
	b.check(holds, b.path+"."+key, format, args...)
}

func (b *blockReader) read() {
	for _, part := range []func(){b.readArrivals, b.readDelay, b.readEndings, b.readBackoff, b.checkEnds, b.readInitial} {
		if part(); b.err != nil {
			return
		}
	}
}

func (b *blockReader) readArrivals() {
	var err error
	b.want(b.Arrivals != "", "arrivals", "is missing")
	b.p.arrivals, err = buildArrivals(b.Arrivals)
	b.want(err == nil, "arrivals", "%v", err)
}

// readDelay reads the delay or the period. There must be exactly one.
func (b *blockReader) readDelay() {
	key, text := "delay", b.Delay
	if b.Period != "" {
		key, text = "period", b.Period
		b.p.periodic = true
		b.want(b.Delay == "", key, "a timer has a delay or a period, not both")
		b.want(b.p.arrivals.kind == fixed, key, "needs fixed arrivals, not with %s", b.Arrivals)
		b.want(b.Cancel == nil && b.Reset == nil && b.Backoff == nil, key, "cannot be combined with cancel, reset or backoff")
	}
	b.p.delay = b.distribution(key, text, false)
}

// distribution reads the distribution of a key. It refuses parts of the delay unless relative is set.
func (b *blockReader) distribution(key, text string, relative bool) Distribution {
	b.want(text != "", key, "is missing")
	if b.err != nil {
		return Distribution{}
	}
	d, err := ParseDistribution(text)
	b.want(err == nil, key, "%v", err)
	b.want(relative || !d.relative, key, "percentages of the delay have no place here")
	return d
}

func (b *blockReader) readEndings() {
	if b.Cancel != nil {
		b.want(b.Cancel.Times == 0, "cancel.times", "cancel has no times")
		b.p.cancel = b.readEnding("cancel", b.Cancel)
	}
	if b.Reset != nil {
		b.p.times = b.Reset.Times
		b.want(b.p.times >= 0 && b.p.times <= maxResets, "reset.times",
			"%d is not a number from 1 to %d, nor 0 for no limit", b.p.times, maxResets)
		b.p.reset = b.readEnding("reset", b.Reset)
	}
	c, r := b.p.cancel, b.p.reset
	b.want(!c.present || !r.present || c.shared == r.shared, "reset.share", "give both cancel and reset a share, or neither")
	sum := c.share + r.share
	b.want(sum <= 1+1e-9, "reset.share", "the shares of cancel, %.3g %%, and reset, %.3g %%, add up to %.4g %%, want at most 100 %%",
		c.share*100, r.share*100, sum*100)
}

// readEnding refuses an ending that cannot come before the shortest delay ends.
func (b *blockReader) readEnding(key string, e *endingBlock) ending {
	v := ending{present: true, shared: e.Share != ""}
	if v.shared {
		var err error
		v.share, err = parseShare(e.Share)
		b.want(err == nil, key+".share", "%v", err)
	}
	v.after = b.distribution(key+".after", e.After, v.shared)
	if b.err != nil || v.share == 0 {
		return v
	}
	first, shortest := least(v.after.law), least(b.p.delay.law)
	possible := first < shortest || first == 0
	if v.after.relative {
		possible = first < 1
	}
	b.want(possible, key+".after", "%s is never before the deadline of a delay of %s, so the share of %s cannot be met",
		v.after, words.Span(float64(nanoseconds(shortest))), e.Share)
	return v
}

func (b *blockReader) readBackoff() {
	if b.Backoff == nil {
		return
	}
	first, isConstant := b.p.delay.law.(constant)
	f := b.Backoff.Factor
	b.want(f >= 1.01 && f <= 1000, "backoff.factor", "%v is not a factor from 1.01 to 1000", f)
	b.want(isConstant, "backoff", "needs a constant delay, not with %s", b.Delay)
	b.want(b.p.times == 0, "backoff", "cannot be combined with reset.times")
	b.want(b.p.cancel.share+b.p.reset.share != 0, "backoff", "needs a cancel or a reset that has a share")
	limit := b.positive(b.path+".backoff.max", b.Backoff.Max)
	b.want(limit > time.Duration(first) && first >= 1000, "backoff.max",
		"%s and a delay of %s: want a max longer than the delay, and a delay of 1us or more", b.Backoff.Max, b.Delay)
	again, err := parseShare(b.Backoff.Again)
	b.want(err == nil && again <= 0.99, "backoff.again", "%q is not a share of at most 99%%", b.Backoff.Again)
	if b.err != nil {
		return
	}
	b.p.backoff.again = again
	for d := float64(first); d < float64(limit); d *= f {
		b.p.backoff.delays = append(b.p.backoff.delays, nanoseconds(d))
	}
	b.p.backoff.delays = append(b.p.backoff.delays, limit)
}

// checkEnds computes the mix. It refuses timers that never end, or that are armed infinitely often at one instant.
func (b *blockReader) checkEnds() {
	b.p.mix = b.p.computeMix()
	rate := b.p.mix.Operations()
	sum := rate + b.p.mix.Pending
	endless := math.IsNaN(sum) || math.IsInf(sum, 0)
	b.want(b.p.arrivals.kind == fixed || !endless, "arrivals", "new timers come by %s, but none ever ends", b.Arrivals)
	b.want(sum <= math.MaxFloat64 && rate <= maxRate, "arrivals",
		"%.3g operations per second; at most %g are allowed", rate, maxRate)
}

func (b *blockReader) readInitial() {
	if b.Initial == "" {
		return
	}
	var err error
	b.want(b.p.arrivals.kind != fixed, "initial", "cannot be combined with fixed arrivals, which say how many there are")
	b.want(b.p.times == 0 && b.p.backoff.delays == nil, "initial", "cannot be combined with reset.times or backoff")
	b.p.initial, err = parsePopulation(b.Initial)
	b.want(err == nil, "initial", "%v", err)
	// residual draws timers until one is still pending, which must not take long.
	alive, delay := b.p.mix.Pending/b.p.mix.Armings()*1e9, mean(b.p.delay.law)
	b.want(delay >= float64(time.Microsecond), "initial", "needs delays of at least 1us on average")
	b.want(alive/delay > 1e-3, "initial",
		"timers are pending for %.2g of their delay only; at least 0.001 are wanted", alive/delay)
}
