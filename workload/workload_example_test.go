package workload_test

import (
	"fmt"
	"strings"
	"time"

	"schedbench/workload"
)

// A profile is text. Its stream is read like a file.
func Example() {
	const text = `
name   = "uploads"
length = "10s"
tick   = "1ms"

[[timers]]
arrivals = "paced(1/s)"
delay    = "5s"
cancel   = { share = "50%", after = "uniform(0%, 100%)" }
`
	p, err := workload.Parse(strings.NewReader(text), "uploads.toml")
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := p.Stream(workload.Options{Seed: 1, For: 4 * time.Second})
	if err != nil {
		fmt.Println(err)
		return
	}
	ops := make([]workload.Op, 16)
	n, _ := s.Read(ops)
	for _, op := range ops[:n] {
		fmt.Println(op.At.Round(time.Millisecond), op.Kind, op.Timer, op.Delay)
	}
	m := p.Mix()
	fmt.Printf("%.0f %% cancelled, %.2f pending, median delay %v\n", 100*m.CancelShare(), m.Pending, p.Delay().Quantile(0.5))
	// Output:
	// 1s schedule 0 5s
	// 2s schedule 1 5s
	// 3s schedule 2 5s
	// 3.156s cancel 0 0s
	// 5.602s cancel 1 0s
	// 5.709s cancel 2 0s
	// 50 % cancelled, 3.75 pending, median delay 5s
}
