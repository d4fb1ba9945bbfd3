package durable

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// answerTimeout is how long a request waits for the engine if its context does not say.
const answerTimeout = 10 * time.Second

// writeTimeout is how long a write waits then, which cannot be repeated as a question can: a server that dies takes it
// with it, and a task that it was to claim is late by that.
const writeTimeout = 5 * time.Second

// put writes a message if the last message of the timer is still the given one. It returns the sequence
// of what it wrote, or false if another has come first.
func (e *engine) put(ctx context.Context, m *nats.Msg, id ID, last uint64) (uint64, bool, error) {
	e.expecting(m, id, last)
	seq, err := e.publish(ctx, m)
	if isConflict(err) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, e.failed("writing "+m.Subject, err)
	}
	return seq, true, nil
}

// publish writes a message and returns its sequence, once the engine has it. In a cluster there may be nobody who takes
// it until one of the servers leads: then nothing has been written.
func (e *engine) publish(ctx context.Context, m *nats.Msg) (uint64, error) {
	ctx, cancel := withTimeout(ctx, writeTimeout)
	defer cancel()
	answer, err := e.inboxes.ask(ctx, m)
	for errors.Is(err, nats.ErrNoResponders) {
		if pause(ctx, askedAgain/10); ctx.Err() != nil {
			break
		}
		answer, err = e.inboxes.ask(ctx, m)
	}
	var ack struct {
		api
		Stream string `json:"stream"`
		Seq    uint64 `json:"seq"`
	}
	if err == nil {
		err = json.Unmarshal(answer.Data, &ack)
	}
	if err == nil {
		err = ack.err()
	}
	if err == nil && ack.Stream == "" {
		err = jetstream.ErrInvalidJSAck
	}
	return ack.Seq, err
}

// isConflict is whether another message has come first. A cluster has a second word for it, of a
// message that it has not agreed upon yet.
func isConflict(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

// purge removes the messages of a subject and returns how many there were.
func (e *engine) purge(ctx context.Context, subject string) (n uint64, err error) {
	answer := struct {
		api
		Purged uint64 `json:"purged"`
	}{}
	question := struct {
		Filter string `json:"filter"`
	}{subject}
	err = e.request(ctx, "STREAM.PURGE", question, &answer)
	if err == nil {
		err = answer.err()
	}
	if err != nil {
		return 0, e.failed("removing "+subject, err)
	}
	return answer.Purged, nil
}

// remove removes one message, as if it had been acknowledged by whoever has it. That it is not there
// any more is no error.
func (e *engine) remove(ctx context.Context, seq uint64) error {
	var answer struct{ api }
	question := struct {
		Seq     uint64 `json:"seq"`
		NoErase bool   `json:"no_erase"`
	}{seq, true}
	err := e.insist(ctx, "STREAM.MSG.DELETE", question, &answer)
	if err == nil && !answer.missing() {
		err = answer.err()
	}
	if err != nil {
		return e.failed("removing a message", err)
	}
	return nil
}

// api is what every answer of the engine may have.
type api struct {
	Error *jetstream.APIError `json:"error"`
}

func (a api) err() error {
	if a.Error != nil {
		return a.Error
	}
	return nil
}

// missing is whether the message was not there. The engine has an error of its own for that, and one
// that carries the words of its store.
func (a api) missing() bool {
	if a.Error == nil {
		return false
	}
	const sequenceNotFound, deleteFailed = 10043, 10057
	text := a.Error.Description
	return a.Error.ErrorCode == sequenceNotFound ||
		a.Error.ErrorCode == deleteFailed && (text == server.ErrStoreMsgNotFound.Error() || text == server.ErrStoreEOF.Error())
}

// leaderless is whether nobody leads the cluster at present.
func (a api) leaderless() bool { return a.Error != nil && a.Error.ErrorCode == clusterNotAvailable }

const clusterNotAvailable = 10008

const apiPrefix = "$JS.API."

// request asks the engine for what the client has no function for, or one that leaves out the answer.
func (e *engine) request(ctx context.Context, verb string, question, answer any) error {
	ctx, cancel := withTimeout(ctx, answerTimeout)
	defer cancel()
	data, err := e.ask(ctx, verb, question)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, answer)
}

// insist is request for what may be asked twice.
func (e *engine) insist(ctx context.Context, verb string, question, answer any) error {
	return untilAnswered(ctx, answerTimeout, func(ctx context.Context) error {
		data, err := e.ask(ctx, verb, question)
		var a api
		if err == nil {
			err = json.Unmarshal(data, &a)
		}
		if err == nil && a.leaderless() {
			err = a.Error
		}
		if err != nil {
			return err
		}
		return json.Unmarshal(data, answer)
	})
}

// untilAnswered does what may be done twice until the engine has answered, for the given time if ctx does not say. A
// server of a cluster that dies takes questions with it, and others answer that nobody leads, or not at all, until
// one of them does.
func untilAnswered(ctx context.Context, timeout time.Duration, do func(context.Context) error) error {
	ctx, cancel := withTimeout(ctx, timeout)
	defer cancel()
	for {
		once, end := context.WithTimeout(ctx, askedAgain)
		err := do(once)
		end()
		if !isUnanswered(err) {
			return err
		}
		if pause(ctx, askedAgain/10); ctx.Err() != nil {
			return err
		}
	}
}

// isUnanswered is whether the engine has not said yet what became of a question.
func isUnanswered(err error) bool {
	var refused *jetstream.APIError
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrNoResponders) ||
		errors.As(err, &refused) && refused.ErrorCode == clusterNotAvailable
}

const askedAgain = time.Second // until a question without an answer is asked again

// pause waits, unless ctx ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// ask asks the engine once, and returns what it answers.
func (e *engine) ask(ctx context.Context, verb string, question any) ([]byte, error) {
	body, err := json.Marshal(question)
	if err != nil {
		return nil, err
	}
	m, err := e.inboxes.ask(ctx, &nats.Msg{Subject: apiPrefix + verb + "." + e.prefix, Data: body})
	if err != nil {
		return nil, err
	}
	return m.Data, nil
}

// withTimeout sees to it that ctx ends some time.
func withTimeout(ctx context.Context, after time.Duration) (context.Context, context.CancelFunc) {
	if _, limited := ctx.Deadline(); limited {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, after)
}

// failed is the error of a request, with what the server has to say of it.
func (e *engine) failed(doing string, err error) error {
	return fmt.Errorf("%w: %s: %w%s", ErrEngine, doing, err, e.log.latest())
}
