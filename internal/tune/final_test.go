package tune

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/format"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/must"
	"schedbench/live"
	"schedbench/workload"
)

// fakeMachine plays matches without a clock: a wake-up costs 50 µs, and timers are as late as the tick.
type fakeMachine struct {
	matches int
	failed  error
}

func (m *fakeMachine) play(_ context.Context, match Match) (all []Sample, err error) {
	m.matches++
	for _, c := range match.Candidates {
		one := Sample{CPU: 0.02 + 0.0001*float64(match.Block%3), Wakeups: 200, Took: match.Slice.Seconds(), Late: hdrhistogram.New(1, int64(time.Minute), 3)}
		if c.ticks() {
			one.Wakeups = 1 / c.Config.Tick.Seconds()
			one.CPU = one.Wakeups * 50e-6
		}
		for range 200 {
			_ = one.Late.RecordValue(int64(c.Config.Tick + ms))
		}
		all = append(all, one)
	}
	return all, m.failed
}

func longEnoughSource(p *workload.Profile, o workload.Options, least int) (workload.Source, error) {
	return FromSteady(func(o workload.Options) (workload.Source, error) { return workload.SourceOf(p, o) }, o, least, nil)
}

func sourceOf(t *testing.T, name string) workload.Source {
	t.Helper()
	return must.Get(longEnoughSource(must.Get(workload.Find(name))(t), workload.Options{Seed: 1}, 0))(t)
}

func segmentNamed(t *testing.T, name string) *Segment {
	return must.Get(segmentOf(t.Context(), sourceOf(t, name)))(t)
}

func heatOf(s *Segment) *heat {
	return &heat{s: s, prices: &prices{}, laps: map[catalog.Config]lap{}}
}

func silent(string, int, int) {}

func TestAChoiceIsMadeFromPricesHeatAndFinal(t *testing.T) {
	m := &fakeMachine{}
	ch := must.Get(Choose(t.Context(), sourceOf(t, "heartbeat"), Requirements{Lateness: 50 * ms}, Options{Play: m.play, Time: 20 * time.Second, Brute: true, Progress: silent}))(t)
	require.Empty(t, ch.ByHeat)
	require.NotNil(t, ch.Pick)
	require.True(t, ch.Pick.ticks(), "on this machine fewer wake-ups are all that counts")
	require.LessOrEqual(t, ch.Pick.Config.Tick, 50*ms)
	require.NotNil(t, ch.Pick.Final)
	require.Positive(t, ch.Pick.Final.Memory)
	require.Greater(t, m.matches, pricedBlocks+leastBlocks)
	require.NotNil(t, ch.Regret)
	require.NotNil(t, ch.Regret.Rival)
	require.NotEqual(t, ch.Pick.Config, ch.Regret.Rival.Config)
	require.InDelta(t, ch.Regret.Pick.Value-ch.Regret.Other.Value, ch.Regret.More.Value, 1e-12)
	require.Len(t, ch.Regret.Rival.Final.CPU.Blocks, bruteRounds[len(bruteRounds)-1].blocks)
	require.Greater(t, ch.Regret.Of, 10)
	for _, c := range ch.Candidates {
		if c.Config.Scheduler == catalog.RuntimeTimer {
			require.NotNil(t, c.Final, "always among them")
		}
	}

	m.failed = errors.New("no more processes")
	_, err := Choose(t.Context(), sourceOf(t, "heartbeat"), Requirements{}, Options{Play: m.play, Time: 20 * time.Second, Progress: silent})
	require.ErrorContains(t, err, "the price of a wake-up: no more processes")
}

