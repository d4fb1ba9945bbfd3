package trace

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"time"
)

// Summarize reads a trace to its end and returns what it contains. It takes some 100 bytes for a pending timer, and a few
// megabytes. Its errors are those of the reader, and ErrEvent for events that break the rules.
func Summarize(r Reader) (*Info, error) {
	s := summary{timers: map[uint64]armedTimer{}, durations: frequent{}}
	for batch := make([]Event, 512); ; {
		n, err := r.Read(batch)
		for i := range batch[:n] {
			if err := s.add(&batch[i]); err != nil {
				return nil, err
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			s.Frequent, s.Distinct = s.durations.top(), len(s.durations)
			info := s.Info // without what it was made from
			return &info, nil
		case err != nil || n == 0:
			return nil, cmp.Or(err, io.ErrNoProgress)
		}
	}
}

type summary struct {
	Info
	timers    map[uint64]armedTimer
	durations frequent
}

type armedTimer struct {
	at, deadline time.Duration
	moved        bool
}

func (s *summary) add(e *Event) error {
	if err := e.check(s.Duration); err != nil {
		return err
	}
	s.Duration = e.At
	t, pending := s.timers[e.Timer]
	switch {
	case pending:
		s.ended(e, &t)
	case e.Kind != Schedule:
		s.Unseen++
	}
	var err error
	if arms(e.Kind) {
		err = s.arm(e, t, pending)
	}
	counts := [...]*uint64{Schedule: &s.Schedules, Reset: &s.Resets, Cancel: &s.Cancels, Fire: &s.Fires}
	*counts[e.Kind]++
	if s.Pending = uint64(len(s.timers)); s.Pending > s.Peak {
		s.Peak, s.PeakAt = s.Pending, e.At
	}
	return err
}

func (s *summary) ended(e *Event, t *armedTimer) {
	switch after := e.At - t.at; e.Kind {
	case Schedule:
		s.Superseded++
	case Reset:
		s.ToReset.add(after)
		if !t.moved {
			t.moved = true
			s.Moved++
		}
	case Cancel:
		s.Cancelled++
		s.ToCancel.add(after)
	case Fire:
		s.Fired++
		if late := e.At - t.deadline; late >= 0 {
			s.Late.add(late)
		} else {
			s.Early.add(-late)
		}
	}
	if !arms(e.Kind) {
		delete(s.timers, e.Timer)
	}
}

func (s *summary) arm(e *Event, was armedTimer, pending bool) error {
	if !pending && len(s.timers) >= MaxPending {
		return fmt.Errorf("%w at %v", errPending, e.At)
	}
	if e.Kind == Schedule || !pending {
		s.Timers++
		was.moved = false
	}
	s.timers[e.Timer] = armedTimer{e.At, e.deadline(), was.moved}
	s.Delays.add(e.Delay)
	s.durations.add(e.Delay)
	return nil
}
