// Package record notes what a program asks of its timers while it runs, so that it
// can be replayed later against any scheduler.
//
//	w := trace.NewWriter(file, trace.Header{...})
//	d := record.Wrap(driver, w)
//	t, err := d.AfterFunc(3*time.Second, retry) // as the driver's own
//	...
//	unfired, err := d.Close(ctx)
//
// An event goes into a buffer, without allocating, and a goroutine writes it out:
//
//	AfterFunc ─┐
//	Stop      ─┼─▶ buffers ──▶ goroutine ──▶ Sink
//	the task  ─┘
//
// The program never waits for the sink. When the buffers are full, events are dropped
// and counted by what they were, in such a way that the trace stays true to itself:
// a timer whose making was dropped does not appear at all, and an end that was
// dropped is written later, before its number is used again.
package record
