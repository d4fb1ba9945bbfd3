package record

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/hierwheel"
	"schedbench/internal/must"
	"schedbench/workload/trace"
)

// BenchmarkPair shows what recording adds: one of many timers, at random, is stopped and another made. One operation is
// the pair, and so two operations of a program.
func BenchmarkPair(b *testing.B) {
	for _, pending := range []int{1_000, 100_000} {
		b.Run(fmt.Sprintf("pending=%d/impl=driver", pending), func(b *testing.B) {
			d := newDriver(b)
			defer d.Close(context.Background())
			pairs(b, pending, d.AfterFunc)
		})
		b.Run(fmt.Sprintf("pending=%d/impl=recorded", pending), func(b *testing.B) {
			r, err := Wrap(newDriver(b), trace.NewWriter(io.Discard, trace.Header{}))
			require.NoError(b, err)
			defer r.Close(context.Background())
			pairs(b, pending, r.AfterFunc)
			c := r.Counts()
			b.ReportMetric(float64(c.Timers+c.Ends)/float64(b.N), "dropped/op")
		})
	}
}

func newDriver(t testing.TB, opts ...driver.Option) *driver.Driver {
	d := must.Get(driver.Start(must.Get(hierwheel.New[driver.Task](time.Millisecond, 256))(t), opts...))(t)
	return d
}

func pairs[T interface{ Stop() bool }](b *testing.B, pending int, after func(time.Duration, func()) (T, error)) {
	r := rand.New(rand.NewPCG(1, 2))
	order := r.Perm(pending)
	delays := make([]time.Duration, 1<<12)
	for i := range delays {
		delays[i] = time.Hour + time.Duration(r.Int64N(int64(time.Hour)))
	}
	timers := make([]T, pending)
	for i := range timers {
		timers[i], _ = after(delays[i&(len(delays)-1)], nothing)
	}
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		at := order[i%pending]
		timers[at].Stop()
		timers[at], _ = after(delays[i&(len(delays)-1)], nothing)
		i++
	}
}

func nothing() {}
