package replay_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"schedbench/hierwheel"
	"schedbench/internal/replay"
	"schedbench/workload"
)

// A workload is replayed through a scheduler, a minute in a moment, and the answer is held to
// that of a model.
func Example() {
	profile, err := workload.Find("heartbeat")
	if err != nil {
		log.Fatal(err)
	}
	stream := func() workload.Stream {
		s, err := profile.Stream(workload.Options{Seed: 1, Scale: 0.01, For: time.Minute})
		if err != nil {
			log.Fatal(err)
		}
		return s
	}
	wheel, err := hierwheel.New[uint64](time.Millisecond, 256)
	if err != nil {
		log.Fatal(err)
	}
	got, err := replay.Run(context.Background(), wheel, stream(), replay.Options{Tick: time.Millisecond})
	if err != nil {
		log.Fatal(err)
	}
	want, err := replay.Expected(stream(), time.Millisecond)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("the same timers in the same ticks:", got.Answer == want)
	// Output:
	// the same timers in the same ticks: true
}