func TestWhatIsTooFastIsReplayedInTurns(t *testing.T) {
	s := segmentNamed(t, "heartbeat")
	s.Scale = 0.5
	r := Requirements{Lateness: 2 * ms}
	explained := &Candidate{Name: "own"}
	ch := &Choice{Segment: s, Requirements: r, Candidates: append(Candidates(s, r), explained)}
	h := heatOf(s)
	h.r = r
	require.NoError(t, h.all(t.Context(), ch.Candidates, time.Now().Add(time.Hour), silent))
	must.Get(ch.play(t.Context(), Options{Progress: silent}, h, time.Now().Add(10*time.Second)))(t)
	ch.Decide()
	require.Contains(t, ch.ByHeat, "more than this machine plays in real time")
	require.GreaterOrEqual(t, len(ch.Pick.Final.CPU.Blocks), leastBlocks)
	require.Equal(t, ch.Pick.Heat.Lateness, ch.Pick.Final.Lateness, "it is taken")
	require.Equal(t, "it plays on the real clock only", explained.Note)
	require.NotNil(t, ch.Candidates[0].Final, "time.AfterFunc is among them")
}

// A driver that ticks replays as one that sleeps: what they differ by are wake-ups.
func TestWhatReplaysAlikeIsReplayedOnce(t *testing.T) {
	h := heatOf(segmentNamed(t, "heartbeat"))
	for _, c := range []catalog.Config{hier, ticking, heap, {Scheduler: catalog.Heap, Waiting: catalog.Precise}} {
		_, note, err := h.figures(t.Context(), &Candidate{Config: c})
		require.NoError(t, err)
		require.Empty(t, note)
	}
	require.Len(t, h.laps, 3, "a precise sleep wakes at other times")
}

func TestThePriceOfAWakeUpIsWhatWasUsedForEach(t *testing.T) {
	p := must.Get(pricesOf(t.Context(), (&fakeMachine{}).play, 100))(t)
	require.InDelta(t, 50e-6, p.Wakeup[catalog.Runtime].Value, 1e-9)
	require.Positive(t, p.Runtime)
	require.Less(t, p.DriverBytes, p.RuntimeBytes)

	h := heatOf(segmentNamed(t, "heartbeat"))
	bare, _, err := h.figures(t.Context(), &Candidate{Config: heap})
	require.NoError(t, err)
	h.prices, h.laps = &prices{DriverBytes: 1e6}, map[catalog.Config]lap{}
	whole, _, err := h.figures(t.Context(), &Candidate{Config: heap})
	require.NoError(t, err)
	require.InDelta(t, 1e6*float64(h.s.Pending), whole.Memory-bare.Memory, 1e6, "a driver's timers are in the memory")
}

// What a driver adds is its record of a timer.
func TestADriversRecordIsWeighed(t *testing.T) {
	require.InDelta(t, 36, must.Get(driverBytes(50_000))(t), 8)
}

func TestTheAssumedLimitIsOfTimersThatFire(t *testing.T) {
	arm := func(timer uint32, at, delay time.Duration) workload.Op {
		return workload.Op{Kind: workload.Schedule, Timer: timer, At: at, Delay: delay}
	}
	deadline, short := arm(1, 0, 30*time.Second), arm(2, 0, 50*time.Millisecond)
	reset, cancel := arm(1, time.Second, 30*time.Second), workload.Op{Kind: workload.Cancel, Timer: 1, At: 2 * time.Second}
	reset.Kind = workload.Reset
	for _, c := range []struct {
		ops  []workload.Op
		want time.Duration
	}{
		{nil, time.Millisecond},
		{[]workload.Op{deadline, short}, time.Second},
		{[]workload.Op{deadline, short, reset}, time.Second},                  // which runs on
		{[]workload.Op{deadline, short, reset, cancel}, 5 * time.Millisecond}, // only one fires
		{[]workload.Op{deadline, reset, cancel}, time.Second},                 // none does
		{[]workload.Op{short, arm(2, time.Second, time.Hour)}, time.Second},   // the number is used again
	} {
		require.Equal(t, c.want, (&Segment{ops: c.ops}).assumedLateness(), "%v", c.ops)
	}
}

