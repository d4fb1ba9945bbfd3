package durable

import (
	"errors"
	"fmt"
	"sync"

	"github.com/nats-io/nats.go/jetstream"
)

// Where several processes share timers, each that is handed out is looked at before it is held: a claim is not
// refused by a mark that came before what the engine handed out. A look takes as long as the way to the engine
// and back. In a burst, timers would be late by the looks before theirs; so those that have come meanwhile are
// looked at together.

// consuming is the taking of timers from the engine, which has ended when all that came has been looked at.
type consuming struct {
	jetstream.ConsumeContext
	looked <-chan struct{}
}

func (c consuming) Closed() <-chan struct{} { return c.looked }

// lookAtHanded has what comes on handed looked at until taking has ended, and says then that it has.
func (t *Timers) lookAtHanded(c jetstream.ConsumeContext, handed chan *held) consuming {
	ended, looked := c.Closed(), make(chan struct{})
	go func() {
		<-ended
		close(handed)
	}()
	go func() {
		defer close(looked)
		for h := range handed {
			t.holdFresh(waiting(h, handed))
		}
	}()
	return consuming{c, looked}
}

const lookedAt = 128 // timers at once: an answer has 1024 messages, and a timer may have some

// waiting is h with the others that are there.
func waiting(h *held, others <-chan *held) []*held {
	all := []*held{h}
	for len(all) < lookedAt {
		select {
		case other, ok := <-others:
			if !ok {
				return all
			}
			all = append(all, other)
		default:
			return all
		}
	}
	return all
}

// holdFresh holds those that are not stale.
func (t *Timers) holdFresh(all []*held) {
	if len(all) == 1 {
		t.holdOne(all[0])
		return
	}
	last, err := t.lastOfEach(all)
	if errors.Is(err, errNoAnswer) {
		t.holdEach(all)
		return
	}
	if err != nil {
		t.lookLater(err, all...)
		return
	}
	for _, h := range all {
		s := last[h.id]
		t.holdUnless(s.seq != 0 && s.outdates(h), h)
	}
}

// lastOfEach is lastOf for the schedules and marks of many timers; those that have none are left out.
func (t *Timers) lastOfEach(all []*held) (map[ID]state, error) {
	if t.opts.Replicas > 1 {
		return nil, fmt.Errorf("%w from the leader, of many", errNoAnswer)
	}
	subjects := make([]string, len(all))
	for i, h := range all {
		subjects[i] = t.ats(h.id)
	}
	states, err := t.lasts(t.ctx, subjects...)
	last := map[ID]state{}
	for _, s := range states {
		if s.seq > last[s.id].seq {
			last[s.id] = s
		}
	}
	return last, err
}

// holdEach looks at them one by one, some at once.
func (t *Timers) holdEach(all []*held) {
	const atOnce = 16
	var looks sync.WaitGroup
	defer looks.Wait()
	free := make(chan struct{}, atOnce)
	for _, h := range all {
		free <- struct{}{}
		looks.Go(func() {
			t.holdOne(h)
			<-free
		})
	}
}

func (t *Timers) holdOne(h *held) {
	stale, err := t.isStale(h)
	if err != nil {
		t.lookLater(err, h)
		return
	}
	t.holdUnless(stale, h)
}

// lookLater has the engine hand out again what could not be looked at: sooner than if it were missed.
func (t *Timers) lookLater(err error, all ...*held) {
	t.opts.OnError(err)
	for _, h := range all {
		_ = h.msg.NakWithDelay(engineAway)
	}
}

// holdUnless puts h into the near scheduler, or has the engine forget it if it is stale.
func (t *Timers) holdUnless(stale bool, h *held) {
	if !stale {
		t.hold(h)
	} else if err := t.remove(t.ctx, h.seq); err != nil {
		t.opts.OnError(err)
	}
}
