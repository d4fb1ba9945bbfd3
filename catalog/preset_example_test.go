package catalog_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"schedbench/catalog"
)

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
