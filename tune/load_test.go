package tune

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/workload"
	"schedbench/workload/workloadtest"
)

func schedule(at time.Duration, timer uint32, delay time.Duration) workload.Op {
	return workload.Op{Kind: workload.Schedule, At: at, Timer: timer, Delay: delay}
}

func reset(at time.Duration, timer uint32, delay time.Duration) workload.Op {
	return workload.Op{Kind: workload.Reset, At: at, Timer: timer, Delay: delay}
}

func cancel(at time.Duration, timer uint32) workload.Op {
	return workload.Op{Kind: workload.Cancel, At: at, Timer: timer}
}

func loadOf(t require.TestingT, o LoadOptions, ops ...workload.Op) *Load {
	l, err := LoadOf(context.Background(), workloadtest.StreamOf(ops...), o)
	require.NoError(t, err)
	return l
}

func TestALoadCountsWhatHappensInASecond(t *testing.T) {
	var ops []workload.Op
	for i := range 10 { // at the first instant: the population
		ops = append(ops, schedule(0, uint32(i), 2*time.Second))
	}
	for i := range uint32(200) { // every 10 ms, each in turn
		at := time.Duration(i+1) * 5 * ms
		switch i % 4 {
		case 0:
			ops = append(ops, schedule(at, 100+i, 100*ms)) // will be cancelled
		case 1:
			ops = append(ops, schedule(at, 100+i, 20*ms)) // will fire
		case 2:
			ops = append(ops, cancel(at, 100+i-2))
		case 3:
			ops = append(ops, reset(at, i%10, 2*time.Second))
		}
	}
	l := loadOf(t, LoadOptions{Name: "made up", Until: time.Second}, ops...)
	require.Equal(t, "made up", l.Name)
	require.InDelta(t, 1, l.Span.Seconds(), 0.05)
	require.InDelta(t, 100, l.Schedules, 4)
	require.InDelta(t, 50, l.Cancels, 4)
	require.InDelta(t, 50, l.Resets, 4)
	require.InDelta(t, 50, l.Fires, 4)
	require.InDelta(t, 10+50*0.01+50*0.02, l.Pending, 0.1)
	require.Equal(t, 12, l.MostPending)
	require.Equal(t, 2*time.Second, l.Horizon)
	require.InDelta(t, (100*0.06+50*2)/150, l.MeanDelay.Seconds(), 0.05)
	require.InDelta(t, 200, l.instants, 8)
}

func TestTheBeginningIsLeftOut(t *testing.T) {
	ops := []workload.Op{schedule(0, 0, time.Hour)}
	for i := range uint32(2000) { // one a millisecond, each pending for 500 ms
		ops = append(ops, schedule(time.Duration(i+1)*ms, i+1, 500*ms))
	}
	all := loadOf(t, LoadOptions{}, ops...)
	require.Zero(t, all.Warm)
	require.InDelta(t, (250*0.5+500*1.5)/2, all.Pending, 10)
	require.Contains(t, all.Notes[0], "not steady")

	found := loadOf(t, LoadOptions{Warm: FindWarm}, ops...)
	require.InDelta(t, 0.5, found.Warm.Seconds(), 0.1)
	require.InDelta(t, 501, found.Pending, 5)
	require.InDelta(t, 1000, found.Fires, 5)
	require.Empty(t, found.Notes)

	told := loadOf(t, LoadOptions{Warm: time.Second}, ops...)
	require.GreaterOrEqual(t, told.Warm, time.Second)
	require.InDelta(t, 501, told.Pending, 1)
}

func TestASteadyLoadIsTakenWhole(t *testing.T) {
	for _, s := range stretches() {
		if s.name == "long-uniform" || s.name == "pacing" {
			p, err := workload.Find(s.name)
			require.NoError(t, err)
			src := workload.Source{Name: s.name, Open: p.Stream}
			l, err := LoadOfSource(context.Background(), src, workload.Options{Seed: 2, Scale: s.scale, For: s.length}, LoadOptions{Warm: FindWarm})
			require.NoError(t, err)
			require.Less(t, l.Warm, s.length/4, s.name)
			require.InEpsilon(t, p.Pending(s.length)*s.scale, l.Pending, 0.05, s.name)
			require.InEpsilon(t, p.Mix().Armings()*s.scale, l.armings(), 0.05, s.name)
		}
	}
}

