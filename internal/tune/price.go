package tune

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"time"

	"schedbench/catalog"
	"schedbench/driver"
	"schedbench/heapsched"
	"schedbench/internal/judge"
	"schedbench/internal/lists"
	"schedbench/internal/machine"
	"schedbench/live"
	"schedbench/schedulers"
	"schedbench/workload"
)

// prices are what timers cost on this machine besides the scheduler.
type prices struct {
	// Wakeup is the CPU time of a wake-up, in seconds.
	Wakeup map[catalog.Waiting]judge.Estimate
	// Call is what a driver adds to an operation, and Runtime what an operation on a time.AfterFunc takes, in seconds.
	// Fire is what it takes to fire among others: it starts a goroutine.
	Call, Runtime, Fire float64
	// RuntimeBytes is the memory of a time.AfterFunc, and DriverBytes what a driver adds to a timer of its scheduler.
	RuntimeBytes, DriverBytes float64
}

const (
	// pricing is a load with little to do: its driver's CPU time is that of the wake-ups.
	pricing = `name = "pricing"
length = "10s"
tick = "1ms"
[[timers]]
name = "few"
arrivals = "poisson(100/s)"
initial = "20"
delay = "uniform(10ms, 400ms)"
`
	pricedTick   = time.Millisecond
	pricedBlocks = 3
	pricedSlice  = 700 * time.Millisecond
	// leastTimers and mostTimers bound how many timers are pending while time.AfterFunc is measured.
	leastTimers = 1000
	mostTimers  = 4_000_000
	// fewTimers are due together.
	fewTimers = 20_000
)

// PricingSource returns the workload that measures the price of a wake-up.
func PricingSource() (workload.Source, error) {
	p, err := workload.Parse(strings.NewReader(pricing), "pricing")
	if err != nil {
		return workload.Source{}, err
	}
	return workload.SourceOf(p, workload.Options{Seed: 1})
}

// pricesOf measures the prices: wake-ups on the real clock, in processes side by side as in the final, and calls in this
// process, among as many timers as are pending.
func pricesOf(ctx context.Context, play Play, pending int) (p *prices, err error) {
	src, err := PricingSource()
	if err != nil {
		return nil, err
	}
	p = &prices{Wakeup: map[catalog.Waiting]judge.Estimate{}}
	all := lists.Each(catalog.Waitings(), func(waiting catalog.Waiting) *Candidate {
		return &Candidate{Config: catalog.Config{Scheduler: catalog.Heap, Tick: pricedTick, Waking: catalog.Ticking, Waiting: waiting}}
	})
	each := make([][]float64, len(all))
	for block := range pricedBlocks {
		found, err := play(ctx, Match{Source: src, Candidates: all, Slice: pricedSlice, Block: block, Pricing: true})
		if err != nil {
			return nil, fmt.Errorf("the price of a wake-up: %w", err)
		}
		for i, s := range found {
			each[i] = append(each[i], s.CPU/max(s.Wakeups, 1))
		}
	}
	for i, c := range all {
		p.Wakeup[c.Config.Waiting] = judge.Mean(each[i]).AtLeast(0)
	}
	return p, p.calls(pending)
}

// calls measures what a driver adds to operations, and what operations of time.AfterFunc take among as many timers as
// are pending: each costs more if the timers do not fit into a cache.
func (p *prices) calls(pending int) error {
	pending = min(max(pending, leastTimers), mostTimers)
	d, err := catalog.Config{Scheduler: catalog.Heap}.Start()
	if err != nil {
		return err
	}
	byDriver := timed(func() {
		if t, err := d.AfterFunc(time.Hour, func() {}); err == nil {
			t.Stop()
		}
	})
	if _, err = d.Close(context.Background()); err != nil {
		return err
	}
	var s schedulers.Scheduler[driver.Task] = heapsched.New[driver.Task]()
	bare := timed(func() {
		if id, err := s.Schedule(time.Hour, driver.Task{}); err == nil {
			s.Cancel(id)
		}
	})
	p.Call = max(byDriver-bare, 0) / 2
	timers, before := make([]*time.Timer, 0, pending), machine.Heap()
	random := rand.New(rand.NewPCG(1, 2))
	far := func() time.Duration { return time.Hour + time.Duration(random.Int64N(int64(time.Hour))) }
	for range pending {
		timers = append(timers, time.AfterFunc(far(), func() {}))
	}
	p.RuntimeBytes = max((machine.Heap()-before)/float64(pending), 0)
	p.Runtime = timed(func() { // at random: equal deadlines in order would cost the runtime's heap nothing
		i := random.IntN(len(timers))
		timers[i].Stop()
		timers[i] = time.AfterFunc(far(), func() {})
	}) / 2
	for _, t := range timers {
		t.Stop()
	}
	p.Fire = fired()
	p.DriverBytes, err = driverBytes(min(pending, mostWeighed))
	return err
}

// driverBytes returns how much more a timer takes up behind a driver than in a bare scheduler of numbers.
func driverBytes(pending int) (float64, error) {
	heap := catalog.Config{Scheduler: catalog.Heap}
	bare, err := heap.Bare()
	if err != nil {
		return 0, err
	}
	d, err := heap.Start()
	if err != nil {
		return 0, err
	}
	empty := machine.Heap()
	for i := 0; i < pending && err == nil; i++ {
		_, err = bare.Schedule(time.Hour, 0)
	}
	held := machine.Heap()
	for i := 0; i < pending && err == nil; i++ {
		_, err = d.AfterFunc(time.Hour, func() {})
	}
	driven := machine.Heap()
	runtime.KeepAlive(bare)
	_, wrong := d.Close(context.Background())
	return max((driven-held-(held-empty))/float64(pending), 0), errors.Join(err, wrong)
}

// fired returns the CPU time, in seconds, that a time.AfterFunc takes to fire when many are due together; 0 where the
// system does not show it.
func fired() float64 {
	var all sync.WaitGroup
	all.Add(fewTimers)
	for range fewTimers {
		time.AfterFunc(50*time.Millisecond, all.Done)
	}
	before, _ := live.ReadUsage()
	all.Wait()
	after, _ := live.ReadUsage()
	return (after.CPU - before.CPU).Seconds() / fewTimers
}

func timed(f func()) float64 {
	const calls = 50_000
	start := time.Now()
	for range calls {
		f()
	}
	return time.Since(start).Seconds() / calls
}