func TestTheHeatCountsWakeUpsOperationsAndBytes(t *testing.T) {
	s := segmentNamed(t, "heartbeat")
	for name, c := range map[string]struct {
		cfg         catalog.Config
		least, most float64 // wake-ups a second
	}{
		"ticking":       {ticking, 1000, 1000},
		"sleeping":      {heap, 100, 600},
		"coarse wheel":  {catalog.Config{Scheduler: catalog.Hier, Tick: 100 * ms, Slots: 256}, 5, 60},
		"precise sleep": {catalog.Config{Scheduler: catalog.Heap, Waiting: catalog.Precise}, 300, 700},
	} {
		h, one := heatOf(s), &Candidate{Config: c.cfg}
		f, _, err := h.figures(t.Context(), one)
		require.NoError(t, err, name)
		require.GreaterOrEqual(t, f.Wakeups, c.least, name)
		require.LessOrEqual(t, f.Wakeups, c.most, name)
		require.Positive(t, f.Memory, name)
		require.InDelta(t, 548, h.laps[one.replayed()].fires, 60, name)
	}
	_, err := s.replayed(t.Context(), &Candidate{Config: catalog.Config{Scheduler: catalog.Single, Tick: ms, Slots: 2}})
	require.ErrorContains(t, err, "cannot hold")
}

func TestASleeperIsWokenForEarlierDeadlinesOnly(t *testing.T) {
	s := &sleeper{Scheduler: must.Get(catalog.New[uint64](heap))(t), asleep: -1}
	for _, deadline := range []time.Duration{10, 20, 5, 7} {
		must.Get(s.Schedule(deadline, 1))(t)
	}
	require.EqualValues(t, 2, s.kicks, "the first, and the earlier one")
	require.Equal(t, 1, s.Expire(5, make([]uint64, 4)))
	must.Get(s.Schedule(8, 1))(t)
	require.EqualValues(t, 2, s.kicks, "it sleeps until 7")
}

func TestSetsPlayTogetherWhatTheMachineHolds(t *testing.T) {
	var all []*Candidate
	for range 7 {
		all = append(all, measured(heap, 1, 1, 1))
	}
	require.Len(t, new(Choice).setsOf(all, 0), 1)
	for _, c := range all {
		c.Heat, c.Final = &Figures{CPU: exactly(1)}, nil
	}
	sets, n := new(Choice).setsOf(all, 0), 0
	require.Greater(t, len(sets), 1)
	for _, set := range sets {
		n += len(set)
	}
	require.Equal(t, len(all), n)
	mixed := false
	for i, set := range new(Choice).setsOf(all, 1) {
		mixed = mixed || set[0] != sets[i][0]
	}
	require.True(t, mixed, "others play together in the next block")
}

func TestSamplesAreReadFromTheRun(t *testing.T) {
	late := hdrhistogram.New(1, int64(time.Minute), 3)
	run := func(change func(*rundata.Series)) *rundata.Data {
		s := &rundata.Series{Experiment: rundata.Live, Params: []rundata.Param{{Key: "impl", Value: "c0"}}, Late: late, Values: map[string][]float64{
			rundata.CPUPerSecond: {2e7}, rundata.WakeupsPerSecond: {100}, rundata.Fired: {50},
		}}
		change(s)
		return &rundata.Data{Series: []*rundata.Series{s}}
	}
	m := Match{Candidates: []*Candidate{{Config: heap}}, Slice: time.Second}
	got := must.Get(m.Samples(run(func(*rundata.Series) {})))(t)
	require.InDelta(t, 0.02, got[0].CPU, 1e-9)
	require.InDelta(t, 100, got[0].Wakeups, 1e-9)
	require.Empty(t, got[0].Note)
	got = must.Get(m.Samples(run(func(s *rundata.Series) { s.Note = rundata.GaveUp + ": behind" })))(t)
	require.NotEmpty(t, got[0].Note)
	got = must.Get(m.Samples(run(func(s *rundata.Series) { s.Note = rundata.NothingDue })))(t)
	require.Empty(t, got[0].Note, "that nothing fires is no fault")
	_, err := m.Samples(run(func(s *rundata.Series) { s.Values[rundata.Lost] = []float64{1} }))
	require.ErrorIs(t, err, live.ErrWrong)
	got = must.Get(m.Samples(&rundata.Data{}))(t)
	require.Equal(t, "its process ended early", got[0].Note)
	require.NoError(t, Match{Source: sourceOf(t, "idle"), Candidates: m.Candidates, Slice: time.Second}.Plan().Check())
}

