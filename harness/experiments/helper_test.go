package experiments

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"schedbench/driver"
	"schedbench/harness"
	"schedbench/harness/blocks"
	"schedbench/harness/rundata"
	"schedbench/heapsched"
	"schedbench/internal/lists"
	"schedbench/internal/must"
	"schedbench/live"
	"schedbench/schedulers"
	"schedbench/workload"
)

var errFake = errors.New("fake failure")

func sound(name string) harness.Contestant {
	return harness.Contestant{
		Name: name,
		New:  func(harness.Geometry) (schedulers.Scheduler[uint64], error) { return heapsched.New[uint64](), nil },
		Start: func(_ harness.Geometry, opts ...driver.Option) (*driver.Driver, error) {
			return driver.Start(heapsched.New[driver.Task](), opts...)
		},
	}
}

// standIn returns a sound contestant that stands for all.
func standIn(name string) harness.Contestant {
	c := sound(name)
	c.Representative = true
	return c
}

func failing() harness.Contestant {
	return harness.Contestant{
		Name:  "failing",
		New:   func(harness.Geometry) (schedulers.Scheduler[uint64], error) { return nil, errFake },
		Start: func(harness.Geometry, ...driver.Option) (*driver.Driver, error) { return nil, errFake },
	}
}

func runtimeTimers() harness.Contestant {
	return harness.Contestant{Name: "runtime", Runtime: true, Baseline: true}
}

// bareScheduler and liveScheduler are the schedulers of cells without a clock, and of drivers.
type (
	bareScheduler = schedulers.Scheduler[uint64]
	liveScheduler = schedulers.Scheduler[driver.Task]
)

// faulty is a sound scheduler but for the methods that are replaced.
type faulty[T any] struct {
	schedulers.Scheduler[T]
	schedule func(s schedulers.Scheduler[T], deadline time.Duration, value T) (schedulers.ID, error)
	cancel   func(s schedulers.Scheduler[T], id schedulers.ID) bool
	expire   func(s schedulers.Scheduler[T], now time.Duration, due []T) int
	length   func(s schedulers.Scheduler[T]) int
	work     func() schedulers.Work
}

// made returns a scheduler with the faults: what is not replaced is that of a heap.
func (f faulty[T]) made() *faulty[T] {
	f.Scheduler = heapsched.New[T]()
	if f.schedule == nil {
		f.schedule = schedulers.Scheduler[T].Schedule
	}
	if f.cancel == nil {
		f.cancel = schedulers.Scheduler[T].Cancel
	}
	if f.expire == nil {
		f.expire = schedulers.Scheduler[T].Expire
	}
	if f.length == nil {
		f.length = schedulers.Scheduler[T].Len
	}
	return &f
}

func (f *faulty[T]) Work() (w schedulers.Work) {
	if f.work != nil {
		w = f.work()
	}
	return w
}

func (f *faulty[T]) Schedule(deadline time.Duration, value T) (schedulers.ID, error) {
	return f.schedule(f.Scheduler, deadline, value)
}

func (f *faulty[T]) Cancel(id schedulers.ID) bool { return f.cancel(f.Scheduler, id) }

func (f *faulty[T]) Expire(now time.Duration, due []T) int { return f.expire(f.Scheduler, now, due) }

func (f *faulty[T]) Len() int { return f.length(f.Scheduler) }

// noting is a sound scheduler that calls do before each Schedule.
func noting[T any](do func()) faulty[T] {
	return faulty[T]{schedule: func(s schedulers.Scheduler[T], deadline time.Duration, value T) (schedulers.ID, error) {
		do()
		return s.Schedule(deadline, value)
	}}
}

// faults are the ways in which a bare scheduler can answer wrong.
func faults() map[string]faulty[uint64] {
	schedule := func(add func(s bareScheduler, deadline time.Duration, value uint64) (schedulers.ID, error)) faulty[uint64] {
		return faulty[uint64]{schedule: add}
	}
	return map[string]faulty[uint64]{
		"early":                  {expire: func(s bareScheduler, now time.Duration, due []uint64) int { return s.Expire(now+2*costTick, due) }},
		"handed out, and forgot": {expire: losing},
		"not cancelled":          {cancel: never},
		"cancelled, it says":     {cancel: func(bareScheduler, schedulers.ID) bool { return true }},
		"the count":              {length: func(s bareScheduler) int { return s.Len() + 1 }},
		"refused":                {schedule: afterwards[uint64](20)},
		"late": schedule(func(s bareScheduler, at time.Duration, v uint64) (schedulers.ID, error) {
			return s.Schedule(at+3*costTick, v)
		}),
		"another": schedule(func(s bareScheduler, at time.Duration, v uint64) (schedulers.ID, error) { return s.Schedule(at, v+1e9) }),
		"lost": schedule(func(s bareScheduler, at time.Duration, v uint64) (schedulers.ID, error) {
			if v%10 == 3 {
				at = math.MaxInt64
			}
			return s.Schedule(at, v)
		}),
		"doubled": schedule(func(s bareScheduler, at time.Duration, v uint64) (schedulers.ID, error) {
			_, _ = s.Schedule(at, v)
			return s.Schedule(at, v)
		}),
	}
}

func broken(faults faulty[uint64]) harness.Contestant {
	return harness.Contestant{Name: "broken", New: func(harness.Geometry) (schedulers.Scheduler[uint64], error) {
		return faults.made(), nil
	}}
}

// brokenLive returns a contestant that is live, and whose schedulers have the given faults.
func brokenLive(faults faulty[driver.Task]) harness.Contestant {
	return harness.Contestant{Name: "broken", Start: func(_ harness.Geometry, opts ...driver.Option) (*driver.Driver, error) {
		return driver.Start(faults.made(), append(opts, driver.WithAtOnce())...) // every call reaches the scheduler
	}}
}

