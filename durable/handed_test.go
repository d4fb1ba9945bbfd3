package durable_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/durable"
)

// Of many timers that are handed out at once some have been cancelled, as the engine handed them out: none of
// these begins, and all others do.
func TestWhatWasCancelledOnItsWayDoesNotBegin(t *testing.T) {
	ctx := context.Background()
	most := map[string]int{"one change": 1, "more changes than an answer has messages": 1030}
	for name, changes := range most {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := durable.Options{URL: listening(t).ClientURL()}
			var b begun
			timers := open(t, o, nil)
			const n = 500
			id := func(i int) durable.ID { return durable.ID(fmt.Sprint("timer-", i)) }
			for i := range n {
				cancelled := i % 2
				if i == 1 {
					cancelled = changes
				}
				require.NoError(t, timers.HandOut(ctx, id(i), cancelled))
			}
			require.NoError(t, timers.Register("note", b.handle))
			require.Eventually(t, func() bool { return b.len() >= n/2 }, eventually, time.Millisecond)
			require.Eventually(t, func() bool {
				left, _, err := timers.Pending(ctx, durable.Page{}, 1)
				return err == nil && len(left) == 0
			}, eventually, time.Millisecond)
			for i := range n {
				require.Len(t, b.of(id(i)), 1-i%2, id(i))
			}
		})
	}
}
