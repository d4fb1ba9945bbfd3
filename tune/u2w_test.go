package tune

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"testing"
	"time"
	"context"
)

func TestU2Wake(t *testing.T) {
	if os.Getenv("U2W") == "" {
		t.Skip()
	}
	fmt.Println(runtime.GOMAXPROCS(0))
	for range 2 {
		for _, warm := range []bool{false, true} {
			onThread(func(th *thread) error {
				b := &calibrator{ctx: context.Background(), thread: th, effort: usualEffort(), random: rand.New(rand.NewPCG(1, 2))}
				b.rounds = 3
				i := &idleness{warm: warm}
				b.idle(i)
				for range b.rounds {
					for _, w := range []string{Runtime, Precise} {
						for _, tick := range []time.Duration{ms, 2 * ms, 5 * ms, 20 * ms} {
							b.wakeup(i, w, tick)
						}
					}
				}
				for _, x := range b.ledger.terms() {
					fmt.Println(warm, x.Of, x.Every, x.Seconds.Value*1e6)
				}
				return nil
			})
		}
		// alone: main goroutine sleeps in Go
		for _, procs := range []int{2, 3} {
			runtime.GOMAXPROCS(procs)
			for _, w := range []bool{false, true} {
				for _, tick := range []time.Duration{ms, 2 * ms, 5 * ms, 20 * ms} {
					d, _ := Config{Scheduler: hier, Tick: tick, Slots: 256, Ticking: true, Precise: w}.Start()
					d.AfterFunc(far, func() {})
					time.Sleep(5 * ms)
					p0, _ := processTime()
					w0 := d.Stats().Wakeups
					time.Sleep(max(200*ms, 10*tick))
					p1, _ := processTime()
					w1 := d.Stats().Wakeups
					fmt.Println("alone", procs, w, tick, float64(p1-p0)/1e3/float64(w1-w0))
					stop(d)
				}
			}
		}
		runtime.GOMAXPROCS(2)
	}
}
