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
