package durable

import (
	"context"
	"encoding/json"
	"sync"
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
	var nobody *jetstream.APIError
	require.ErrorAs(t, e.insist(limited, "STREAM.MSG.GET", nil, &answer), &nobody, "that nobody leads is the answer in the end")
	require.EqualValues(t, clusterNotAvailable, nobody.ErrorCode)
}

// A cluster that elects, and elects again for what is new: questions are taken by a server that dies, refused because nobody
// leads, or answered when nobody waits any more.
func TestOpenAsksAgainUntilAClusterHasElected(t *testing.T) {
	const (
		leaderless = `{"error": {"code": 503, "err_code": 10008, "description": "temporarily unavailable"}}`
		notFound   = `{"error": {"code": 404, "err_code": 10059, "description": "stream not found"}}`
		conflict   = `{"error": {"code": 400, "err_code": 10071, "description": "wrong last sequence: 1"}}`
		consumer   = `{"name": "workers", "config": {"durable_name": "workers"}}`
	)
	b, other := asking(t)
	js, err := jetstream.New(b.conn)
	require.NoError(t, err)
	e := &engine{names: names{"timers"}, conn: b.conn, inboxes: b, js: js, opts: Options{Replicas: 3}}
	config, err := json.Marshal(map[string]any{"config": e.configured(jetstream.StreamConfig{})})
	require.NoError(t, err)
	made := string(config)
	scripts := map[string][]string{ // no answer where it is empty, and the last one from then on
		"$JS.API.STREAM.INFO.timers":                           {"", leaderless, notFound, made},
		"$JS.API.STREAM.UPDATE.timers":                         {notFound},
		"$JS.API.STREAM.CREATE.timers":                         {""},
		"timers.beat.every":                                    {"", conflict},
		"$JS.API.CONSUMER.CREATE.timers.workers." + e.dueAll(): {leaderless, "", consumer},
	}
	var mu sync.Mutex
	asked := map[string]int{}
	for subject, answers := range scripts {
		serveQuestions(t, other, subject, func(m *nats.Msg) {
			mu.Lock()
			defer mu.Unlock()
			answer := answers[min(asked[subject], len(answers)-1)]
			asked[subject]++
			if answer != "" {
				_ = m.Respond([]byte(answer))
			}
		})
	}
	require.NoError(t, e.prepare(t.Context()))
	_, err = e.consumer(t.Context(), time.Second)
	require.NoError(t, err)
	mu.Lock()
	defer mu.Unlock()
	require.Equal(t, map[string]int{
		"$JS.API.STREAM.INFO.timers": 5, "$JS.API.STREAM.UPDATE.timers": 1, "$JS.API.STREAM.CREATE.timers": 1, "timers.beat.every": 2,
		"$JS.API.CONSUMER.CREATE.timers.workers." + e.dueAll(): 3,
	}, asked)
}

// A server that keeps nothing says so at once, and one that never answers is not waited for longer than the context says.
func TestOpenDoesNotAskForEver(t *testing.T) {
	b, other := asking(t)
	js, err := jetstream.New(b.conn)
	require.NoError(t, err)
	e := &engine{names: names{"timers"}, conn: b.conn, inboxes: b, js: js}
	require.ErrorIs(t, e.prepare(t.Context()), jetstream.ErrJetStreamNotEnabled)

	serveQuestions(t, other, "$JS.API.STREAM.INFO.timers", func(*nats.Msg) {})
	limited, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	err = e.prepare(limited)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorIs(t, err, ErrEngine)
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
