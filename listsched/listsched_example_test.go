package listsched_test

import (
	"fmt"
	"time"

	"schedbench/listsched"
)

// Values of one deadline come out in the order in which they were scheduled.
func Example() {
	l := listsched.New[string]()
	l.Schedule(2*time.Second, "second")
	l.Schedule(2*time.Second, "third")
	l.Schedule(time.Second, "first")

	due := make([]string, 8)
	for _, name := range due[:l.Expire(5*time.Second, due)] {
		fmt.Println(name)
	}
	// Output:
	// first
	// second
	// third
}

// What Schedule costs depends on the deadlines that are pending: it looks for its place from the last one.
func ExampleList_Work() {
	l := listsched.New[int]()
	for i := range 100 {
		l.Schedule(time.Duration(i)*time.Second, i)
	}
	before := l.Work()
	l.Schedule(100*time.Second, 100)
	fmt.Println("the last one passes", l.Work().Sub(before).Visits)

	before = l.Work()
	l.Schedule(0, 101)
	fmt.Println("an early one passes", l.Work().Sub(before).Visits)
	// Output:
	// the last one passes 0
	// an early one passes 100
}
