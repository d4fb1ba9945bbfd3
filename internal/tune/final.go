package tune

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"gonum.org/v1/gonum/floats"

	"schedbench/catalog"
	"schedbench/driver"
	"schedbench/harness"
	"schedbench/harness/experiments"
	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/lists"
	"schedbench/internal/quantile"
	"schedbench/live"
	"schedbench/workload"
)

// Progress is called with what is being done, and how much of it is done.
type Progress func(what string, done, all int)

// Match is one block in which candidates play a workload side by side, each in its own process.
type Match struct {
	Source     workload.Source
	Candidates []*Candidate
	Slice      time.Duration
	Block      int
	// Pricing says that the source is PricingSource.
	Pricing bool
}

// Play plays a match and returns a sample of each candidate, in their order.
type Play func(context.Context, Match) ([]Sample, error)

// Sample is what was measured of a candidate in a block.
type Sample struct {
	CPU     float64 // share of a core
	Wakeups float64 // a second
	Took    float64 // seconds
	Late    *hdrhistogram.Histogram
	Note    string
}

// Plan returns the match as a run of the harness: the live experiment, in one block.
func (m Match) Plan() *harness.Plan {
	p := experiments.QuickPlan()
	p.Experiments, p.Contestants = []string{rundata.Live}, nil
	for i, c := range m.Candidates {
		p.Contestants = append(p.Contestants, c.contestant(fmt.Sprint("c", i)))
	}
	m.Source.Name = workload.TidyName(m.Source.Name)
	p.Profiles, p.LiveProfiles = nil, []workload.Source{m.Source}
	p.LiveSlice, p.Blocks, p.Budget, p.Seed = m.Slice, 1, 0, uint64(m.Block+1)
	return p
}

// contestant returns the candidate as a contestant of the harness. It ignores the harness's geometry.
func (c *Candidate) contestant(name string) harness.Contestant {
	h := harness.Contestant{Name: name, Family: "candidate", EarlyByDesign: c.Contestant.EarlyByDesign}
	switch {
	case c.Contestant.Start != nil || c.Contestant.Open != nil:
		h = c.Contestant
		h.Name, h.Preset, h.Representative, h.Baseline = name, false, false, false
	case c.Config.Scheduler == catalog.RuntimeTimer:
		h.Runtime = true
	default:
		cfg := c.Config
		h.LinearInsert = cfg.Scheduler == catalog.List
		h.Start = func(_ harness.Geometry, opts ...driver.Option) (*driver.Driver, error) { return cfg.Start(opts...) }
	}
	return h
}

// Samples returns a sample of each candidate from a run of the match. Wrong answers are an error.
func (m Match) Samples(d *rundata.Data) (all []Sample, err error) {
	for i, c := range m.Candidates {
		series := d.Select(rundata.Live, "impl="+fmt.Sprint("c", i))
		if len(series) == 0 {
			all = append(all, Sample{Note: "its process ended early"})
			continue
		}
		s := series[0]
		if early := floats.Sum(s.Values[rundata.Early]); early > 0 && !c.Contestant.EarlyByDesign || floats.Sum(s.Values[rundata.Lost])+floats.Sum(s.Values[rundata.Doubled]) > 0 {
			return nil, fmt.Errorf("%s: %w: %.0f timers early, %.0f lost, %.0f fired twice", c, live.ErrWrong,
				early, floats.Sum(s.Values[rundata.Lost]), floats.Sum(s.Values[rundata.Doubled]))
		}
		one := Sample{Took: m.Slice.Seconds(), Late: s.Late, Note: s.Note}
		if s.State() == rundata.NothingDue {
			one.Note = ""
		}
		one.CPU = mean(s.Values[rundata.CPUPerSecond]) / 1e9
		one.Wakeups = mean(s.Values[rundata.WakeupsPerSecond])
		all = append(all, one)
	}
	return all, nil
}

func mean(list []float64) float64 { return floats.Sum(list) / float64(max(len(list), 1)) }

// String returns the name of a candidate.
func (c *Candidate) String() string { return cmp.Or(c.Name, c.Config.String()) }

const (
	// shortest is the most candidates of a final, and longest of one that replays; leastBlocks is its fewest blocks.
	shortest    = 8
	longest     = 12
	leastBlocks = 4
	// abreast is the most candidates that play at the same time.
	abreast = 10
	// busy is the share of the processors that candidates side by side may take.
	busy = 0.6
)

