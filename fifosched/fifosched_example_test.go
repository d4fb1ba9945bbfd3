package fifosched_test

import (
	"fmt"
	"time"

	"schedbench/fifosched"
)

// A server has a few timeouts, each for many connections: as many queues will do.
func Example() {
	s := fifosched.New[string]()
	for i := range 1000 {
		now := time.Duration(i) * time.Millisecond
		s.Schedule(now+30*time.Second, "idle")
		s.Schedule(now+5*time.Second, "read")
		s.Schedule(now+time.Second, "heartbeat")
	}
	fmt.Println(s.Len(), "timers in", s.Count(), "queues")

	wake, _ := s.Next()
	due := make([]string, 8)
	for _, name := range due[:s.Expire(wake, due)] {
		fmt.Println(wake, name)
	}
	// Output:
	// 3000 timers in 3 queues
	// 1s heartbeat
}

// Reset moves a value under its old ID, here each time a connection was used.
func ExampleQueues_Reset() {
	s := fifosched.New[string]()
	id, _ := s.Schedule(30*time.Second, "idle")

	pending, _ := s.Reset(id, 40*time.Second)
	wake, _ := s.Next()
	fmt.Println(pending, wake)
	// Output: true 40s
}
