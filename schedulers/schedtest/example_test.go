package schedtest_test

import (
	"fmt"
	"time"

	"schedbench/schedulers"
	"schedbench/schedulers/schedtest"
)

// mine stands for the scheduler of a reader.
var mine = schedtest.Scheduler{
	Name: "mine",
	New: func() (schedulers.Scheduler[uint64], error) {
		return newSound(time.Millisecond, 0), nil
	},
	Tick: time.Millisecond,
}

// A program asks for the results as values.
func ExampleVerify() {
	failed := 0
	for _, r := range schedtest.Verify(mine) {
		if r.Err != nil {
			fmt.Printf("%s: %s\n%v\n", r.Case.Name, r.Case.Rule, r.Err)
			failed++
		}
	}
	fmt.Println("broken rules:", failed)
	// Output:
	// broken rules: 0
}

func ExampleCompare() {
	fmt.Println(schedtest.Compare(mine, 1, 10_000))
	// Output:
	// <nil>
}
