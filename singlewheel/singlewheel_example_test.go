package singlewheel_test

import (
	"errors"
	"fmt"
	"time"

	"schedbench/schedulers"
	"schedbench/singlewheel"
)

// A deadline is rounded up to a multiple of the tick.
func Example() {
	w, err := singlewheel.New[string](10*time.Millisecond, 128)
	if err != nil {
		fmt.Println(err)
		return
	}
	w.Schedule(41*time.Millisecond, "timeout")

	due := make([]string, 8)
	fmt.Println(w.Expire(41*time.Millisecond, due))
	wake, _ := w.Next()
	fmt.Println(wake, due[:w.Expire(wake, due)])
	// Output:
	// 0
	// 50ms [timeout]
}

// The caller has to know its longest delay, since what lies beyond the slots is refused.
func ExampleWheel_Horizon() {
	w, _ := singlewheel.New[string](10*time.Millisecond, 128)
	fmt.Println(w.Horizon())

	_, err := w.Schedule(2*time.Second, "timeout")
	fmt.Println(errors.Is(err, schedulers.ErrBeyondHorizon))
	fmt.Println(err)
	// Output:
	// 1.28s
	// true
	// singlewheel: deadline beyond the horizon: 2s is 2s ahead of the clock, want at most 1.28s
}
