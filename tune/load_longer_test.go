package tune

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/catalog"
	"schedbench/workload"
)

// TestADenserLoadIsLikeOneThatIs compares a workload with a tenth of it, made ten
// times as dense.
func TestADenserLoadIsLikeOneThatIs(t *testing.T) {
	for name, scale := range map[string]float64{"kafka-purgatory": 0.1, "tcp-rto": 0.1, "pacing": 0.001} {
		all := stretch{name: name, scale: scale, length: 20 * time.Second}.load(t)
		tenth := stretch{name: name, scale: scale / 10, length: 200 * time.Second}.load(t)
		tenth.denser(10)
		require.InEpsilon(t, all.Schedules, tenth.Schedules, 0.05, name)
		require.InEpsilon(t, all.Pending, tenth.Pending, 0.1, name)
		for _, c := range []catalog.Config{{Scheduler: catalog.Heap}, {Scheduler: catalog.Single, Tick: 10 * ms, Slots: 1 << 20}, {Scheduler: catalog.Rounds, Tick: 2 * ms, Slots: 64}} {
			a, b := NewModel(all, linuxLike()).wakeupsFor(c), NewModel(tenth, linuxLike()).wakeupsFor(c)
			require.InEpsilon(t, a.all(), b.all(), 0.1, "%s: wake-ups of %v", name, c)
			if min(a.late.TotalCount(), b.late.TotalCount()) > 1000 {
				require.InEpsilon(t, a.late.quantile(0.5), b.late.quantile(0.5), 0.1, "%s: lateness of %v", name, c)
			}
		}
	}
}

// Calls with long timeouts that are hardly ever reached: in a second none is.
func TestALoadInWhichNothingFiresIsLookedAtForLonger(t *testing.T) {
	p, err := workload.Find("rpc-timeout")
	require.NoError(t, err)
	src := workload.Source{Name: "calls", Open: p.Stream, Scalable: true}
	o := workload.Options{Seed: 1, Scale: 0.05, For: time.Second}

	src.Scalable = false
	once, err := LoadOfSource(context.Background(), src, o, LoadOptions{Warm: FindWarm})
	require.NoError(t, err)
	require.Zero(t, once.Fires)
	require.Contains(t, once.Notes[0], "no timer fires")

	src.Scalable = true
	l, err := LoadOfSource(context.Background(), src, o, LoadOptions{Warm: FindWarm})
	require.NoError(t, err)
	require.Equal(t, "calls", l.Name)
	require.InEpsilon(t, 0.05*2e6, l.Schedules, 0.1)
	require.InEpsilon(t, 0.05*200, l.Fires, 0.4)
	require.InEpsilon(t, 0.05*(10_000+200*7), l.Pending, 0.2)
	require.Greater(t, l.Span, 10*time.Second)
	require.Contains(t, l.Notes[len(l.Notes)-1], "to see timers fire it was looked at for")
	w := NewModel(l, linuxLike()).wakeupsFor(catalog.Config{Scheduler: catalog.Heap})
	require.InEpsilon(t, l.Fires, w.all(), 0.3)
}

// TestMergedTimelinesTellWhatIsFirstOfAll compares a merged timeline with a search of its
// pieces.
func TestMergedTimelinesTellWhatIsFirstOfAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const length = 100
		var all [][]firstChange
		fired := 0
		for range rapid.IntRange(1, 4).Draw(t, "pieces") {
			var piece []firstChange
			at := time.Duration(0)
			for range rapid.IntRange(0, 6).Draw(t, "changes") {
				at += time.Duration(rapid.IntRange(0, 20).Draw(t, "pause"))
				top := rapid.SampledFrom([]time.Duration{at + 1, at + 30, never}).Draw(t, "top")
				n := int32(rapid.IntRange(0, 2).Draw(t, "fired"))
				fired += int(n)
				piece = append(piece, firstChange{at, top, n})
			}
			all = append(all, piece)
		}
		f := merge(all, length)
		for at := time.Duration(0); at < 200; at++ {
			first := never
			for _, piece := range all {
				first = min(first, topAt(piece, at))
			}
			require.Equal(t, first, topAt(f.changes, at), "at %d", at)
		}
		for _, c := range f.changes {
			fired -= int(c.fired)
		}
		require.Zero(t, fired)
	})
}

func TestWhatIsTouchedInTurnTellsHowManyAreReachedFor(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var apart []uint32
	for range 4096 {
		a, b := r.Uint32N(5000), r.Uint32N(5000)
		apart = append(apart, max(a, b)-min(a, b))
	}
	require.InEpsilon(t, 5000, workingSetOf(apart), 0.1)
	require.Zero(t, workingSetOf(apart[:fewDistances-1]))
	constant := slices.Repeat([]uint32{1}, 1000)
	require.Less(t, workingSetOf(constant), 5.0)
}
