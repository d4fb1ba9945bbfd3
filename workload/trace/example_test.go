package trace_test

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"schedbench/workload"
	"schedbench/workload/trace"
)

// A trace is written while a program runs, and read to replay what it did.
func Example() {
	var file bytes.Buffer
	w := trace.NewWriter(&file, trace.Header{Source: "an example"})
	for _, e := range []trace.Event{
		{At: 0, Delay: 30 * time.Millisecond, Timer: 1000, Kind: trace.Schedule},
		{At: 5 * time.Millisecond, Delay: 30 * time.Millisecond, Timer: 1000, Kind: trace.Reset},
		{At: 5 * time.Millisecond, Delay: time.Second, Timer: 2000, Kind: trace.Schedule},
		{At: 9 * time.Millisecond, Timer: 2000, Kind: trace.Cancel},
		{At: 36 * time.Millisecond, Timer: 1000, Kind: trace.Fire},
	} {
		if err := w.Write(e); err != nil {
			fmt.Println(err)
		}
	}
	if err := w.Close(); err != nil {
		fmt.Println(err)
	}
	fmt.Print(file.String())

	f, err := trace.NewReader(&file, "example", trace.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for ops, err := range workload.Blocks(context.Background(), trace.Ops(f), 10) {
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, op := range ops {
			fmt.Println(op.At, op.Kind, op.Timer, op.Delay)
		}
	}
	// Output:
	// timer-trace 1
	// source an example
	// unit ns
	// s 1000 0 30000000
	// r 1000 5000000 30000000
	// s 2000 0 1000000000
	// c 2000 4000000
	// f 1000 27000000
	// end 5 36000000
	// 0s schedule 0 30ms
	// 5ms reset 0 30ms
	// 5ms schedule 1 1s
	// 9ms cancel 1 0s
}

// Damage is an error that says where it is, unless it is to be skipped.
func ExampleOptions() {
	const text = "timer-trace 1\ns 1 0 30\ns 2 -5 30\nf 1 31\nend\n"
	for _, skip := range []bool{false, true} {
		f, err := trace.NewReader(bytes.NewReader([]byte(text)), "damaged", trace.Options{SkipBad: skip})
		if err != nil {
			fmt.Println(err)
			return
		}
		info, err := trace.Summarize(f)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(info.Schedules, "schedule,", info.Fires, "expiry, skipped:", f.Counts().Skipped)
	}
	// Output:
	// damaged:3: malformed line: "2 -5 30", want a timer number, the time since the line before and a delay, each 0 or more and below 2^64
	// 1 schedule, 1 expiry, skipped: map[malformed line:1]
}
