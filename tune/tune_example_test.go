package tune_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"schedbench/tune"
	"schedbench/tune/costs"
	"schedbench/workload"
)

// A program chooses a scheduler for a workload. What this machine costs is measured the first
// time, which takes a minute, and kept in the folder.
func Example() {
	profile, err := workload.Find("idle-keepalive")
	if err != nil {
		log.Fatal(err)
	}
	source, err := workload.SourceOf(profile, workload.Options{Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	load, err := tune.LoadOfSource(ctx, source, workload.Options{}, tune.LoadOptions{Warm: tune.FindWarm})
	if err != nil {
		log.Fatal(err)
	}
	machine, err := costs.LoadOrCalibrate(ctx, "results", false, func(string, int, int) {})
	if err != nil {
		log.Fatal(err)
	}
	choice, err := tune.Choose(load, machine.Calibration, tune.Requirements{Lateness: 5 * time.Millisecond, CPU: 0.02})
	if err != nil {
		log.Fatal(err)
	}
	if choice.Infeasible == nil {
		fmt.Println(choice.Pick.Config)
		fmt.Println(tune.Snippet(choice.Pick.Config))
	}
}
