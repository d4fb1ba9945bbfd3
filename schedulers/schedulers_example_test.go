package schedulers_test

import (
	"fmt"
	"log"
	"time"

	"schedbench/heapsched"
	"schedbench/schedulers"
)

// The program passes the time to its scheduler, and takes out what is due. This one is a heap; any other does the same.
func Example() {
	var s schedulers.Scheduler[string] = heapsched.New[string]()
	if _, err := s.Schedule(2*time.Second, "retry"); err != nil {
		log.Fatal(err)
	}
	timeout, err := s.Schedule(3*time.Second, "timeout")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("taken back:", s.Cancel(timeout), s.Cancel(timeout))

	wake, _ := s.Next()
	fmt.Println("sleep until", wake)
	var due [8]string
	n := s.Expire(wake, due[:])
	fmt.Println(due[:n], s.Len())
	// Output:
	// taken back: true false
	// sleep until 2s
	// [retry] 0
}
