// Package record notes what a program asks of its timers while it runs. Any scheduler can replay it later.
//
//	file, err := trace.Create("my.trace.gz", trace.Header{Source: "my program"}) // of schedbench/workload/trace
//	timers, err := record.Wrap(d, file)                    // d is a *driver.Driver
//	retry, err := timers.AfterFunc(3*time.Second, again)   // a driver.Timer, as d's own
//	...
//	unfired, err := timers.Close(ctx)                      // closes d, and hands all events on
//	err = file.Close()                                     // Close of the recorder does not do this
//
// clock.Over(timers) has the rest of package time, and the deadlines of contexts and connections, which are recorded too.
// record_example_test.go is a whole program, and so is examples/http, a server. "bench replay my.trace.gz" and "bench
// tune my.trace.gz" read the file.
//
// An event goes into a buffer, without allocating, and a goroutine hands it to the Sink. The program never waits for that.
// When the buffers are full, events are dropped and counted by kind, and the trace stays consistent. A timer whose
// making was dropped does not appear at all. An end that was dropped is written later, before its number is used again.
package record
