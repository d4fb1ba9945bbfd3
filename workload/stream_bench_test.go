package workload

import (
	"errors"
	"io"
	"testing"
)

// BenchmarkStream is what a stream costs by itself, for each operation, whoever
// reads it: to be subtracted from what a replay costs, or shown beside it.
func BenchmarkStream(b *testing.B) {
	for _, p := range Builtin() {
		b.Run("profile="+p.Name, func(b *testing.B) { benchmarkStream(b, p) })
	}
}

func benchmarkStream(b *testing.B, p *Profile) {
	ops := make([]Op, 512)
	total := 0
	b.ReportAllocs()
	for b.Loop() {
		s, err := p.Stream(Options{Seed: 1})
		if err != nil {
			b.Fatal(err)
		}
		for {
			n, err := s.Read(ops)
			total += n
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(total), "ns/operation")
	b.ReportMetric(float64(total)/float64(b.N), "operations")
}
