package workload

import (
	"io"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/internal/must"
)

const everything = math.MaxInt

func find(t *testing.T, name string) *Profile {
	t.Helper()
	return must.Get(Find(name))(t)
}

func streamOf(t require.TestingT, p *Profile, o Options) Stream { return must.Get(p.Stream(o))(t) }

// checkedStream returns the counts of a stream, which could have come from a program.
func checkedStream(t *testing.T, p *Profile, o Options, from, until time.Duration) *checker {
	t.Helper()
	s, c := streamOf(t, p, o), newChecker(from, until)
	require.NoError(t, c.check(s, everything))
	require.LessOrEqual(t, c.longest, p.Horizon())
	n, err := s.Read(make([]Op, 1))
	require.Zero(t, n)
	require.ErrorIs(t, err, io.EOF, "again at the end")
	return c
}

func collect(t *testing.T, name string, o Options, buffer, most int) (all []Op) {
	for ops, err := range Blocks(t.Context(), streamOf(t, find(t, name), o), buffer) {
		require.NoError(t, err)
		if all = append(all, ops...); len(all) >= most {
			break
		}
	}
	return all[:min(most, len(all))]
}

// The seed decides the stream, and how it is read does not.
func TestStreamsAreDeterministic(t *testing.T) {
	for _, name := range builtin() {
		o := Options{Seed: 5, Scale: 0.01}
		first := collect(t, name, o, 512, 20_000)
		require.Equal(t, first, collect(t, name, o, 1, 20_000), name)
		require.Equal(t, first, collect(t, name, o, 7, 20_000), name)
		o.Seed = 6
		require.NotEqual(t, first, collect(t, name, o, 512, 20_000), name)
	}
}

// Options.For ends the making of timers, and what follows are cancels only.
func TestFor(t *testing.T) {
	for _, name := range builtin() {
		const length = 700 * time.Millisecond
		ops := collect(t, name, Options{Seed: 1, Scale: 0.01, For: length}, 512, everything)
		require.NotEmpty(t, ops, name)
		for _, op := range ops {
			if op.At >= length {
				require.Equal(t, Cancel, op.Kind, name)
			}
		}
	}
}

func TestStreamRefuses(t *testing.T) {
	p := find(t, "cache-ttl")
	for name, o := range map[string]Options{
		"a positive scale":              {Scale: -1},
		"positive scale":                {Scale: math.NaN()},
		"at most 100 years":             {For: math.MaxInt64},
		"operations per second":         {Scale: 1e8},
		"timers pending; at most 33554": {Scale: 100},
		"at scale +Inf":                 {Scale: math.Inf(1)},
		"-1ns":                          {For: -1},
	} {
		_, err := p.Stream(o)
		require.ErrorContains(t, err, name)
	}
}

func TestReadAllocatesNothing(t *testing.T) {
	for _, p := range Builtin() {
		s := streamOf(t, p, Options{Seed: 1, Scale: 0.01, For: 100 * year})
		ops := make([]Op, 256)
		for range 1000 {
			must.Get(s.Read(ops))(t)
		}
		allocs := testing.AllocsPerRun(500, func() { _, _ = s.Read(ops) })
		require.LessOrEqual(t, allocs, 0.0, p.Name)
	}
}

func TestReadNothing(t *testing.T) {
	require.Zero(t, must.Get(streamOf(t, find(t, "idle"), Options{}).Read(nil))(t))
}

// Events come out in the order of their times, all of them, and none after the limit.
func TestQueueOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q eventQueue
		reach := rapid.SampledFrom([]int64{0, 100, 1e12, never}).Draw(t, "reach")
		var model []int64
		for range rapid.IntRange(1, 100).Draw(t, "rounds") {
			for range rapid.IntRange(1, 20).Draw(t, "burst") {
				at := rapid.Int64Range(0, reach).Draw(t, "at")
				q.add(event{at: at})
				model = append(model, at)
			}
			slices.Sort(model)
			limit := rapid.Int64Range(0, reach).Draw(t, "limit")
			for len(model) > 0 && model[0] <= limit {
				e, ok := q.pop(limit)
				require.True(t, ok)
				require.Equal(t, model[0], e.at)
				model = model[1:]
			}
			_, ok := q.pop(limit)
			require.False(t, ok)
		}
		require.Len(t, q, len(model))
	})
}

// BenchmarkStream is what a stream costs by itself, for each operation: to be subtracted from what a replay costs, or shown beside it.
func BenchmarkStream(b *testing.B) {
	const most = 1 << 20 // operations of a profile, the first
	for _, p := range Builtin() {
		b.Run("profile="+p.Name, func(b *testing.B) {
			total := 0
			b.ReportAllocs()
			for b.Loop() {
				n := 0
				for ops, err := range Blocks(b.Context(), streamOf(b, p, Options{Seed: 1}), 512) {
					require.NoError(b, err)
					if n += len(ops); n >= most {
						break
					}
				}
				total += n
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(total), "ns/operation")
			b.ReportMetric(float64(total)/float64(b.N), "operations")
		})
	}
}
