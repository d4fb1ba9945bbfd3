package durable

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"
)

// BenchmarkCalls has what an acknowledged call costs with 100,000 held, alone and as one of many.
func BenchmarkCalls(b *testing.B) {
	timers, err := Open(b.Context(), filepath.Join(b.TempDir(), "timers.db"), Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer closeNow(timers)
	batch := make([]New, 1000)
	for i := range 100 {
		for k := range batch {
			batch[k] = New{Kind: "a", At: in(time.Hour + time.Duration((i*1000+k)*7919%100000)*time.Second), Payload: make([]byte, 32)}
		}
		if _, err := timers.ScheduleBatch(b.Context(), batch); err != nil {
			b.Fatal(err)
		}
	}
	schedule := func(b *testing.B, id string) {
		at := in(time.Hour + time.Duration(time.Now().UnixNano()%100000)*time.Second)
		if _, err := timers.Schedule(b.Context(), New{Kind: "a", ID: id, At: at, Payload: make([]byte, 32)}); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("schedule", func(b *testing.B) {
		for b.Loop() {
			schedule(b, "")
		}
	})
	b.Run("schedule-many", func(b *testing.B) {
		b.SetParallelism(32)
		b.RunParallel(func(p *testing.PB) {
			for p.Next() {
				schedule(b, "")
			}
		})
	})
	b.Run("cancel", func(b *testing.B) {
		for i := range b.N {
			schedule(b, fmt.Sprint("c-", b.N, "-", i))
		}
		b.ResetTimer()
		for i := range b.N {
			if ok, err := timers.Cancel(b.Context(), fmt.Sprint("c-", b.N, "-", i)); err != nil || !ok {
				b.Fatal(ok, err)
			}
		}
	})
}