func TestLoadsThatCannotBe(t *testing.T) {
	broken := errors.New("broken source")
	for want, ops := range map[string][]workload.Op{
		"comes after":                 {schedule(2*ms, 0, ms), schedule(ms, 1, ms)},
		"has a delay of -1ns":         {schedule(0, 0, -1)},
		"is on timer 4294967295":      {schedule(0, 4294967295, 1)},
		"is of kind 9":                {{Kind: 9}},
		"has nothing but timers that": {schedule(0, 0, ms), schedule(0, 1, ms)},
	} {
		_, err := LoadOf(context.Background(), workloadtest.StreamOf(ops...), LoadOptions{})
		require.ErrorIs(t, err, ErrLoad)
		require.ErrorContains(t, err, want)
	}
	_, err := LoadOf(context.Background(), workloadtest.StreamOf(), LoadOptions{})
	require.ErrorIs(t, err, ErrLoad)
	_, err = LoadOf(context.Background(), workloadtest.Stalled{}, LoadOptions{})
	require.ErrorContains(t, err, "nothing and no error")
	_, err = LoadOf(context.Background(), &workloadtest.Stream{Ops: []workload.Op{schedule(0, 0, ms)}, Err: broken}, LoadOptions{})
	require.ErrorIs(t, err, broken)
	_, err = LoadOfSource(context.Background(), workload.Source{Open: func(workload.Options) (workload.Stream, error) { return nil, broken }}, workload.Options{}, LoadOptions{})
	require.ErrorIs(t, err, broken)
}

func TestASourceIsClosed(t *testing.T) {
	closed := 0
	s := &workloadtest.Stream{Closed: &closed}
	src := workload.Source{Name: "file", Open: func(workload.Options) (workload.Stream, error) {
		s.Ops = []workload.Op{schedule(0, 0, ms), schedule(ms, 1, ms)}
		return s, nil
	}}
	l, err := LoadOfSource(context.Background(), src, workload.Options{}, LoadOptions{})
	require.NoError(t, err)
	require.Equal(t, 1, closed)
	require.Equal(t, "file", l.Name)
	s.CloseErr = errors.New("disk full")
	_, err = LoadOfSource(context.Background(), src, workload.Options{}, LoadOptions{})
	require.ErrorIs(t, err, s.CloseErr)
}

func TestALongStreamIsCut(t *testing.T) {
	var ops []workload.Op
	for i := range uint32(5000) {
		ops = append(ops, schedule(time.Duration(i)*ms, i, 10*ms))
	}
	l := loadOf(t, LoadOptions{MostOps: 1000}, ops...)
	require.InDelta(t, 1, l.Span.Seconds(), 0.1)
	require.Contains(t, l.Notes[0], "only the first 1000 operations")
}

// anyOps draws the operations of a program that keeps to the rules.
func anyOps(t *rapid.T) []workload.Op {
	var ops []workload.Op
	at := time.Duration(0)
	pending := map[uint32]time.Duration{}
	for range rapid.IntRange(2, 60).Draw(t, "operations") {
		at += time.Duration(rapid.IntRange(0, 40).Draw(t, "pause")) * 100 * time.Microsecond
		timer := uint32(rapid.IntRange(0, 8).Draw(t, "timer"))
		deadline, known := pending[timer]
		if known && deadline <= at {
			known = false
		}
		op := schedule(at, timer, time.Duration(rapid.IntRange(0, 300).Draw(t, "delay"))*100*time.Microsecond)
		if known {
			op.Kind = rapid.SampledFrom([]workload.Kind{workload.Reset, workload.Cancel}).Draw(t, "kind")
		}
		switch {
		case op.Kind == workload.Cancel:
			op.Delay = 0
			delete(pending, timer)
		default:
			pending[timer] = at + op.Delay
		}
		ops = append(ops, op)
	}
	return append(ops, schedule(at+time.Second, 9, 0)) // so that all runs out
}

// TestTimelinesTellWhatIsFirst compares them with a search of all timers.
func TestTimelinesTellWhatIsFirst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ops := anyOps(t)
		ob := newObserver(LoadOptions{})
		for i := range ops {
			_, err := ob.observe(&ops[i])
			require.NoError(t, err)
		}
		var firsts []firstChange
		for i := range ob.bins.list {
			firsts = append(firsts, ob.bins.list[i].firsts.changes...)
		}
		end := ops[len(ops)-1].At
		for at := time.Duration(0); at < end; at += 50 * time.Microsecond {
			require.Equal(t, firstAt(ops, at), topAt(firsts, at), "at %v", at)
		}
		fired := 0
		for _, c := range firsts {
			fired += int(c.fired)
		}
		_, want := lifetimesOf(ops, end-1)
		require.Equal(t, want, fired)
	})
}

