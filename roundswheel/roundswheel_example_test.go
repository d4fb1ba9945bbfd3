package roundswheel_test

import (
	"fmt"
	"time"

	"schedbench/roundswheel"
)

// Unlike a single wheel, this one takes deadlines beyond its slots: they wait
// for it to come round, here five times.
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

// A revolution visits every entry once, whether it is due or not.
func ExampleWheel_Work() {
	w, _ := roundswheel.New[int](time.Millisecond, 16)
	for i := range 100 {
		w.Schedule(time.Hour+time.Duration(i)*time.Millisecond, i)
	}
	for tick := range 16 {
		w.Expire(time.Duration(tick+1)*time.Millisecond, nil)
	}
	fmt.Println(w.Work().Visits)
	// Output: 100
}
