package durable

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// state is where a timer stands.
type state struct {
	record
	word   string    // of the subject of its message
	seq    uint64    // of that message
	marked bool      // it is a mark: of a change that is no more
	out    time.Time // when the engine hands it out
	// delivery is of a claim: how often the engine had handed the timer out.
	delivery int
	// last is the sequence of the last message that there is of the timer, 0 if there is none.
	last uint64
}

// scheduled is whether the engine holds it until its time is near.
func (s state) scheduled() bool { return s.word == atWord && !s.marked }

// isGone is whether nothing is left but perhaps marks.
func (s state) isGone() bool { return s.seq == 0 || s.marked }

func (s state) isRunning() bool { return s.word == runWord }

// stateOf reads a message on a subject of a timer.
func stateOf(subject string, seq uint64, h nats.Header, payload []byte) (s state, err error) {
	p, ok := placeOf(subject)
	if !ok {
		return s, fmt.Errorf("%w: %s: %w", ErrEngine, subject, errNoTimer)
	}
	s = state{seq: seq, last: seq, word: p.word, marked: p.marked}
	s.id, s.change = p.id, p.change
	if s.marked {
		return s, nil
	}
	if err := s.read(h, payload); err != nil {
		return s, fmt.Errorf("%w: %s: %w", ErrEngine, subject, err)
	}
	if s.isRunning() {
		s.delivery, _ = strconv.Atoi(h.Get(headerDelivery))
	}
	if at, ok := strings.CutPrefix(h.Get(headerSchedule), "@at "); ok {
		s.out, err = time.Parse(time.RFC3339Nano, at)
	}
	return s, err
}

// look returns where a timer stands. If its last message is a schedule that has not been changed, that is all.
// If not, there may be others that count, see newest; and some that do not, which a killed process or server has
// left behind. They are removed, since what they were replaced by may be gone before they are handed out.
func (t *Timers) look(ctx context.Context, id ID) (state, error) {
	for range tries {
		s, err := t.lastOf(ctx, t.any(id))
		if err != nil || s.seq == 0 || s.scheduled() && s.change == 0 {
			return s, err
		}
		all, err := t.lasts(ctx, t.any(id))
		if err != nil {
			return state{}, err
		}
		if n := newest(all); n.last >= s.last {
			return n, t.removeReplaced(ctx, n, all)
		}
		// Another server of a cluster has answered, which is behind; or it has gone meanwhile.
		time.Sleep(time.Millisecond)
	}
	return state{}, fmt.Errorf("%w: timer %q is changed all the time", ErrEngine, id)
}

// removeReplaced removes what n has replaced, of all that there is of a timer.
func (t *Timers) removeReplaced(ctx context.Context, n state, all []state) error {
	for _, s := range all {
		if !n.replaces(s) {
			continue
		}
		if err := t.remove(ctx, s.seq); err != nil {
			return err
		}
		t.forget(s.id, s.change)
	}
	return nil
}

// replaces is whether s is a schedule, or was handed out, and must not run, since n is what counts.
func (n state) replaces(s state) bool {
	return !s.marked && !s.isRunning() && (s.change < n.change || s.change == n.change && n.marked)
}

// newest is what counts of several states of a timer: the highest change that is not marked as gone.
// A claim without what it claims is left over from a task that has run.
func newest(all []state) (n state) {
	gone := state{record: record{change: -1}}
	last, due := uint64(0), map[int]bool{}
	for _, s := range all {
		last = max(last, s.last)
		due[s.change] = due[s.change] || s.word == dueWord
		if s.marked && s.change > gone.change {
			gone = s
		}
	}
	for _, s := range all {
		if s.isRunning() && !due[s.change] && s.change > gone.change {
			gone = state{record: s.record, seq: s.seq, marked: true}
		}
	}
	n = gone
	for _, s := range all {
		if !s.marked && (s.change > n.change || s.change == n.change && s.isRunning() && !n.marked) {
			n = s
		}
	}
	n.last = last
	return n
}

