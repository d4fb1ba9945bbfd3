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

// A program that has a driver is recorded by wrapping it. What it keeps of its timers is driver.Timer, as before. Close
// of the recorder ends the driver and hands all events on; the file is another thing, and is closed after it.
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
