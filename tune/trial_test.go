package tune

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/live"
	"schedbench/workload"
	"schedbench/workload/workloadtest"
)

// sourceOf returns a source that always gives the same operations, and cannot be
// scaled.
func sourceOf(ops ...workload.Op) workload.Source {
	return workload.Source{Name: "mine", Open: func(workload.Options) (workload.Stream, error) { return &workloadtest.Stream{Ops: ops, AtOnce: 3}, nil }}
}

// profile returns a source of a profile.
func profile(t testing.TB, name string) workload.Source {
	p, err := workload.Find(name)
	require.NoError(t, err)
	return workload.Source{Name: name, Scalable: true, Open: p.Stream}
}

func TestTooFastAWorkloadIsScaledDown(t *testing.T) {
	load := &Load{Schedules: 600_000, Cancels: 200_000, MostPending: 100_000, Warm: time.Minute}
	st, err := NewTrial(profile(t, "rpc-timeout"), load, TrialOptions{})
	require.NoError(t, err)
	require.Equal(t, 0.25, st.scale)
	require.Contains(t, fmt.Sprint(st.notes), "scaled by 0.25")
	require.Contains(t, fmt.Sprint(st.notes), "only 15s of it are skipped")

	load = &Load{Schedules: 10, MostPending: 2_000_000}
	st, err = NewTrial(profile(t, "long-uniform"), load, TrialOptions{})
	require.NoError(t, err)
	require.Equal(t, 0.1, st.scale)

	_, err = NewTrial(sourceOf(), load, TrialOptions{})
	require.ErrorIs(t, err, live.ErrTooFast)
	require.ErrorContains(t, err, "up to 2000000 timers")
}

func TestATrialThatCannotBePlayedIsRefused(t *testing.T) {
	_, err := NewTrial(sourceOf(), &Load{}, TrialOptions{For: -1})
	require.ErrorContains(t, err, "want at least 10ms each")
	_, err = NewTrial(sourceOf(), &Load{}, TrialOptions{For: time.Second, Rounds: 1000})
	require.ErrorContains(t, err, "1000 rounds")

	played := func(src workload.Source) error {
		st, err := NewTrial(src, &Load{}, TrialOptions{For: 60 * ms})
		require.NoError(t, err)
		return st.each(context.Background(), func(*live.Slice) error { return nil })
	}
	require.ErrorContains(t, played(sourceOf()), "nothing is pending or armed")
	mine := errors.New("mine")
	closed := 0
	broken := workload.Source{Name: "broken", Open: func(workload.Options) (workload.Stream, error) {
		return &workloadtest.Stream{Err: mine, Closed: &closed}, nil
	}}
	require.ErrorIs(t, played(broken), mine)
	require.Equal(t, 1, closed, "a stream is closed")
	broken.Open = func(workload.Options) (workload.Stream, error) { return nil, mine }
	require.ErrorIs(t, played(broken), mine)
	require.ErrorContains(t, played(sourceOf(workload.Op{Timer: mostTimers, Kind: workload.Schedule})), "want less than")
}

// A trace that is shorter than asked for is played as far as it goes.
func TestAShortTraceEndsEarly(t *testing.T) {
	st, err := NewTrial(sourceOf(workload.Op{At: ms, Delay: 15 * ms, Kind: workload.Schedule}), &Load{}, TrialOptions{For: 60 * ms})
	require.NoError(t, err)
	rounds := 0
	require.NoError(t, st.each(context.Background(), func(*live.Slice) error { rounds++; return nil }))
	require.Equal(t, 2, rounds)
}

// Rounds are blocks: a longer trial has more of them, by which more can be told.
func TestALongerTrialHasMoreRounds(t *testing.T) {
	for length, rounds := range map[time.Duration]int{0: 6, 60 * ms: 6, 5 * time.Second: 6, 10 * time.Second: 12, time.Minute: 72} {
		st, err := NewTrial(sourceOf(), &Load{}, TrialOptions{For: length})
		require.NoError(t, err)
		require.Equal(t, rounds, st.o.Rounds, length)
	}
}

func TestTheLoadOfATrialIsThatOfTheWorkload(t *testing.T) {
	src := profile(t, "kafka-purgatory")
	st, err := NewTrial(src, &Load{Schedules: 10_000, Warm: time.Second}, TrialOptions{For: 2 * time.Second})
	require.NoError(t, err)
	l, err := st.Load(context.Background())
	require.NoError(t, err)
	require.InEpsilon(t, 10_000, l.Schedules, 0.05)
	require.InEpsilon(t, 8820, l.Cancels, 0.05)
	require.InEpsilon(t, 335, l.Pending, 0.1)
	again, err := st.Load(context.Background())
	require.NoError(t, err)
	require.Equal(t, l.Fires, again.Fires)
}

// oneOfEach returns a configuration of each scheduler.
func oneOfEach() []catalog.Config {
	return []catalog.Config{
		{Scheduler: catalog.Heap, Waiting: catalog.Precise},
		{Scheduler: catalog.List, Waiting: catalog.Precise},
		{Scheduler: catalog.Single, Tick: ms, Slots: 1 << 20, Waiting: catalog.Precise},
		{Scheduler: catalog.Rounds, Tick: ms, Slots: 512, Waiting: catalog.Precise},
		{Scheduler: catalog.Hier, Tick: ms, Slots: 256, Waiting: catalog.Precise},
	}
}

// The real thing: every configuration plays a workload, and every timer fires once
// and not early. How late they are and what they cost is not for a test to say.
func TestWorkloadsArePlayed(t *testing.T) {
	needCPUTime(t)
	for _, name := range []string{"kafka-purgatory", "idle-keepalive", "sub-ms"} {
		load := &Load{Warm: 200 * ms, Schedules: 1e6, Resets: 1e6, MostPending: 100}
		st, err := NewTrial(profile(t, name), load, TrialOptions{For: 120 * ms, Rounds: 2})
		require.NoError(t, err)
		configs := append(oneOfEach(), catalog.Config{Scheduler: catalog.Heap, Tick: 5 * ms, Waking: catalog.Ticking})
		measured, err := MeasureAll(context.Background(), st, configs, Requirements{}, nil)
		require.NoError(t, err)
		for i, m := range measured {
			require.Equal(t, configs[i], m.Config)
			require.Positive(t, m.For)
			require.Len(t, m.CPU.Blocks, 2)
			require.Equal(t, measured[0].Fired > 0, m.Fired > 0)
		}
	}
}

func TestPlayingCanBeStopped(t *testing.T) {
	needCPUTime(t)
	st, err := NewTrial(profile(t, "kafka-purgatory"), &Load{}, TrialOptions{For: 120 * ms})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	_, err = MeasureAll(ctx, st, oneOfEach(), Requirements{}, func(_ string, done, _ int) {
		if done == 1 {
			cancel()
		}
	})
	require.ErrorIs(t, err, context.Canceled)
	_, err = MeasureAll(context.Background(), st, []catalog.Config{{Scheduler: "other"}}, Requirements{}, nil)
	require.ErrorIs(t, err, catalog.ErrConfig)
}
