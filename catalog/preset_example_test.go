package catalog_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"schedbench/catalog"
)

// shelf is a store of jobs in memory; a program would use its database.
type shelf struct{ jobs []catalog.Job }

func (s *shelf) Save(_ context.Context, jobs []catalog.Job) error {
	s.jobs = append(s.jobs, jobs...)
	return nil
}

func (s *shelf) Take(context.Context) (jobs []catalog.Job, err error) {
	jobs, s.jobs = s.jobs, nil
	return jobs, nil
}

// A program ends and another begins: the jobs go on, and none runs twice.
func ExampleBusinessWheel_Open() {
	ctx, store := context.Background(), &shelf{}
	p := catalog.BusinessWheel{Store: store, Run: func(j catalog.Job) { fmt.Println("run:", j.ID) }}

	wheel, err := p.Open(ctx)
	if err != nil {
		panic(err)
	}
	wheel.Add(ctx, catalog.Job{ID: "remind", Due: time.Now().Add(time.Hour)})
	wheel.Add(ctx, catalog.Job{ID: "invoice", Due: time.Now().Add(time.Minute)})
	saved, err := wheel.Close(ctx)
	fmt.Println("saved:", len(saved), err)

	store.jobs[0].Due = time.Now().Add(-time.Second) // a minute has passed
	wheel, err = p.Open(ctx)
	if err != nil {
		panic(err)
	}
	for _, j := range wheel.TriggerJobs() {
		fmt.Println("still to run:", j.ID)
	}
	wheel.Close(ctx)
	// Output:
	// saved: 2 <nil>
	// run: invoice
	// still to run: remind
}

// A Config says all of a scheduler with its driver, and starts it.
func Example() {
	c := catalog.Config{Scheduler: catalog.Hier, Tick: time.Millisecond, Slots: 256}
	fmt.Println(c)
	d, err := c.Start()
	if err != nil {
		log.Fatal(err)
	}
	done := make(chan struct{})
	if _, err := d.AfterFunc(time.Millisecond, func() { close(done) }); err != nil {
		log.Fatal(err)
	}
	<-done
	if _, err := d.Close(context.Background()); err != nil {
		log.Fatal(err)
	}
	// Output:
	// hierwheel 1ms x 256, sleeping, runtime waiting
}
