package libraries

import (
	"fmt"
	"sync"
	"time"

	"github.com/siddontang/go/timingwheel"

	"schedbench/live"
	"schedbench/schedulers"
)

// siddontang are timers of a timingwheel.TimingWheel: a goroutine for each waits for the channel of its slot to be closed.
type siddontang struct {
	wheel   *timingwheel.TimingWheel
	reach   time.Duration // which a delay must be less than
	ended   chan struct{}
	waiting sync.WaitGroup
}

func openSiddontang(tick, horizon time.Duration) *siddontang {
	slots := int(horizon/tick) + 2
	return &siddontang{wheel: timingwheel.NewTimingWheel(tick, slots), reach: time.Duration(slots) * tick, ended: make(chan struct{})}
}

// AfterFunc implements live.Timers. The wheel panics at a delay beyond its reach, so such a delay is refused.
func (s *siddontang) AfterFunc(delay time.Duration, task func()) (live.Timer, error) {
	if delay >= s.reach {
		return nil, fmt.Errorf("siddontang: %w: a delay of %v, want less than %v", schedulers.ErrBeyondHorizon, delay, s.reach)
	}
	due := s.wheel.After(max(delay, 0)) // before the goroutine, which may begin late
	s.waiting.Go(func() {
		select {
		case <-due:
			task()
		case <-s.ended:
		}
	})
	return nil, nil
}

func (s *siddontang) Close() error {
	s.wheel.Stop()
	close(s.ended)
	s.waiting.Wait()
	return nil
}
