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

	"schedbench/catalog"
	"schedbench/driver"
	"schedbench/harness"
	"schedbench/harness/experiments"
	"schedbench/harness/rundata"
	"schedbench/internal/quantile"
	"schedbench/judge"
	"schedbench/live"
	"schedbench/workload"
)

// Progress is told what is being done, and how much of it is done.
type Progress func(what string, done, all int)

// Match is some candidates that play a workload side by side, each in a process of its own, for one block.
type Match struct {
	Source     workload.Source
	Candidates []*Candidate
	Slice      time.Duration
	Block      int
	// Pricing says that the source is PricingSource.
	Pricing bool
}

// Play has a match played and returns what each candidate did, in their order.
type Play func(context.Context, Match) ([]Sample, error)

// Sample is what a candidate did in a block.
type Sample struct {
	CPU            float64 // share of a core
	Wakeups, Fired float64 // wake-ups a second
	Took           float64 // seconds
	Late           *hdrhistogram.Histogram
	Note           string
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

// contestant returns the candidate as a contestant that keeps to its own configuration.
func (c *Candidate) contestant(name string) harness.Contestant {
	h := harness.Contestant{Name: name, Family: "candidate"}
	switch {
	case c.Name != "" && (c.System.Start != nil || c.System.Open != nil):
		h = c.System
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

// Samples takes from a run of a match what each candidate did. Wrong answers are an error.
func (m Match) Samples(d *rundata.Data) (all []Sample, err error) {
	for i, c := range m.Candidates {
		series := d.Select(rundata.Live, "impl="+fmt.Sprint("c", i))
		if len(series) == 0 {
			all = append(all, Sample{Note: "its process ended early"})
			continue
		}
		s := series[0]
		if early := total(s.Values[rundata.Early]); early > 0 && !c.System.EarlyByDesign || total(s.Values[rundata.Lost])+total(s.Values[rundata.Doubled]) > 0 {
			return nil, fmt.Errorf("%s: %w: %.0f timers early, %.0f lost, %.0f fired twice", c, live.ErrWrong,
				early, total(s.Values[rundata.Lost]), total(s.Values[rundata.Doubled]))
		}
		one := Sample{Took: m.Slice.Seconds(), Late: s.Late, Note: s.Note}
		if s.State() == rundata.NothingDue {
			one.Note = ""
		}
		one.Fired = total(s.Values[rundata.Fired])
		one.CPU = mean(s.Values[rundata.CPUPerSecond]) / 1e9
		one.Wakeups = mean(s.Values[rundata.WakeupsPerSecond])
		all = append(all, one)
	}
	return all, nil
}

func total(list []float64) (sum float64) {
	for _, v := range list {
		sum += v
	}
	return sum
}

func mean(list []float64) float64 { return total(list) / float64(max(len(list), 1)) }

// String returns the name of a candidate.
func (c *Candidate) String() string { return cmp.Or(c.Name, c.Config.String()) }

const (
	// shortest is how many candidates the final has, and leastBlocks how many blocks at least.
	shortest    = 7
	leastBlocks = 4
	// abreast is how many candidates play at the same time at most.
	abreast = 10
	// busy is the share of the processors that candidates side by side may take.
	busy = 0.6
)

// Final plays the short list, block by block, until decided says that it is decided or the time is up.
func Final(ctx context.Context, s *Segment, short []*Candidate, r Requirements, play Play, until time.Time, decided func() bool, progress Progress) error {
	slice := s.PlayedFor()
	for block := 0; ; block++ {
		start := time.Now()
		for _, set := range setsOf(short, block) {
			progress("playing", block, 0)
			found, err := play(ctx, Match{Source: s.Source, Candidates: set, Slice: slice, Block: block})
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
			c.Final = c.figures(r)
		}
		short = slices.DeleteFunc(slices.Clone(short), func(c *Candidate) bool { return c.Note != "" })
		took := time.Since(start)
		if len(short) == 0 || block+1 >= leastBlocks && decided() || time.Now().Add(took).After(until) && block > 0 {
			return nil
		}
	}
}

// setsOf returns which candidates play at the same time: all, or others in each block if they would ask for more
// than the processors have.
func setsOf(short []*Candidate, block int) (sets [][]*Candidate) {
	need := 0.0
	for _, c := range short {
		need += loadOf(c)
	}
	n := int(math.Ceil(need / (busy * float64(runtime.NumCPU()))))
	n = min(max(n, (len(short)+abreast-1)/abreast), len(short))
	mixed := slices.Clone(short)
	rand.New(rand.NewPCG(uint64(block), 7)).Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
	return slices.Collect(slices.Chunk(mixed, (len(mixed)+n-1)/n))
}

// loadOf is about the CPU of a candidate's process, with the player.
func loadOf(c *Candidate) float64 {
	if f := c.Best(); f != nil {
		return 2*f.CPU.Value + 0.01
	}
	return 0.1
}

// figures sums up what was played.
func (c *Candidate) figures(r Requirements) *Figures {
	if len(c.blocks) == 0 {
		return nil
	}
	f := &Figures{}
	var cpu, late []float64
	all := hdrhistogram.New(1, int64(time.Minute), 3)
	enough := true
	for _, b := range c.blocks {
		cpu = append(cpu, b.CPU)
		f.Wakeups += b.Wakeups / float64(len(c.blocks))
		f.Fired += int(b.Fired)
		f.Played += time.Duration(b.Took * float64(time.Second))
		if b.Late == nil || float64(b.Late.TotalCount())*(1-r.Share()) < 1 {
			enough = false
		} else {
			late = append(late, float64(quantile.Of(b.Late, r.Share()))/1e9)
		}
		if b.Late != nil {
			all.Merge(b.Late)
		}
	}
	f.CPU = judge.Mean(cpu)
	switch {
	case all.TotalCount() == 0:
		f.Lateness = exactly(math.NaN())
	case enough:
		// One block that the machine disturbed does not move a median.
		f.Lateness = judge.Average{Estimate: judge.Median(late), Blocks: late}
	default:
		f.Lateness = judge.Average{Estimate: pooled(all, r.Share())}
	}
	if c.Heat != nil {
		f.Memory = c.Heat.Memory
		if c.Config.Scheduler == catalog.RuntimeTimer { // whose wake-ups nobody counts
			f.Wakeups = c.Heat.Wakeups
		}
	}
	return f
}

// pooled returns a quantile of all timers together, with the interval that so few leave open.
func pooled(h *hdrhistogram.Histogram, share float64) judge.Estimate {
	half := 1.96 * math.Sqrt(share*(1-share)/float64(h.TotalCount()))
	at := func(q float64) float64 { return float64(quantile.Of(h, min(max(q, 0), 1))) / 1e9 }
	return judge.Estimate{Value: at(share), Low: at(share - half), High: at(share + half)}
}
