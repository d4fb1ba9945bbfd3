package durable_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"schedbench/durable"
)

// An order is closed unless it is paid. The process may end between any two of these lines: the next one
// that opens the folder goes on.
func Example() {
	dir, err := os.MkdirTemp("", "timers") // a program has a folder of its own
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)

	ctx := context.Background()
	timers, err := durable.Open(ctx, durable.Options{Dir: dir}) // or URL: "nats://..."
	if err != nil {
		panic(err)
	}
	closed := make(chan bool)
	err = timers.Register("close-order", func(_ context.Context, task durable.Task) error {
		fmt.Printf("close %s, early: %v\n", task.Payload, time.Now().Before(task.At))
		close(closed)
		return nil // an error has it tried again
	})
	if err != nil {
		panic(err)
	}
	if _, err = timers.ScheduleAfter(ctx, 50*time.Millisecond, "close-order", []byte("order 17")); err != nil {
		panic(err)
	}
	id, err := timers.ScheduleAfter(ctx, 30*time.Minute, "close-order", []byte("order 18"))
	if err != nil {
		panic(err)
	}
	paid, err := timers.Cancel(ctx, id)
	fmt.Println("order 18 stays open:", paid, err)

	<-closed
	fmt.Println(timers.Close(ctx))
	// Output:
	// order 18 stays open: true <nil>
	// close order 17, early: false
	// <nil>
}

// inFolder opens timers in a folder of their own, which done removes.
func inFolder(o durable.Options) (timers *durable.Timers, done func()) {
	dir, err := os.MkdirTemp("", "timers")
	if err != nil {
		panic(err)
	}
	o.Dir = dir
	if timers, err = durable.Open(context.Background(), o); err != nil {
		panic(err)
	}
	return timers, func() {
		if err := timers.Close(context.Background()); err != nil {
			panic(err)
		}
		os.RemoveAll(dir)
	}
}

// Whoever does not know whether a timer was kept schedules it again under the same ID: it is one timer,
// that of the first time.
func ExampleWithID() {
	ctx := context.Background()
	timers, done := inFolder(durable.Options{})
	defer done()

	id := durable.WithID("order-17")
	for _, payload := range []string{"first", "again"} {
		if _, err := timers.ScheduleAfter(ctx, time.Hour, "close-order", []byte(payload), id); err != nil {
			panic(err)
		}
	}
	n, err := timers.Count(ctx)
	fmt.Println("kept:", n, err)
	timer, err := timers.Get(ctx, "order-17")
	fmt.Printf("%s %v\n", timer.Payload, err)

	for range 2 {
		fmt.Println(timers.Cancel(ctx, "order-17"))
	}
	// Output:
	// kept: 1 <nil>
	// first <nil>
	// true <nil>
	// false <nil>
}

// Many timers are kept sooner if none waits for the one before. Each is kept when its receipt says so.
func ExampleTimers_ScheduleAsync() {
	ctx := context.Background()
	timers, done := inFolder(durable.Options{})
	defer done()

	tomorrow := time.Now().Add(24 * time.Hour)
	var receipts []*durable.Receipt
	for order := range 1000 {
		r, err := timers.ScheduleAsync(tomorrow, "close-order", fmt.Append(nil, order))
		if err != nil {
			panic(err)
		}
		receipts = append(receipts, r)
	}
	kept := 0
	for _, r := range receipts {
		if _, err := r.Wait(ctx); err != nil {
			fmt.Println("schedule again:", r.ID(), err)
			continue
		}
		kept++
	}
	fmt.Println(kept)
	// Output: 1000
}

// A customer gets another day.
func ExampleTimers_Reset() {
	ctx := context.Background()
	timers, done := inFolder(durable.Options{})
	defer done()

	monday := time.Now().Add(24 * time.Hour)
	id, err := timers.Schedule(ctx, monday, "close-order", []byte("order 17"))
	if err != nil {
		panic(err)
	}
	tuesday := monday.Add(24 * time.Hour)
	fmt.Println(timers.Reset(ctx, id, tuesday))

	timer, err := timers.Get(ctx, id)
	fmt.Printf("%s %s on Tuesday: %v %v\n", timer.Kind, timer.Payload, timer.At.Equal(tuesday), err)

	_, err = timers.Get(ctx, "order-18")
	fmt.Println(errors.Is(err, durable.ErrNotFound))
	// Output:
	// true <nil>
	// close-order order 17 on Tuesday: true <nil>
	// true
}

// All that is pending, however much: page by page.
func ExampleTimers_Pending() {
	ctx := context.Background()
	timers, done := inFolder(durable.Options{})
	defer done()

	for order := range 25 {
		if _, err := timers.ScheduleAfter(ctx, time.Hour, "close-order", fmt.Append(nil, order)); err != nil {
			panic(err)
		}
	}
	var page durable.Page
	for {
		list, next, err := timers.Pending(ctx, page, 10)
		if err != nil {
			panic(err)
		}
		fmt.Println(len(list), "timers")
		if next.Done() {
			break
		}
		page = next
	}
	// Output:
	// 10 timers
	// 10 timers
	// 5 timers
}

// A task that fails is tried again after a while. One that never succeeds becomes a dead letter: somebody has
// to look at it.
func ExampleTimers_Dead() {
	ctx := context.Background()
	failed := make(chan error, 10)
	timers, done := inFolder(durable.Options{
		Attempts: 3,
		Backoff:  func(failed int) time.Duration { return 10 * time.Millisecond },
		OnError:  func(err error) { failed <- err },
	})
	defer done()

	err := timers.Register("send-mail", func(_ context.Context, task durable.Task) error {
		fmt.Println("attempt", task.Attempt)
		return errors.New("no such mailbox")
	})
	if err != nil {
		panic(err)
	}
	if _, err = timers.ScheduleAfter(ctx, 0, "send-mail", []byte("to: nobody"), durable.WithID("mail-1")); err != nil {
		panic(err)
	}
	for range 3 {
		<-failed
	}

	var dead []durable.DeadLetter
	for len(dead) == 0 { // the third failure is about to be written down
		if dead, _, err = timers.Dead(ctx, durable.Page{}, 100); err != nil {
			panic(err)
		}
	}
	for _, d := range dead {
		fmt.Printf("%s, %s, failed %d times: %s\n", d.ID, d.Payload, d.Attempt, d.Error)
	}
	// Output:
	// attempt 1
	// attempt 2
	// attempt 3
	// mail-1, to: nobody, failed 3 times: no such mailbox
}
