package experiments_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"schedbench/catalog"
	"schedbench/harness"
	"schedbench/harness/experiments"
	"schedbench/harness/rundata"
	"schedbench/heapsched"
	"schedbench/internal/tune"
	"schedbench/live"
	"schedbench/schedulers"
	"schedbench/workload"
)

// A program measures a scheduler of its own beside others, and reads the data. Of a plan it
// says only what is not to be as usual. cli.Main measures the same, and judges it and draws charts.
func Example() {
	mine := harness.Contestant{
		Name: "mine", Family: "heap",
		New: func(harness.Geometry) (schedulers.Scheduler[uint64], error) { return heapsched.New[uint64](), nil },
	}
	plan := experiments.QuickPlan(append(catalog.Contestants(), mine)...)
	plan.Experiments, plan.Ops, plan.Pending = []string{rundata.Cost}, []string{rundata.OpPair}, []int{100, 1000}

	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	data, err := harness.Run(context.Background(), plan, filepath.Join(dir, "data"), nil, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, series := range data.Select(rundata.Cost, "impl=mine", "op="+rundata.OpPair) {
		fmt.Println("measured with", series.Get("pending"), "pending")
	}
	// Output:
	// measured with 100 pending
	// measured with 1000 pending
}

// A driver of another make takes part with what a program calls. It needs no scheduler inside.
func ExampleContestant_timers() {
	mine := harness.Contestant{
		Name: "mine", Family: "what it is",
		Open: func(harness.Geometry) (live.Timers, error) {
			return live.Own[*time.Timer]{Start: func(delay time.Duration, f func()) (*time.Timer, error) {
				return time.AfterFunc(delay, f), nil
			}}, nil
		},
	}
	fmt.Println(harness.CheckContestants([]harness.Contestant{mine}), mine.Live())
	// Output:
	// <nil> true
}

// A profile becomes a workload of a plan by tune.FromSteady, which finds out from when on it is
// steady, and makes it long enough for the plan.
func ExamplePlan_workloads() {
	profile, err := workload.Find("rpc-timeout")
	if err != nil {
		log.Fatal(err)
	}
	plan := experiments.QuickPlan(catalog.All()...)
	open := func(o workload.Options) (workload.Source, error) { return workload.SourceOf(profile, o) }
	source, err := tune.FromSteady(open, workload.Options{Seed: plan.Seed, Scale: 0.1}, experiments.ReplayOps(plan), nil)
	if err != nil {
		log.Fatal(err)
	}
	plan.Experiments = []string{rundata.Profiles, rundata.Live}
	plan.Profiles, plan.LiveProfiles = []workload.Source{source}, []workload.Source{source}
	for _, c := range plan.Cells() {
		fmt.Println(c.Name)
	}
	// Output:
	// profile-rpc-timeout@0.1
	// live-rpc-timeout@0.1
}

// What is wrong with a plan is said at once.
func ExamplePlan_Check() {
	plan := experiments.DefaultPlan(catalog.Contestants()...)
	plan.Rate, plan.Budget, plan.Ops = 0, 0, []string{"insret"}
	fmt.Println(plan.Check())
	// Output:
	// Ops: unknown operation "insret", did you mean insert?
	// rate 0, want 1 to 100000 timers a second
	// Blocks 0 and Budget 0s, want one of them to be positive
}
