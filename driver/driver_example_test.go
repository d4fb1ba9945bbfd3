package driver_test

import (
	"context"
	"fmt"
	"time"

	"schedbench/driver"
	"schedbench/hierwheel"
)

func Example() {
	wheel, err := hierwheel.New[driver.Task](time.Millisecond, 64) // or any other scheduler
	if err != nil {
		panic(err)
	}
	d, err := driver.Start(wheel)
	if err != nil {
		panic(err)
	}
	fired := make(chan string)
	d.AfterFunc(20*time.Millisecond, func() { fired <- "second" })
	d.AfterFunc(10*time.Millisecond, func() { fired <- "first" })
	d.AfterFunc(time.Hour, func() { fired <- "an hour later" })
	stopped, _ := d.AfterFunc(15*time.Millisecond, func() { fired <- "never" })

	fmt.Println("stopped:", stopped.Stop())
	fmt.Println(<-fired)
	fmt.Println(<-fired)

	unfired, err := d.Close(context.Background())
	fmt.Println("unfired:", len(unfired), err)
	// Output:
	// stopped: true
	// first
	// second
	// unfired: 1 <nil>
}

func ExampleWithWaking() {
	d, err := driver.Start(newPlain(), driver.WithWaking(driver.FixedTick(0)))
	fmt.Println(d, err)
	// Output: <nil> bad tick duration: fixed tick of 0s
}
