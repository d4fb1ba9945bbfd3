package price

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/live"
)

// tiny returns the least that shows that all of it works.
func tiny(t *testing.T) Config {
	c := Quick()
	c.Held, c.LiveHeld, c.Blocks, c.Scratch = []int{50}, 50, 1, t.TempDir()
	c.Intervals = []time.Duration{20 * time.Millisecond}
	c.Lead = 50 * time.Millisecond
	c.Idle, c.Load, c.Calls, c.Rate = 20*time.Millisecond, 50*time.Millisecond, 2*time.Millisecond, 200
	return c
}

// measured measures a config to its end.
func measured(t *testing.T, c Config) *rundata.Data {
	t.Helper()
	p, release, err := c.Plan()
	require.NoError(t, err)
	dir := t.TempDir()
	d, err := harness.Run(t.Context(), p, dir, nil, nil)
	require.NoError(t, err)
	require.NoError(t, release())
	left, err := os.ReadDir(c.Scratch)
	require.NoError(t, err)
	require.Empty(t, left, "what was on disk is gone")
	return d
}

func TestEverybodyIsMeasuredInProcessesOfTheirOwn(t *testing.T) {
	c := tiny(t)
	c.Cluster = !testing.Short()
	d := measured(t, c)
	r := results{d}
	require.Regexp(t, `Every one of \d+ timers fired once and not early\.`, strings.Join(Sentences(d), "\n"))
	for _, k := range c.keepersHeld(50) {
		for _, call := range calls {
			require.Positive(t, r.blocks(HeldExperiment, k, 50, call.ns)[0], k.name())
		}
	}
	for _, unit := range []string{ReadyNs, CrashedNs, DiskPerTimer, FillNs} {
		require.Positive(t, r.blocks(HeldExperiment, durableNow, 50, unit)[0], unit)
	}
	for _, k := range r.keepers(LiveExperiment) {
		require.NotEmpty(t, r.late(LiveExperiment, k, 50), k.name())
		require.EqualValues(t, 10, r.series(LiveExperiment, k, 50).Late.TotalCount(), k.name())
	}
	require.NotEmpty(t, r.late(LiveExperiment, durableNow, 0))
	require.GreaterOrEqual(t, r.series(PollExperiment, poller(20*time.Millisecond), 50).Values[rundata.Fired][0], 10.0)
	if c.Cluster {
		require.NotEmpty(t, r.blocks(LiveExperiment, cluster, 50, ServersCPU))
	}
}

// A cluster of which the server that leads is killed, and comes back: all that was kept fires. (What it looks
// like where none is killed is part of the test above.)
func TestAServerThatIsKilledLosesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("servers elect another to lead")
	}
	c := tiny(t)
	c.Change, c.ChangeRate, c.Lead = beforeKill+500*time.Millisecond, 100, 300*time.Millisecond
	m := &measuring{Config: c}
	require.NoError(t, m.begin(0))
	defer func() { require.NoError(t, m.release()) }()
	taken, err := m.change(t.Context(), killed, 50, rand.New(rand.NewPCG(1, 1)))
	require.NoError(t, err)
	out := taken.Outcome
	require.Equal(t, []int{150, 0, 0}, []int{out.Fired, out.Early, out.Lost})
	require.Len(t, taken.Values, 6, "stretches that are looked at")
	for unit := range taken.Values {
		require.Positive(t, taken.Values[unit], unit)
	}
	t.Logf("%d ran twice", out.Doubled)
}

// What never fired is as late as it was waited for, and does not go unseen.
func TestTheLatestOfEachStretch(t *testing.T) {
	const ms = time.Millisecond
	deadlines := []time.Duration{5000 * ms, 5100 * ms, 5250 * ms, 6000 * ms}
	out := &live.Outcome{Firings: []live.Firing{{Timer: 1, At: 5103 * ms, Deadline: 5100 * ms}, {Timer: 0, At: 5001 * ms, Deadline: 5000 * ms}, {Timer: 3, At: 6007 * ms, Deadline: 6000 * ms}}}
	require.Equal(t, map[string]float64{LateAt(-1000 * ms): 3e6, LateAt(-750 * ms): float64(lostAfter), LateAt(0): 7e6}, lateOver(out, deadlines))
}

func TestWhatGoesWrongInAProcessIsTold(t *testing.T) {
	c := tiny(t)
	m := &measuring{Config: c}
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := m.run(t.Context(), job{Do: doReady, Keeper: durableNow, Dir: filepath.Join(file, "below")})
	require.ErrorContains(t, err, "durable, ready: ")
	_, err = m.run(t.Context(), job{Do: "juggle", Keeper: wheel})
	require.ErrorContains(t, err, `no such job: "juggle"`)

	dir := filepath.Join(t.TempDir(), "three")
	_, err = m.run(t.Context(), job{Do: doFill, Keeper: durableNow, Held: 3, Dir: dir})
	require.NoError(t, err)
	_, err = m.run(t.Context(), job{Do: doReady, Keeper: durableNow, Held: 4, Dir: dir})
	require.ErrorContains(t, err, "3 timers are held, want 4")
}

func TestAnInterruptionEndsTheProcessesAndKeepsWhatIsMeasured(t *testing.T) {
	c := tiny(t)
	c.Cluster, c.Intervals = false, nil
	p, release, err := c.Plan()
	require.NoError(t, err)
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	take := p.Custom[1].Participants[0].Take
	p.Custom[1].Participants[0].Take = func(ctx context.Context, block int, r *rand.Rand) (harness.Sample, error) {
		cancel()
		return take(ctx, block, r)
	}
	_, err = harness.Run(ctx, p, dir, nil, nil)
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, release())
	left, err := os.ReadDir(c.Scratch)
	require.NoError(t, err)
	require.Empty(t, left)
	d, err := rundata.Load(dir)
	require.NoError(t, err)
	require.False(t, d.Complete)
	require.NotEmpty(t, d.Select(HeldExperiment))
	require.Contains(t, strings.Join(Sentences(d), "\n"), "The run is not complete")
}

// A poll is never early, whatever its interval, and late by no more than that when nothing
// disturbs it: what is due within an interval runs at its end.
func TestASlotEndsWhenWhatIsDueInItIs(t *testing.T) {
	p := &polling{interval: 20 * time.Millisecond}
	for _, ns := range []int64{1, 19_999_999, 20_000_000, 20_000_001, 1e18 + 7} {
		end := p.slot(time.Unix(0, ns)) * int64(p.interval)
		require.GreaterOrEqual(t, end, ns)
		require.Less(t, end-ns, int64(p.interval))
	}
}
