package live

import (
	"errors"
	"time"
)

// Own has the timers of something that runs functions later, by the calls that a program makes. That need not know this
// module. An H is one of its timers, as a *time.Timer is. An H that is no pointer costs an allocation.
//
//	live.Own[*mine.Timer]{Start: d.AfterFunc, End: d.Close}
type Own[H Timer] struct {
	// Start has task run once delay has passed, and never before. A delay of zero or less is
	// due at once. An error means that task never runs; one of package schedulers, such as
	// schedulers.ErrBeyondHorizon, says that this cannot be done. Several goroutines call it.
	Start func(delay time.Duration, task func()) (H, error)
	// End ends it, with its goroutines. Timers that are pending then need not be stopped. It may be nil.
	End func() error
}

// AfterFunc implements Timers.
func (o Own[H]) AfterFunc(delay time.Duration, task func()) (Timer, error) {
	if o.Start == nil {
		return nil, errors.New("an Own without Start")
	}
	h, err := o.Start(delay, task)
	if err != nil {
		return nil, err
	}
	return h, nil
}

// Close implements Timers.
func (o Own[H]) Close() error {
	if o.End == nil {
		return nil
	}
	return o.End()
}
