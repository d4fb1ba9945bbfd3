package workload

import (
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"path/filepath"
	"time"

	"schedbench/internal/words"
)

// maxProfileBytes is how long the text of a profile may be.
const maxProfileBytes = 1 << 18

// Parse reads a profile in the format of docs/workloads.md. The name of the file
// is for errors, which are ParseErrors and begin with file:line, and for what
// the profile refers to, which is looked for in its folder.
func Parse(r io.Reader, file string) (*Profile, error) {
	return parse(r, file, filepath.Dir(file))
}

func parse(r io.Reader, file, dir string) (*Profile, error) {
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
	p, err := s.profile(dir)
	if err != nil {
		return nil, err
	}
	digest := fnv.New64a()
	digest.Write(text)
	p.digest = digest.Sum64()
	return p, nil
}

func (s *profileText) profile(dir string) (p *Profile, err error) {
	p = &Profile{Name: s.Name, About: s.About, Source: s.Source, Choices: s.Choices}
	if s.Name == "" {
		return nil, s.errorf("name", "is missing")
	}
	if p.length, err = s.positive("length", s.Length); err != nil {
		return nil, err
	}
	if p.Tick, err = s.positive("tick", s.Tick); err != nil {
		return nil, err
	}
	if n := len(s.Timers); n == 0 || n > maxBlocks {
		return nil, s.errorf("timers", "%d blocks of timers; want 1 to %d", n, maxBlocks)
	}
	for i := range s.Timers {
		b := blockReader{profileText: s, timersBlock: &s.Timers[i], path: fmt.Sprintf("timers[%d]", i), dir: dir}
		population, err := b.population(i)
		if err != nil {
			return nil, err
		}
		p.populations = append(p.populations, *population)
	}
	return p, s.checkTotals(p)
}

// positive reads a duration that must be there and not be zero.
func (s *profileText) positive(path, text string) (time.Duration, error) {
	if text == "" {
		return 0, s.errorf(path, "is missing")
	}
	d, err := parseDuration(text)
	if err != nil {
		return 0, s.errorf(path, "%v", err)
	}
	if d == 0 {
		return 0, s.errorf(path, "must be more than 0")
	}
	return d, nil
}

func (s *profileText) checkTotals(p *Profile) error {
	if p.Initial() > maxPopulation {
		return s.errorf("timers", "%d timers at the start; at most 10M are allowed", p.Initial())
	}
	if m := p.Mix(); m.Operations() > maxRate {
		return s.errorf("timers", "%.3g operations per second; at most %g are allowed", m.Operations(), maxRate)
	}
	return nil
}

// blockReader is a block of timers that is being read.
type blockReader struct {
	*profileText
	*timersBlock
	path string
	dir  string
	p    Population
}

// at reports an error of a key of the block.
func (b *blockReader) at(key, format string, args ...any) error {
	return b.errorf(b.path+"."+key, format, args...)
}

func (b *blockReader) population(i int) (*Population, error) {
	b.p.name = b.timersBlock.Name
	if b.p.name == "" {
		b.p.name = fmt.Sprintf("timers %d", i+1)
	}
	for _, read := range []func() error{
		b.readArrivals, b.readDelay, b.readCancel, b.readReset, b.checkShares, b.readBackoff, b.checkEnds,
		b.readInitial,
	} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	return &b.p, nil
}

func (b *blockReader) readArrivals() (err error) {
	if b.Arrivals == "" {
		return b.at("arrivals", "is missing")
	}
	if b.p.arrivals, err = buildArrivals(b.Arrivals); err != nil {
		return b.at("arrivals", "%v", err)
	}
	return nil
}

// readDelay reads the delay or the period, of which there must be one.
func (b *blockReader) readDelay() (err error) {
	key, text := "delay", b.Delay
	if b.Period != "" {
		key, text = "period", b.Period
		b.p.periodic = true
	}
	switch {
	case b.Delay != "" && b.Period != "":
		return b.at("period", "a timer has a delay or a period, not both")
	case text == "":
		return b.at("delay", "is missing")
	case b.p.periodic && b.p.arrivals.kind != fixed:
		return b.at("period", "goes with fixed arrivals only, not with %s", b.Arrivals)
	case b.p.periodic && (b.Cancel != nil || b.Reset != nil || b.Backoff != nil):
		return b.at("period", "goes without cancel, reset and backoff")
	}
	if b.p.delay, err = b.distribution(key, text, false); err != nil {
		return err
	}
	return nil
}

// distribution reads the distribution of a key. Those of parts of the delay are
// refused unless relative is set.
func (b *blockReader) distribution(key, text string, relative bool) (Distribution, error) {
	if text == "" {
		return Distribution{}, b.at(key, "is missing")
	}
	d, err := buildDistribution(text, b.dir)
	switch {
	case err != nil:
		return d, b.at(key, "%v", err)
	case d.relative && !relative:
		return d, b.at(key, "percentages of the delay have no place here")
	}
	return d, nil
}

func (b *blockReader) readCancel() (err error) {
	if b.Cancel != nil && b.Cancel.Times != 0 {
		return b.at("cancel.times", "a timer is cancelled once")
	}
	b.p.cancel, err = b.readEnding("cancel", b.Cancel)
	return err
}

