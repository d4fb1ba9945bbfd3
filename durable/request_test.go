package durable

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
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
