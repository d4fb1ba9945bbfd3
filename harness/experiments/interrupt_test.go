package experiments

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/internal/lists"
)

// interrupter ends a context when so many timers have been scheduled, and counts those that are scheduled nevertheless.
type interrupter struct {
	at, calls int
	interrupt func()
}

func (i *interrupter) contestant() harness.Contestant {
	count := func() {
		if i.calls++; i.calls == i.at {
			i.interrupt()
		}
	}
	return brokenTwice("interrupting", noting[uint64](count), noting[driver.Task](count))
}

func TestAnInterruptionEndsATurn(t *testing.T) {
	if testing.Short() {
		t.Skip("a million timers")
	}
	const many = 200_000
	for _, c := range []struct {
		name           string
		experiment, op string
		at             int
		more           int // timers at most, after the interruption
		atOnce         int // in several populations
	}{
		{"looking at memory", rundata.Cost, rundata.OpPair, 1000, lookEvery, 10},
		{"filling for pairs", rundata.Cost, rundata.OpPair, 1000, lookEvery, 0},
		{"aging for pairs", rundata.Cost, rundata.OpPair, many + 1, 1 << 12, 0},
		{"filling for live pairs", rundata.Cost, rundata.OpLivePair, 1000, lookEvery, 0},
		{"aging for live pairs", rundata.Cost, rundata.OpLivePair, many + 1, 1 << 16, 0},
		{"live pairs", rundata.Cost, rundata.OpLivePair, many + many/2 + 1, 1 << 16, 0},
		{"live resets", rundata.Cost, rundata.OpLivePair, many + many/2 + many*5/2 + 1, 1 << 16, 0},
		{"filling for memory", rundata.Memory, rundata.OpPair, 1000, lookEvery, 0},
		{"replacing for memory", rundata.Memory, rundata.OpPair, many + 1, 1 << 14, 0},
		{"filling for idling", rundata.Idle, rundata.OpPair, 1000, lookEvery, 0},
		{"arming a burst", rundata.Burst, rundata.OpPair, 1000, lookEvery, 0},
		{"arming a drain", rundata.Drain, rundata.OpPair, 1000, lookEvery, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.experiment == rundata.Idle {
				needUsage(t)
			}
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			i := &interrupter{at: c.at, interrupt: interrupt}
			p := tiny(i.contestant())
			p.Experiments, p.Ops = []string{c.experiment}, []string{c.op}
			p.Pending, p.Burst, p.Drain = []int{many}, many, many
			p.Full = true
			var err error
			for cells := p.Cells(); len(cells) > 0 && err == nil; cells = cells[1:] {
				s := sessionIn(ctx, p)
				s.AtOnce = c.atOnce
				_, err = cells[0].Measure(s)
			}
			require.ErrorIs(t, err, context.Canceled)
			require.GreaterOrEqual(t, i.calls, c.at)
			require.LessOrEqual(t, i.calls, c.at+c.more)
		})
	}
}

// inVirtualTime runs a plan and interrupts it before a step, if it has that many, or when the interrupter does.
func inVirtualTime(t *testing.T, p *harness.Plan, dir string, i *interrupter, before int) (d *rundata.Data, seen []harness.Step, err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, interrupt := context.WithCancel(t.Context())
		defer interrupt()
		i.interrupt = interrupt
		d, err = harness.Run(ctx, p, dir, nil, func(s harness.Step) {
			if seen = append(seen, s); len(seen) == before {
				interrupt()
			}
		})
	})
	return d, seen, err
}

func TestARunThatIsInterruptedAnywhereEndsAsAnother(t *testing.T) {
	const never = -1
	i := &interrupter{at: never}
	p := tiny(sound("a"), i.contestant())
	p.Experiments, p.Ticks, p.Blocks, p.Drain = []string{rundata.Jitter, rundata.Burst, rundata.Drain}, nil, 3, 20
	whole, steps, err := inVirtualTime(t, p, t.TempDir(), i, 0)
	require.NoError(t, err)
	require.Equal(t, []string{"block-00", "jitter", "jitter-short", "block-01", "block-02"}, lists.Each(steps, func(s harness.Step) string { return s.Name }))
	scheduled, want := i.calls, blocksOf(whole)

	goesOn := func(what string, at, before int) {
		dir := t.TempDir()
		i.calls, i.at = 0, at
		_, _, err := inVirtualTime(t, p, dir, i, before)
		require.ErrorIs(t, err, context.Canceled, what)
		kept, err := rundata.LoadFiles(dir)
		require.NoError(t, err, what)
		i.at = never
		d, _, err := inVirtualTime(t, p, dir, i, 0)
		require.NoError(t, err, what)
		require.True(t, d.Complete, what)
		require.Equal(t, want, blocksOf(d), what)
		for _, s := range rundata.Join(nil, kept) {
			now := d.Series[slices.IndexFunc(d.Series, func(have *rundata.Series) bool { return have.Name() == s.Name() })]
			for k, block := range s.Block { // what was complete stays
				at := slices.Index(now.Block, block) + k - slices.Index(s.Block, block)
				require.Equal(t, s.Iterations[k], now.Iterations[at], what)
				for unit, v := range s.Values {
					require.Equal(t, v[k], now.Values[unit][at], what)
				}
			}
		}
	}
	for before := range steps {
		goesOn(fmt.Sprint("before step ", before), never, before+1)
	}
	for at := 1; at < scheduled; at += scheduled/5 + 1 {
		goesOn(fmt.Sprint("when ", at, " timers were scheduled"), at, 0)
	}
}
