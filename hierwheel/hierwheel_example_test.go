package hierwheel_test

import (
	"fmt"
	"time"

	"schedbench/hierwheel"
)

// A driver that sleeps until Next is woken for values that move to a lower level too. This
// yields nothing, and brings the deadline closer.
func Example() {
	w, err := hierwheel.New[string](time.Millisecond, 64)
	if err != nil {
		fmt.Println(err)
		return
	}
	w.Schedule(5*time.Second, "timeout")

	due := make([]string, 8)
	for wake, ok := w.Next(); ok; wake, ok = w.Next() {
		fmt.Println(wake, due[:w.Expire(wake, due)])
	}
	// Output:
	// 4.929s []
	// 5s [timeout]
}

// Without Reset, a value moves by being cancelled and scheduled again.
func ExampleWheel_Cancel() {
	w, _ := hierwheel.New[string](time.Millisecond, 64)
	id, _ := w.Schedule(time.Minute, "peer is silent")

	if w.Cancel(id) {
		id, _ = w.Schedule(2*time.Minute, "peer is silent")
	}
	due := make([]string, 8)
	fmt.Println(w.Expire(time.Minute, due), w.Len(), w.Cancel(id), w.Cancel(id))
	// Output: 0 1 true false
}
