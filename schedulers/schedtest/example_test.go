package schedtest_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

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

// The tests of an author consist of a Scheduler and a call for each way of checking it. In a test file the functions
// would be called TestConformance, TestModel, TestLong and FuzzMine.
func Example_conformance() {
	_ = func(t *testing.T) { schedtest.Run(t, mine) }
	_ = func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) { schedtest.Check(t, mine) })
	}
	_ = func(t *testing.T) {
		if err := schedtest.Compare(mine, 1, 1_000_000); err != nil {
			t.Fatal(err)
		}
	}
	_ = func(f *testing.F) { schedtest.Fuzz(f, mine) }
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