// topAt returns the first deadline at an instant.
func topAt(changes []firstChange, at time.Duration) time.Duration {
	top := never
	for _, c := range changes {
		if c.at <= at {
			top = c.first
		}
	}
	return top
}

// lifetimesOf works out the lifetimes of all timers, and how many fire by an instant.
func lifetimesOf(ops []workload.Op, until time.Duration) (lifetimes []lifetime, fired int) {
	current := map[uint32]int{}
	for _, op := range ops {
		if i, ok := current[op.Timer]; ok && lifetimes[i].deadline > op.At {
			lifetimes[i].end = op.At
		}
		delete(current, op.Timer)
		if op.Kind != workload.Cancel {
			current[op.Timer] = len(lifetimes)
			lifetimes = append(lifetimes, lifetime{at: op.At, deadline: op.At + op.Delay, end: never})
		}
	}
	for i := range lifetimes {
		if !lifetimes[i].cancelled() && lifetimes[i].deadline <= until {
			lifetimes[i].end = lifetimes[i].deadline
			fired++
		}
	}
	return lifetimes, fired
}

// firstAt returns the first deadline of those pending right after an instant.
func firstAt(ops []workload.Op, at time.Duration) time.Duration {
	lifetimes, _ := lifetimesOf(ops, never)
	first := never
	for _, l := range lifetimes {
		if l.at <= at && at < min(l.deadline, l.end) {
			first = min(first, l.deadline)
		}
	}
	return first
}

func TestBinsAreBounded(t *testing.T) {
	b := newBins()
	b.start = time.Hour
	total := 0.0
	for i := range 10_000 {
		at := time.Hour + time.Duration(i)*time.Duration(i)*time.Microsecond
		one := b.of(at)
		one.fires++
		one.firsts.add(firstChange{at: at})
		total++
		require.LessOrEqual(t, len(b.list), mostBins)
	}
	b.of(never - 1)
	require.LessOrEqual(t, len(b.list), mostBins)
	for _, one := range b.list {
		total -= one.fires
		require.LessOrEqual(t, len(one.firsts.changes), mostChanges)
		require.True(t, slices.IsSortedFunc(one.firsts.changes, func(a, b firstChange) int { return int(a.at - b.at) }))
	}
	require.Zero(t, total)
}

func TestAReservoirIsFair(t *testing.T) {
	const size, offered = 100, 2000
	sums := make([]float64, 10)
	for seed := range uint64(300) {
		r := newReservoir[int](size, seed)
		for i := range offered {
			r.offer(i)
		}
		require.Len(t, r.kept, size)
		for _, v := range r.kept {
			sums[v*10/offered]++
		}
	}
	for _, s := range sums { // 3000 each, give or take 55
		require.InDelta(t, 3000, s, 300)
	}
}

func TestSettledLeavesOutWhatIsNotSteady(t *testing.T) {
	of := func(b *bin) float64 { return b.fires }
	var list []bin
	for i := range 40 {
		list = append(list, bin{tallies: tallies{fires: 100 + float64(i%3)}})
	}
	require.Zero(t, toSkip(list, of))
	for i := range 10 {
		list[i].fires = float64(10 * i)
	}
	require.InDelta(t, 10, toSkip(list, of), 1)
	require.Zero(t, toSkip(list[:1], of))
	require.Zero(t, toSkip(make([]bin, 30), of), "nothing happens at all")
}

// What is left of the delays is looked at while the program is at work, not when all
// that it left has been cancelled.
func TestResidualsAreOfTheProgramAtWork(t *testing.T) {
	var ops []workload.Op
	for i := range uint32(1000) {
		ops = append(ops, schedule(time.Duration(i)*ms, i, 10*time.Second))
	}
	for i := range uint32(990) {
		ops = append(ops, cancel(2*time.Second+time.Duration(i)*ms, i))
	}
	l := loadOf(t, LoadOptions{}, ops...)
	require.Greater(t, len(l.Residuals), 500)
	require.Greater(t, l.Residuals[0], 9*time.Second)
	require.InDelta(t, 0.999, l.Span.Seconds(), 0.05)
}
