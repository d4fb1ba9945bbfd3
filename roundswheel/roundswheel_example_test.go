package roundswheel_test

import (
	"fmt"
	"time"

	"schedbench/roundswheel"
)

// Unlike a single wheel, this one takes deadlines beyond its slots: they wait for it to come round, here five times.
func Example() {
	w, err := roundswheel.New[string](100*time.Millisecond, 512)
	if err != nil {
		fmt.Println(err)
		return
	}
	w.Schedule(5*time.Minute, "idle")
	w.Schedule(250*time.Millisecond, "timeout")

	due := make([]string, 8)
	for wake, ok := w.Next(); ok; wake, ok = w.Next() {
		fmt.Println(wake, due[:w.Expire(wake, due)])
	}
	// Output:
	// 300ms [timeout]
	// 5m0s [idle]
}

// A tick visits the entries of its slot if it may be the time of one of them.
func ExampleWheel_Work() {
	w, _ := roundswheel.New[int](time.Millisecond, 16)
	for i := range 100 { // all in one slot
		w.Schedule(time.Duration(1+i)*16*time.Millisecond, i)
	}
	due := make([]int, 100)
	for _, now := range []time.Duration{15, 16, 31, 32} {
		w.Expire(now*time.Millisecond, due)
		fmt.Println(w.Work().Visits)
	}
	// Output:
	// 0
	// 100
	// 100
	// 199
}