func (b *blockReader) readReset() (err error) {
	if b.Reset == nil {
		return nil
	}
	if b.p.times = b.Reset.Times; b.p.times < 0 || b.p.times > maxResets {
		return b.at("reset.times", "%d is not a number from 1 to %d, nor 0 for no limit", b.p.times, maxResets)
	}
	b.p.reset, err = b.readEnding("reset", b.Reset)
	return err
}

// readEnding reads how armings are cancelled or reset.
func (b *blockReader) readEnding(key string, e *endingBlock) (v ending, err error) {
	if e == nil {
		return v, nil
	}
	v.present, v.shared = true, e.Share != ""
	if v.shared {
		if v.share, err = parseShare(e.Share); err != nil {
			return v, b.at(key+".share", "%v", err)
		}
	}
	if v.after, err = b.distribution(key+".after", e.After, v.shared); err != nil {
		return v, err
	}
	return v, b.checkAfter(key, v)
}

// checkAfter refuses a share of what cannot be: it must be possible to end
// before the shortest delay.
func (b *blockReader) checkAfter(key string, v ending) error {
	if !v.shared || v.share == 0 {
		return nil
	}
	first, shortest := least(v.after.law), least(b.p.delay.law)
	if v.after.relative && first < 1 || !v.after.relative && (first < shortest || first == 0) {
		return nil
	}
	return b.at(key+".after", "%s is never before the deadline of a delay of %s, so the share of %s cannot be met",
		v.after, words.Span(float64(nanoseconds(shortest))), b.shareText(key))
}

func (b *blockReader) shareText(key string) string {
	if key == "cancel" {
		return b.Cancel.Share
	}
	return b.Reset.Share
}

func (b *blockReader) checkShares() error {
	c, r := b.p.cancel, b.p.reset
	if c.present && r.present && c.shared != r.shared {
		return b.at("reset.share", "cancel and reset have a share both or neither")
	}
	if sum := c.share + r.share; sum > 1+1e-9 {
		return b.at("reset.share", "the shares of cancel and reset add up to %.4g %%", sum*100)
	}
	return nil
}

func (b *blockReader) readBackoff() (err error) {
	if b.Backoff == nil {
		return nil
	}
	first, isConstant := b.p.delay.law.(constant)
	switch f := b.Backoff.Factor; {
	case !(f >= 1.01 && f <= 1000):
		return b.at("backoff.factor", "%v is not a factor from 1.01 to 1000", f)
	case !isConstant:
		return b.at("backoff", "goes with a constant delay only, not with %s", b.Delay)
	case b.p.times > 0:
		return b.at("backoff", "goes without reset.times")
	case b.p.cancel.share+b.p.reset.share == 0:
		return b.at("backoff", "goes with a cancel or a reset that has a share")
	}
	limit, err := b.positive(b.path+".backoff.max", b.Backoff.Max)
	if err != nil {
		return err
	}
	if limit <= time.Duration(first) || first < 1000 {
		return b.at("backoff.max", "%s and a delay of %s: want a max longer than the delay, and a delay of 1us or more",
			b.Backoff.Max, b.Delay)
	}
	again, err := parseShare(b.Backoff.Again)
	if err != nil || again > 0.99 {
		return b.at("backoff.again", "%q is not a share of at most 99%%", b.Backoff.Again)
	}
	b.p.backoff = newBackoff(time.Duration(first), limit, b.Backoff.Factor, again)
	return nil
}

// checkEnds computes the mix and refuses timers that never end or that go round
// without time going on.
func (b *blockReader) checkEnds() error {
	b.p.mix = b.p.computeMix()
	m := b.p.mix
	switch sum := m.Operations() + m.Pending; {
	case b.p.arrivals.kind != fixed && (math.IsNaN(sum) || math.IsInf(sum, 0)):
		return b.at("arrivals", "new timers come by %s, but none ever ends", b.Arrivals)
	case !(sum <= math.MaxFloat64) || m.Operations() > maxRate:
		return b.at("arrivals", "%.3g operations per second; at most %g are allowed", m.Operations(), maxRate)
	}
	return nil
}

// readInitial reads how many timers are there at the start.
func (b *blockReader) readInitial() (err error) {
	if b.Initial == "" {
		return nil
	}
	switch {
	case b.p.arrivals.kind == fixed:
		return b.at("initial", "goes without fixed arrivals, which say how many there are")
	case b.p.times > 0 || b.p.backoff.delays != nil:
		return b.at("initial", "goes without reset.times and backoff")
	}
	if b.p.initial, err = parsePopulation(b.Initial); err != nil {
		return b.at("initial", "%v", err)
	}
	// A timer is drawn again until it is still pending, which must not take long.
	alive := b.p.mix.Pending / b.p.mix.Armings() * 1e9
	delay := mean(b.p.delay.law)
	if delay < float64(time.Microsecond) {
		return b.at("initial", "goes without delays of less than 1us on average")
	}
	if part := alive / delay; !(part > 1e-3) {
		return b.at("initial", "timers are pending for %.2g of their delay only; at least 0.001 are wanted", part)
	}
	return nil
}
