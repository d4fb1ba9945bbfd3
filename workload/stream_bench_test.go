package workload

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkStream is what a stream costs by itself, for each operation: to be subtracted from what a replay costs, or shown beside it.
func BenchmarkStream(b *testing.B) {
	for _, p := range Builtin() {
		b.Run("profile="+p.Name, func(b *testing.B) {
			total := 0
			b.ReportAllocs()
			for b.Loop() {
				for ops, err := range Blocks(b.Context(), streamOf(b, p, Options{Seed: 1}), 512) {
					require.NoError(b, err)
					total += len(ops)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(total), "ns/operation")
			b.ReportMetric(float64(total)/float64(b.N), "operations")
		})
	}
}
