package costs

import (
	"errors"
	"fmt"

	"schedbench/live"
)

// ErrNoCPUTime means that the system does not tell how much CPU time a thread
// has used, so that nothing can be measured.
var ErrNoCPUTime = errors.New("the system does not tell the CPU time of a thread")

// OnClock runs f on a thread of its own, without garbage collections: what one costs
// is not asked for.
func OnClock(f func(*live.Clock) error) (err error) {
	if _, ok := live.ReadUsage(); !ok {
		return ErrNoCPUTime
	}
	live.WithoutGC(func() { err = live.OnThread(f) })
	return err
}

// mostBusy is the share of the machine that others may take while something is
// measured, before it is worth a word.
const mostBusy = 0.1

// SayBusy returns what is to be said if others have taken so much of the machine
// while something was done, and "" if it is little.
func SayBusy(share float64, while string) string {
	if share <= mostBusy {
		return ""
	}
	return fmt.Sprintf("other processes took %.0f %% of the machine %s: its figures are of a busy machine, "+
		"and what is late may be so because of them", 100*share, while)
}
