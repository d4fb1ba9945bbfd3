package hierwheel_test

import (
	"fmt"
	"time"

	"schedbench/hierwheel"
)

// The geometry of Linux. A driver that sleeps until Next wakes up once, as late as the wheel says.
func ExampleNoCascade() {
	w, err := hierwheel.NewNoCascade[string](time.Millisecond, 64, 8)
	if err != nil {
		fmt.Println(err)
		return
	}
	w.Schedule(5*time.Second, "timeout")
	w.Schedule(50*time.Millisecond, "retry")

	due := make([]string, 8)
	for wake, ok := w.Next(); ok; wake, ok = w.Next() {
		fmt.Println(wake, due[:w.Expire(wake, due)])
	}
	// Output:
	// 50ms [retry]
	// 5.12s [timeout]
}

// How late a value may be depends on its delay alone.
func ExampleNoCascade_Lateness() {
	w, _ := hierwheel.NewNoCascade[string](time.Millisecond, 64, 8)
	for _, delay := range []time.Duration{50 * time.Millisecond, time.Second, time.Minute, time.Hour} {
		fmt.Println(delay, "less than", w.Lateness(delay))
	}
	// Output:
	// 50ms less than 1ms
	// 1s less than 64ms
	// 1m0s less than 4.096s
	// 1h0m0s less than 4m22.144s
}
