package durable

import (
	"errors"
	"sync"
	"time"

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
	stands, err := t.standings(all)
	if errors.Is(err, errNoAnswer) {
		t.holdEach(all)
		return
	}
	if err != nil {
		t.lookLater(err, all...)
		return
	}
	var unknown []*held
	for _, h := range all {
		if s := stands[h.id]; s.knows(h) {
			t.holdUnless(s.overtakes(h), h)
		} else {
			unknown = append(unknown, h)
		}
	}
	t.holdEach(unknown)
}

// standings is where timers stand that were handed out.
func (t *Timers) standings(all []*held) (map[ID]state, error) {
	subjects := make([]string, len(all))
	for i, h := range all {
		subjects[i] = t.any(h.id)
	}
	messages, err := t.lasts(t.ctx, subjects...)
	of, stands := map[ID][]state{}, map[ID]state{}
	for _, s := range messages {
		of[s.id] = append(of[s.id], s)
	}
	for id, states := range of {
		stands[id] = newest(states)
		err = errors.Join(err, t.removeReplaced(t.ctx, stands[id], states))
	}
	return stands, err
}

// standing is where a timer stands that was handed out: whether it was cancelled or moved on its way. To move
// it takes two messages if it is near, the next change and then the mark of this one, and the next change may
// have been due at once: so marks and schedules are not enough. What has come since is seen when it is claimed.
func (t *Timers) standing(h *held) (state, error) {
	for range looks {
		stands, err := t.standings([]*held{h})
		if err != nil && !errors.Is(err, errNoAnswer) {
			return state{}, err
		}
		if s := stands[h.id]; err == nil && s.knows(h) {
			return s, nil
		}
		time.Sleep(time.Millisecond)
	}
	// It has gone, or there are too many messages: then marks have to be enough, and the claim.
	s, err := t.lastOf(t.ctx, t.ats(h.id))
	if s.seq == 0 || s.change < h.change {
		s = state{record: h.record, word: dueWord, seq: h.seq}
	}
	return s, err
}

const looks = 10 // at a timer, before it is told from its schedules and marks

// knows is whether s is of a server that has what was handed out, and so all that came before it. Another of a
// cluster may be behind.
func (s state) knows(h *held) bool { return s.last >= h.seq }

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
