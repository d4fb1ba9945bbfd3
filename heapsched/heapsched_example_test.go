package heapsched_test

import (
	"fmt"
	"time"

	"schedbench/heapsched"
)

// A program that owns its clock passes the time in and gets out what is due.
func Example() {
	h := heapsched.New[string]()
	h.Schedule(30*time.Millisecond, "retry")
	h.Schedule(10*time.Millisecond, "heartbeat")
	timeout, _ := h.Schedule(20*time.Millisecond, "timeout")

	h.Cancel(timeout) // the answer came in time

	due := make([]string, 8)
	for wake, ok := h.Next(); ok; wake, ok = h.Next() {
		for _, name := range due[:h.Expire(wake, due)] {
			fmt.Println(wake, name)
		}
	}
	// Output:
	// 10ms heartbeat
	// 30ms retry
}

// Reset moves a value under its old ID, here each time a peer is heard of.
func ExampleHeap_Reset() {
	h := heapsched.New[string]()
	id, _ := h.Schedule(time.Minute, "peer is silent")

	pending, _ := h.Reset(id, 90*time.Second)
	wake, _ := h.Next()
	fmt.Println(pending, wake)

	h.Cancel(id)
	pending, _ = h.Reset(id, 2*time.Minute)
	fmt.Println(pending, h.Len())
	// Output:
	// true 1m30s
	// false 0
}
