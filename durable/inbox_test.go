package durable

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// asking returns inboxes at a server of their own, and the other end.
func asking(t *testing.T) (b *inboxes, other *nats.Conn) {
	s, err := server.NewServer(&server.Options{DontListen: true, NoSigs: true})
	require.NoError(t, err)
	s.Start()
	t.Cleanup(s.Shutdown)
	connect := func() *nats.Conn {
		conn, err := nats.Connect("", nats.InProcessServer(s))
		require.NoError(t, err)
		t.Cleanup(conn.Close)
		return conn
	}
	b, other = newInboxes(connect()), connect()
	t.Cleanup(b.close)
	return b, other
}

func serveQuestions(t *testing.T, conn *nats.Conn, subject string, answer func(*nats.Msg)) {
	_, err := conn.Subscribe(subject, answer)
	require.NoError(t, err)
	require.NoError(t, conn.Flush())
}

func TestEachWhoAsksHasTheAnswer(t *testing.T) {
	b, other := asking(t)
	serveQuestions(t, other, "echo", func(m *nats.Msg) {
		_ = m.Respond(m.Data)
		_ = m.Respond([]byte("a second answer")) // which is nobody's
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			for j := range 200 {
				data := fmt.Sprint(i, " ", j)
				m, err := b.ask(ctx, &nats.Msg{Subject: "echo", Data: []byte(data)})
				if err != nil || string(m.Data) != data {
					t.Errorf("asked %s: %v, %v", data, m, err)
					return
				}
			}
		})
	}
	all.Wait()
	require.LessOrEqual(t, b.conn.NumSubscriptions(), 20)
}

func TestAnAnswerOfManyMessages(t *testing.T) {
	b, other := asking(t)
	serveQuestions(t, other, "many", func(m *nats.Msg) {
		for range longestAnswer {
			_ = m.Respond([]byte("one of many"))
		}
	})
	count := func(upTo int, failure error) (n int, err error) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err = b.askAll(ctx, &nats.Msg{Subject: "many"}, func(*nats.Msg) (bool, error) {
			n++
			if n == upTo {
				return false, failure
			}
			return true, nil
		})
		return n, err
	}
	failure := errors.New("one that cannot be read")
	for range 3 {
		n, err := count(longestAnswer, nil)
		require.NoError(t, err)
		require.Equal(t, longestAnswer, n)
		n, err = count(2, failure)
		require.ErrorIs(t, err, failure)
		require.Equal(t, 2, n)
	}
}

func TestAQuestionWithoutAnAnswer(t *testing.T) {
	b, other := asking(t)
	serveQuestions(t, other, "silent", func(*nats.Msg) {})
	limited, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err := b.ask(limited, &nats.Msg{Subject: "silent"})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	_, err = b.ask(t.Context(), &nats.Msg{Subject: "nobody"})
	require.ErrorIs(t, err, nats.ErrNoResponders)

	asked := make(chan struct{})
	serveQuestions(t, other, "closing", func(*nats.Msg) { close(asked) })
	go func() {
		<-asked
		b.conn.Close()
	}()
	_, err = b.ask(t.Context(), &nats.Msg{Subject: "closing"})
	require.ErrorIs(t, err, nats.ErrConnectionClosed)
	_, err = b.ask(t.Context(), &nats.Msg{Subject: "silent"})
	require.ErrorIs(t, err, nats.ErrConnectionClosed)
}

func TestInboxesLeaveNothingBehind(t *testing.T) {
	b, other := asking(t)
	asked, answered := make(chan *nats.Msg, 1), make(chan error, 1)
	serveQuestions(t, other, "late", func(m *nats.Msg) { asked <- m })
	serveQuestions(t, other, "echo", func(m *nats.Msg) { _ = m.Respond(nil) })
	before := goleak.IgnoreCurrent()
	again := newInboxes(b.conn)
	go func() {
		_, err := again.ask(t.Context(), &nats.Msg{Subject: "late"})
		answered <- err
	}()
	late := <-asked
	_, err := again.ask(t.Context(), &nats.Msg{Subject: "echo"})
	require.NoError(t, err)
	require.Equal(t, 2, b.conn.NumSubscriptions())
	again.close()
	require.NoError(t, late.Respond(nil))
	if err := <-answered; err != nil { // both have come
		require.ErrorIs(t, err, nats.ErrConnectionClosed)
	}
	require.Zero(t, b.conn.NumSubscriptions())
	goleak.VerifyNone(t, before)
}