// lastOf returns the last message of a subject. In a cluster the leader has to answer, since others
// may be behind.
func (e *engine) lastOf(ctx context.Context, subject string) (state, error) {
	if e.opts.Replicas > 1 {
		return e.leaderLastOf(ctx, subject)
	}
	m, err := e.stream.GetLastMsgForSubject(ctx, subject)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return state{}, nil
	}
	if err != nil {
		return state{}, fmt.Errorf("%w: looking for %s: %w", ErrEngine, subject, err)
	}
	return stateOf(m.Subject, m.Sequence, m.Header, m.Data)
}

func (e *engine) leaderLastOf(ctx context.Context, subject string) (state, error) {
	answer := struct {
		api
		Message struct {
			Subject string `json:"subject"`
			Seq     uint64 `json:"seq"`
			Header  []byte `json:"hdrs"`
			Data    []byte `json:"data"`
		} `json:"message"`
	}{}
	err := e.insist(ctx, "STREAM.MSG.GET", map[string]any{"last_by_subj": subject}, &answer)
	if err == nil && answer.Error != nil && answer.Error.ErrorCode == jetstream.JSErrCodeMessageNotFound {
		return state{}, nil
	}
	if err == nil {
		err = answer.err()
	}
	var h nats.Header
	if err == nil && len(answer.Message.Header) > 0 {
		h, err = nats.DecodeHeadersMsg(answer.Message.Header)
	}
	if err != nil {
		return state{}, fmt.Errorf("%w: looking for %s: %w", ErrEngine, subject, err)
	}
	m := answer.Message
	return stateOf(m.Subject, m.Seq, h, m.Data)
}

// errNoAnswer means that the engine does not answer a question about many messages.
var errNoAnswer = errors.New("no answer")

// lasts returns the last message of each subject that the wildcards stand for.
func (e *engine) lasts(ctx context.Context, subjects ...string) (all []state, err error) {
	ctx, cancel := withTimeout(ctx, answerTimeout)
	defer cancel()
	defer func() {
		if err != nil {
			err = fmt.Errorf("%w: looking for %s: %w", ErrEngine, subjects[0], err)
		}
	}()
	body, err := json.Marshal(map[string]any{"multi_last": subjects})
	if err != nil {
		return nil, err
	}
	question := &nats.Msg{Subject: apiPrefix + "DIRECT.GET." + e.prefix, Data: body}
	err = e.inboxes.askAll(ctx, question, func(m *nats.Msg) (more bool, err error) {
		switch status, why := m.Header.Get("Status"), m.Header.Get("Description"); {
		case status == "":
		case status == "204" && m.Header.Get(headerPending) == "0", status == "404" && why == "No Results": // that was all; or there is nothing
			return false, nil
		default: // too many, or too much; or one has gone since it was found
			return false, fmt.Errorf("%w: status %s %s", errNoAnswer, status, why)
		}
		seq, err := strconv.ParseUint(m.Header.Get(jetstream.SequenceHeader), 10, 64)
		if err != nil {
			return false, err
		}
		s, err := stateOf(m.Header.Get(jetstream.SubjectHeader), seq, m.Header, m.Data)
		all = append(all, s)
		return true, err
	})
	if errors.Is(err, nats.ErrNoResponders) { // nobody leads yet
		err = fmt.Errorf("%w: %w", errNoAnswer, err)
	}
	if err != nil {
		return nil, err
	}
	return all, nil
}

// overtakes is whether h, which was handed out, is not to be held, since s is where its timer stands. If
// another worker runs it, that may be dead.
func (s state) overtakes(h *held) bool {
	return s.outdates(h) && !(s.isRunning() && s.change == h.change)
}

// outdates is whether h must not run, since s is where its timer stands: all of it, so that h is gone if
// only what is left of an earlier change is there.
func (s state) outdates(h *held) bool {
	switch {
	case s.seq == 0: // it has run, or was cancelled
		return true
	case s.change != h.change:
		return true
	case s.word == dueWord: // the engine has handed it out twice
		return s.seq > h.seq
	case s.isRunning():
		return s.delivery >= h.delivery
	}
	return s.marked
}