func TestFewTimersLeaveALongInterval(t *testing.T) {
	c := &Candidate{Config: heap}
	late := hdrhistogram.New(1, int64(time.Minute), 3)
	for i := range 50 {
		_ = late.RecordValue(int64(i+1) * int64(ms))
	}
	c.blocks = []Sample{{CPU: 0.1, Late: late, Took: 1}}
	f := new(Choice).figures(c)
	require.InDelta(t, 0.05, f.Lateness.Value, 0.001)
	require.Less(t, f.Lateness.Low, 0.0495)
	require.Empty(t, f.Lateness.Blocks)
	c.blocks[0].Late = hdrhistogram.New(1, 10, 3)
	require.True(t, math.IsNaN(new(Choice).figures(c).Lateness.Value))
}

// TestSnippetsCompile has the compiler take them as packages of this module that are on no disk.
func TestSnippetsCompile(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go tool")
	}
	configs := []catalog.Config{
		{Scheduler: catalog.RuntimeTimer}, {Scheduler: catalog.Heap}, {Scheduler: catalog.List, Waiting: catalog.Precise}, {Scheduler: catalog.Heap, Tick: 1500 * time.Microsecond, Waking: catalog.Ticking},
		{Scheduler: catalog.Single, Tick: time.Second, Slots: 64}, {Scheduler: catalog.Rounds, Tick: 100 * ms, Slots: 512, Waking: catalog.Ticking},
		{Scheduler: catalog.Hier, Tick: 333 * time.Nanosecond, Slots: 16, Waiting: catalog.Precise},
	}
	dir, overlay := t.TempDir(), struct{ Replace map[string]string }{map[string]string{}}
	here := must.Get(os.Getwd())(t)
	args := []string{"build", "-overlay", filepath.Join(dir, "overlay.json")}
	for i, c := range configs {
		require.NoError(t, c.Check())
		source := filepath.Join(dir, fmt.Sprint(i, ".go"))
		require.NoError(t, os.WriteFile(source, []byte(Snippet(c)), 0o600))
		pkg := fmt.Sprint("snippet", i)
		overlay.Replace[filepath.Join(here, pkg, "timers.go")] = source
		args = append(args, "./"+pkg)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "overlay.json"), must.Get(json.Marshal(overlay))(t), 0o600))
	out, err := exec.Command("go", args...).CombinedOutput()
	require.NoError(t, err, "%s", out)

	// The compiler would have found what is wrong.
	broken := overlay.Replace[filepath.Join(here, "snippet0", "timers.go")]
	require.NoError(t, os.WriteFile(broken, []byte(Snippet(catalog.Config{Scheduler: "ring"})), 0o600))
	out, err = exec.Command("go", append(args[:3:3], "./snippet0")...).CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "schedbench/ring")
}

func TestSnippetsAreFormatted(t *testing.T) {
	s := Snippet(catalog.Config{Scheduler: catalog.Hier, Tick: 5 * ms, Slots: 256, Waiting: catalog.Precise})
	require.Contains(t, s, "hierwheel.New[driver.Task](5*time.Millisecond, 256)")
	require.Contains(t, s, "driver.Start(s,\n\t\tdriver.WithWaiting(driver.Precise{}))")
	for _, c := range []catalog.Config{{Scheduler: catalog.Heap}, {Scheduler: catalog.Heap, Tick: ms, Waking: catalog.Ticking}, {Scheduler: catalog.Single, Tick: 90 * time.Second, Slots: 4}} {
		require.Equal(t, string(must.Get(format.Source([]byte(Snippet(c))))(t)), Snippet(c))
	}
}

func TestDurationsAsSource(t *testing.T) {
	for d, want := range map[time.Duration]string{
		time.Hour: "time.Hour", 90 * time.Minute: "90*time.Minute", 1500 * ms: "1500*time.Millisecond",
		1500: "1500*time.Nanosecond", 20 * time.Microsecond: "20*time.Microsecond",
	} {
		require.Equal(t, want, durationSource(d))
	}
}
