package durable

import (
	"context"
	"fmt"
	"strconv"
	"sync"

	"github.com/nats-io/nats.go"
)

// The client of the engine passes the answers to all that a program asks through one goroutine, which finds out who has
// asked. An inbox belongs to one who asks, until there is an answer: that comes to it at once, and Cancel takes a
// fifth less time.

// inboxes are those of one connection.
type inboxes struct {
	conn   *nats.Conn
	status chan nats.Status
	gone   chan struct{} // closed when conn is

	mu     sync.Mutex // protects what follows
	free   []*inbox
	closed bool
}

type inbox struct {
	sub     *nats.Subscription // of all subjects that begin with the prefix
	prefix  string
	asked   int // questions
	answers chan *nats.Msg
}

// subjectsOfInbox are taken in turn, so that a second answer of whoever else listens is not taken for that to the next
// question. A subject for each question would be one that the server has not seen yet, which costs what an inbox saves.
const subjectsOfInbox = 16

const longestAnswer = 1025 // messages: the engine gives 1024 and says then that these were all

func newInboxes(conn *nats.Conn) *inboxes {
	b := &inboxes{conn: conn, status: conn.StatusChanged(nats.CLOSED), gone: make(chan struct{})}
	go func() {
		<-b.status
		close(b.gone)
	}()
	return b
}

// close leaves nothing on the connection. What is still asked has no answer.
func (b *inboxes) close() {
	b.conn.RemoveStatusListener(b.status)
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, in := range b.free {
		_ = in.sub.Unsubscribe()
	}
	b.free, b.closed = nil, true
}

// ask sends a question and returns the answer.
func (b *inboxes) ask(ctx context.Context, question *nats.Msg) (answer *nats.Msg, err error) {
	err = b.askAll(ctx, question, func(m *nats.Msg) (bool, error) {
		answer = m
		return false, nil
	})
	return answer, err
}

// askAll sends a question, and has next called with one message of the answer after the other, for as long as it
// wants more. The context has to end some time.
func (b *inboxes) askAll(ctx context.Context, question *nats.Msg, next func(*nats.Msg) (more bool, err error)) error {
	in, err := b.take()
	if err != nil {
		return err
	}
	in.asked++
	question.Reply = in.prefix + strconv.Itoa(in.asked%subjectsOfInbox)
	if err = b.conn.PublishMsg(question); err == nil {
		err = b.await(ctx, in, question.Reply, next)
	}
	b.giveBack(in, err == nil) // else so much may still come that there is no room for the next answer
	return err
}

func (b *inboxes) await(ctx context.Context, in *inbox, subject string, next func(*nats.Msg) (more bool, err error)) error {
	for {
		select {
		case m := <-in.answers:
			if m.Subject != subject { // a second answer to an earlier question, of whoever else listens
				continue
			}
			if len(m.Data) == 0 && m.Header.Get("Status") == "503" {
				return nats.ErrNoResponders
			}
			if more, err := next(m); err != nil || !more {
				return err
			}
		case <-b.gone:
			return nats.ErrConnectionClosed
		case <-ctx.Done():
			return fmt.Errorf("no answer: %w", context.Cause(ctx))
		}
	}
}

func (b *inboxes) take() (in *inbox, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n := len(b.free); n > 0 {
		in, b.free = b.free[n-1], b.free[:n-1]
		return in, nil
	}
	in = &inbox{prefix: b.conn.NewInbox() + ".", answers: make(chan *nats.Msg, longestAnswer)}
	in.sub, err = b.conn.ChanSubscribe(in.prefix+"*", in.answers)
	return in, err
}

func (b *inboxes) giveBack(in *inbox, empty bool) {
	b.mu.Lock()
	kept := empty && !b.closed
	if kept {
		b.free = append(b.free, in)
	}
	b.mu.Unlock()
	if !kept {
		_ = in.sub.Unsubscribe()
	}
}
