package durable

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The server that leads dies with a question, the others have nobody who leads for a while, and the next
// one answers.
func TestAQuestionIsAskedAgainUntilSomebodyLeads(t *testing.T) {
	s, err := server.NewServer(&server.Options{DontListen: true, NoSigs: true})
	require.NoError(t, err)
	s.Start()
	defer s.Shutdown()
	conn, err := nats.Connect("", nats.InProcessServer(s))
	require.NoError(t, err)
	defer conn.Close()
	e := &engine{names: names{"timers"}, conn: conn, inboxes: newInboxes(conn)}

	answers := []string{"", `{"error": {"code": 503, "err_code": 10008, "description": "temporarily unavailable"}}`, `{"message": {"seq": 7}}`}
	asked := 0
	_, err = conn.Subscribe(apiPrefix+"STREAM.MSG.GET.timers", func(m *nats.Msg) {
		if answer := answers[min(asked, 2)]; answer != "" {
			_ = m.Respond([]byte(answer))
		}
		asked++
	})
	require.NoError(t, err)
	var answer struct {
		api
		Message struct {
			Seq uint64 `json:"seq"`
		} `json:"message"`
	}
	require.NoError(t, e.insist(t.Context(), "STREAM.MSG.GET", nil, &answer))
	require.Nil(t, answer.Error)
	require.EqualValues(t, 7, answer.Message.Seq)

	limited, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, e.insist(limited, "NOBODY.ANSWERS", nil, &answer), nats.ErrNoResponders)

	answers[2] = answers[1]
	limited, cancel = context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	require.NoError(t, e.insist(limited, "STREAM.MSG.GET", nil, &answer))
	require.Equal(t, 503, answer.Error.Code, "that nobody leads is the answer in the end")
}

// Of a stream that is new the server that is asked says nothing, or that nobody leads.
func TestTheStreamIsAskedForUntilSomebodyAnswers(t *testing.T) {
	b, other := asking(t)
	js, err := jetstream.New(b.conn)
	require.NoError(t, err)
	e := &engine{names: names{"timers"}, conn: b.conn, js: js}
	answers := []string{
		"", `{"error": {"code": 503, "err_code": 10008, "description": "temporarily unavailable"}}`,
		`{"config": {"name": "timers", "max_age": 7}}`, `{"error": {"code": 404, "err_code": 10059, "description": "stream not found"}}`,
	}
	var asked atomic.Int64
	serveQuestions(t, other, apiPrefix+"STREAM.INFO.timers", func(m *nats.Msg) {
		if n := int(asked.Add(1)) - 1; n < len(answers) && answers[n] != "" {
			_ = m.Respond([]byte(answers[n]))
		}
	})
	s, err := e.find(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 7, s.CachedInfo().Config.MaxAge)
	_, err = e.find(t.Context())
	require.ErrorIs(t, err, jetstream.ErrStreamNotFound)
	require.EqualValues(t, len(answers), asked.Load())

	limited, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err = e.find(limited)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

// While nobody leads, a question about many timers has no answer, and they are asked for one by one, again and again.
func TestWhereNobodyLeadsManyAreNotAnswered(t *testing.T) {
	b, _ := asking(t)
	e := &engine{names: names{"timers"}, inboxes: b}
	_, err := e.lasts(t.Context(), "timers.*.a.*", "timers.*.b.*")
	require.ErrorIs(t, err, errNoAnswer)
	require.ErrorIs(t, err, nats.ErrNoResponders)
}

// Nobody takes a write until one of the servers of a cluster leads.
func TestAWriteWaitsUntilSomebodyTakesIt(t *testing.T) {
	b, other := asking(t)
	e := &engine{names: names{"timers"}, inboxes: b}
	wrote := make(chan uint64, 1)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	go func() {
		seq, err := e.publish(ctx, nats.NewMsg("timers.at.a.1"))
		assert.NoError(t, err)
		wrote <- seq
	}()
	select {
	case <-wrote:
		t.Fatal("nobody takes it")
	case <-time.After(askedAgain):
	}
	serveQuestions(t, other, "timers.at.a.1", func(m *nats.Msg) { _ = m.Respond([]byte(`{"stream": "timers", "seq": 7}`)) })
	require.EqualValues(t, 7, <-wrote)

	limited, end := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer end()
	_, err := e.publish(limited, nats.NewMsg("timers.at.b.1"))
	require.ErrorIs(t, err, nats.ErrNoResponders, "nothing was written, and it says so")
}
