package replay_test

import (
	"context"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/internal/replay"
	"schedbench/workload"
)

// BenchmarkPlay times the operations of a steady state: a third each of
// schedules, cancellations and resets, many of them refused.
func BenchmarkPlay(b *testing.B) {
	for _, c := range virtual() {
		b.Run("impl="+c.Name, func(b *testing.B) {
			p, err := replay.NewPlayer(makeOne(b, c, ms), ms)
			require.NoError(b, err)
			benchmarkPlay(b, func(ops []workload.Op) error { return p.Play(context.Background(), ops) })
		})
	}
	b.Run("impl=model", func(b *testing.B) {
		m, err := replay.NewModel(ms)
		require.NoError(b, err)
		benchmarkPlay(b, m.Play)
	})
}

func benchmarkPlay(b *testing.B, play func([]workload.Op) error) {
	ops := steady(1 << 16)
	e := &endless{ops: ops, round: ops[len(ops)-1].At + 1, left: b.N}
	block := make([]workload.Op, 1<<12)
	b.ReportAllocs()
	b.ResetTimer()
	for {
		n, err := e.Read(block)
		if err == io.EOF {
			return
		}
		if err := play(block[:n]); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkProfile replays whole profiles, made while they are replayed: it tells
// how many operations a second that is in all, and what a virtual year takes.
func BenchmarkProfile(b *testing.B) {
	for _, name := range []string{"rpc-timeout", "mixed-horizon"} {
		p, err := workload.Find(name)
		require.NoError(b, err)
		for _, impl := range []string{"hierwheel", "heapsched"} {
			b.Run("profile="+name+"/impl="+impl, func(b *testing.B) {
				ops := 0.0
				for b.Loop() {
					stream, err := p.Stream(workload.Options{Seed: 1})
					require.NoError(b, err)
					r, err := replay.Run(context.Background(), named(b, impl, p.Tick), stream, replay.Options{Tick: p.Tick})
					require.NoError(b, err)
					ops += float64(r.Ops)
				}
				b.ReportMetric(ops/b.Elapsed().Seconds(), "ops/s")
			})
		}
	}
}
