package jobfile_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"schedbench/catalog"
	"schedbench/durable/jobfile"
)

type order struct{ Number int }

// Jobs that one process has added are there for the next that opens the file. That the first one closes its
// wheel is good manners: killed, it would have lost nothing either.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "jobs") // a program has a folder of its own
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "orders.jobs")

	process(path, func(ctx context.Context, wheel *catalog.JobWheel) {
		for n := range 2 {
			job := catalog.Job{ID: fmt.Sprint("order-", n), Due: time.Now().Add(time.Hour), Payload: order{n}}
			fmt.Println("added", job.ID, wheel.Add(ctx, job))
		}
	})
	process(path, func(_ context.Context, wheel *catalog.JobWheel) {
		for _, j := range wheel.TriggerJobs() {
			fmt.Println("has", j.ID, "with a payload of", j.Payload)
		}
		fmt.Println("order-0 is paid:", wheel.Cancel("order-0"))
	})
	// Output:
	// added order-0 <nil>
	// added order-1 <nil>
	// left in the file: 2 <nil>
	// has order-0 with a payload of {0}
	// has order-1 with a payload of {1}
	// order-0 is paid: true
	// left in the file: 1 <nil>
}

// process is what a program does from its start to its end.
func process(path string, work func(context.Context, *catalog.JobWheel)) {
	ctx := context.Background()
	store, err := jobfile.Open[order](path, jobfile.Options{})
	if err != nil {
		panic(err)
	}
	defer store.Close()
	wheel, err := catalog.BusinessWheel{Store: store, Run: closeOrder}.Open(ctx)
	if err != nil {
		panic(err)
	}
	work(ctx, wheel)
	left, err := wheel.Close(ctx)
	fmt.Println("left in the file:", len(left), err)
}

// closeOrder runs a job that is due. None is, in an example that takes no hour.
func closeOrder(j catalog.Job) { fmt.Println("close order", j.Payload.(order).Number) }