func brokenTwice(name string, bare faulty[uint64], live faulty[driver.Task]) harness.Contestant {
	return harness.Contestant{Name: name, New: broken(bare).New, Start: brokenLive(live).Start}
}

// tiny returns a plan of everything, as small as can be, for some contestants.
func tiny(contestants ...harness.Contestant) *harness.Plan {
	p := QuickPlan(contestants...)
	p.Experiments, p.Pending, p.Ticks = rundata.ExperimentNames(), []int{10, 100}, []time.Duration{time.Millisecond}
	p.Rounds, p.Epoch, p.Slice, p.Watch = 2, 100*time.Microsecond, 10*time.Millisecond, 10*time.Millisecond
	p.Short, p.Rough, p.Burst, p.Drain, p.Flood = true, true, 50, 0, 20
	p.ListCell, p.ReplayLimit = 100*time.Millisecond, 0
	p.Profiles, p.LiveProfiles = []workload.Source{SampleWorkload()}, []workload.Source{SampleWorkload()}
	return p
}

func costs(contestants ...harness.Contestant) *harness.Plan {
	p := tiny(contestants...)
	p.Experiments, p.Ops = []string{rundata.Cost}, []string{rundata.OpPair}
	return p
}

func sessionOf(t *testing.T, p *harness.Plan) *harness.Session {
	t.Helper()
	require.NoError(t, p.Check())
	return sessionIn(t.Context(), p)
}

func sessionIn(ctx context.Context, p *harness.Plan) *harness.Session {
	return harness.NewSession(ctx, p, 0)
}

// allBlocks measures a cell in all blocks of a plan, as so many processes do.
func allBlocks(s *harness.Session, c harness.Cell) ([]*rundata.Series, error) {
	var parts []*rundata.File
	for block := 0; block < s.Plan.Blocks; block++ {
		one := *s
		one.First = block
		series, err := c.Measure(&one)
		if err != nil {
			return nil, err
		}
		parts = append(parts, &rundata.File{Cells: []rundata.Measured{{Name: c.Name, Series: series}}})
		if c.ParallelBlocks > 0 { // which has measured all of them
			break
		}
	}
	return rundata.Join(nil, parts), nil
}

// runOnly measures the cells of one experiment (and of one operation in cost cells), up to the first error.
func runOnly(t *testing.T, p *harness.Plan, experiment, op string) (series []*rundata.Series, err error) {
	t.Helper()
	p.Experiments, p.Ops = []string{experiment}, []string{op}
	s := sessionOf(t, p)
	for _, c := range p.Cells() {
		part, err := allBlocks(s, c)
		if err != nil {
			return series, err
		}
		series = append(series, part...)
	}
	return series, nil
}

// measured is runOnly without an error.
func measured(t *testing.T, p *harness.Plan, experiment, op string) *rundata.Data {
	t.Helper()
	return &rundata.Data{Series: must.Get(runOnly(t, p, experiment, op))(t)}
}

// firstTime returns who some series are of, without those that were measured a second time.
func firstTime(series []*rundata.Series) []string {
	return slices.DeleteFunc(rundata.Distinct(series, "impl"), func(impl string) bool { return strings.HasSuffix(impl, rundata.AASuffix) })
}

// allFired requires that all timers of a series fired, once and not early.
func allFired(t *testing.T, s *rundata.Series) {
	t.Helper()
	NotEarlyOrTwice(t, s)
	require.Zero(t, sumOf(s.Values[rundata.Lost]), s.Name())
}

// NotEarlyOrTwice requires that no timer of a series fired early or twice: a machine that stands still may lose some.
func NotEarlyOrTwice(t *testing.T, s *rundata.Series) {
	t.Helper()
	for i, n := range s.Iterations {
		require.Positive(t, n, s.Name())
		require.Equal(t, float64(n), s.Values[rundata.Fired][i]+s.Values[rundata.Lost][i], s.Name())
		require.Zero(t, s.Values[rundata.Early][i]+s.Values[rundata.Doubled][i], s.Name())
	}
}

func cellNames(p *harness.Plan) []string {
	return lists.Each(p.Cells(), func(c harness.Cell) string { return c.Name })
}

func ended(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

// brokenTimers returns a contestant with timers of its own, whose Stop answers as stop does.
func brokenTimers(stop func(driver.Timer) bool) harness.Contestant {
	return harness.Contestant{Name: "broken", Open: func(harness.Geometry) (live.Timers, error) {
		d, err := driver.Start(heapsched.New[driver.Task]())
		return live.Own[lyingTimer]{
			Start: func(delay time.Duration, task func()) (lyingTimer, error) {
				t, err := d.AfterFunc(delay, task)
				return lyingTimer{t, stop}, err
			},
			End: live.On(d, 0).Close,
		}, err
	}}
}

type lyingTimer struct {
	timer driver.Timer
	stop  func(driver.Timer) bool
}

func (l lyingTimer) Stop() bool { return l.stop(l.timer) }

func stoppedButDenied(t driver.Timer) bool { return !t.Stop() }

func TinyPlan(contestants ...harness.Contestant) *harness.Plan { return tiny(contestants...) }

func TestMain(m *testing.M) {
	if o, ok := blocks.Ordered(); ok {
		os.Exit(obey(byProcesses(os.Args[1]), o))
	}
	goleak.VerifyTestMain(m)
}

func obey(p *harness.Plan, o blocks.Order) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := harness.Obey(ctx, p, o, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		return 1
	}
	return 0
}

func byProcesses(name string) *harness.Plan {
	p := plansOfProcesses[name]()
	p.Start = func(ctx context.Context, o blocks.Order) *exec.Cmd { return blocks.Command(ctx, o, name) }
	return p
}
