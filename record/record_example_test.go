package record_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"schedbench/driver"
	"schedbench/heapsched"
	"schedbench/record"
	"schedbench/workload/trace"
)

// A program that has a driver is recorded by wrapping it. What it keeps of its timers is
// driver.Timer, as before. Close of the recorder ends the driver and hands all events on; the
// file is another thing, and is closed after it.
func Example() {
	path := filepath.Join(os.TempDir(), "example.trace.gz")
	defer os.Remove(path)
	file, err := trace.Create(path, trace.Header{Source: "an example"})
	if err != nil {
		log.Fatal(err)
	}
	d, err := driver.Start(heapsched.New[driver.Task]())
	if err != nil {
		log.Fatal(err)
	}
	timers, err := record.Wrap(d, file)
	if err != nil {
		log.Fatal(err)
	}

	var retry driver.Timer
	if retry, err = timers.AfterFunc(3*time.Second, func() { fmt.Println("retry") }); err != nil {
		log.Fatal(err)
	}
	fmt.Println("taken back:", retry.Stop())

	if _, err := timers.Close(context.Background()); err != nil {
		log.Fatal(err)
	}
	if err := file.Close(); err != nil {
		log.Fatal(err)
	}
	summarize(path)
	// Output:
	// taken back: true
	// 1 made, 1 cancelled, 0 fired
}

// A program that uses time.AfterFunc calls AfterFunc of a Runtime instead, and nothing else in
// it changes but the type of its timers.
func ExampleRuntime() {
	path := filepath.Join(os.TempDir(), "example-runtime.trace.gz")
	defer os.Remove(path)
	file, err := trace.Create(path, trace.Header{Source: "an example"})
	if err != nil {
		log.Fatal(err)
	}
	timers, err := record.OfRuntime(file)
	if err != nil {
		log.Fatal(err)
	}

	fired := make(chan struct{})
	timers.AfterFunc(time.Millisecond, func() { close(fired) }) // was: time.AfterFunc
	timeout := timers.AfterFunc(time.Minute, func() { fmt.Println("too late") })
	<-fired
	timeout.Stop()

	if err := timers.Close(); err != nil {
		log.Fatal(err)
	}
	if err := file.Close(); err != nil {
		log.Fatal(err)
	}
	summarize(path)
	// Output:
	// 2 made, 1 cancelled, 1 fired
}

// summarize says what is in a trace.
func summarize(path string) {
	file, err := trace.Open(path, trace.Options{})
	if err != nil {
		log.Fatal(err)
	}
	info, err := trace.Summarize(file)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d made, %d cancelled, %d fired\n", info.Schedules, info.Cancels, info.Fires)
	if err := file.Close(); err != nil {
		log.Fatal(err)
	}
}