// final plays the short list, block by block, until it is decided or the time is up.
func (ch *Choice) final(ctx context.Context, short []*Candidate, play Play, until time.Time, progress Progress) error {
	doing, slice := "playing", cmp.Or(min(ch.Segment.Length, blockLasts), blockLasts)
	if ch.ByHeat != "" {
		doing = "replaying in turns"
	}
	for block := 0; ; block++ {
		start := time.Now()
		progress(doing, block, 0)
		for _, set := range ch.setsOf(short, block) {
			found, err := play(ctx, Match{Source: ch.Segment.Source, Candidates: set, Slice: slice, Block: block})
			if err != nil {
				return err
			}
			for i, c := range set {
				if found[i].Note != "" {
					c.Note = found[i].Note
					continue
				}
				c.blocks = append(c.blocks, found[i])
			}
		}
		for _, c := range short {
			c.Final = ch.figures(c)
		}
		short = lists.Only(short, func(c *Candidate) bool { return c.Note == "" })
		decided := ch.blocks == block+1
		if ch.blocks == 0 && block+1 >= leastBlocks {
			ch.Decide()
			decided = ch.decided()
		}
		if len(short) == 0 || decided || time.Now().Add(time.Since(start)).After(until) && block > 0 {
			return nil
		}
	}
}

// setsOf returns which candidates play at the same time: all, or sets that differ by block if all need more than the
// processors have.
func (ch *Choice) setsOf(short []*Candidate, block int) (sets [][]*Candidate) {
	need := 0.0
	for _, c := range short { // about what its process takes, with the player
		if f := c.Best(); f != nil {
			need += 2*f.CPU.Value + 0.01
		} else {
			need += 0.1
		}
	}
	n := int(math.Ceil(need / (busy * float64(runtime.NumCPU()))))
	n = min(max(n, (len(short)+abreast-1)/abreast), len(short))
	if ch.ByHeat != "" { // which replays in turns
		n = 1
	}
	mixed := slices.Clone(short)
	rand.New(rand.NewPCG(uint64(block), 7)).Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
	return slices.Collect(slices.Chunk(mixed, (len(mixed)+n-1)/n))
}

// figures sums up a candidate's blocks. A replay has no lateness; it stays that of the heat.
func (ch *Choice) figures(c *Candidate) *Figures {
	if len(c.blocks) == 0 {
		return nil
	}
	f, share := &Figures{}, ch.Requirements.Share()
	var cpu, late []float64
	var fired []*hdrhistogram.Histogram
	for _, b := range c.blocks {
		cpu = append(cpu, b.CPU)
		f.Wakeups += b.Wakeups / float64(len(c.blocks))
		f.Played += time.Duration(b.Took * float64(time.Second))
		if b.Late == nil || b.Late.TotalCount() == 0 {
			continue
		}
		f.Fired += b.Late.TotalCount()
		if fired = append(fired, b.Late); float64(b.Late.TotalCount())*(1-share) >= 1 {
			late = append(late, float64(quantile.Of(b.Late, share))/1e9)
		}
	}
	f.CPU = judge.Mean(cpu)
	switch {
	case ch.ByHeat != "" && c.Heat != nil:
		f.Lateness = c.Heat.Lateness
	case len(fired) == 0:
		f.Lateness = exactly(math.NaN())
	case len(late) == len(c.blocks):
		// One block that the machine disturbed does not move a median.
		f.Lateness = judge.Average{Estimate: judge.Median(late), Blocks: late}
	default:
		f.Lateness = judge.Average{Estimate: pooled(fired, share)}
	}
	if c.Heat != nil {
		f.Memory = c.Heat.Memory
		if c.Config.Scheduler == catalog.RuntimeTimer { // its wake-ups are not counted
			f.Wakeups = c.Heat.Wakeups
		}
	}
	return f
}

// pooled returns a quantile of all timers together, with its interval.
func pooled(all []*hdrhistogram.Histogram, share float64) judge.Estimate {
	h := hdrhistogram.New(1, int64(time.Minute), 3)
	for _, one := range all {
		h.Merge(one)
	}
	half := 1.96 * math.Sqrt(share*(1-share)/float64(h.TotalCount()))
	at := func(q float64) float64 { return float64(quantile.Of(h, min(max(q, 0), 1))) / 1e9 }
	return judge.Estimate{Value: at(share), Low: at(share - half), High: at(share + half)}
}
