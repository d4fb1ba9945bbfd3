package price

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"schedbench/durable"
	"schedbench/live"
)

// bare is the client of the engine without package durable: a schedule is one message, and a
// cancellation one purge. It is the least that a timer in this engine can cost, and says which part of
// a figure is that of the engine on the machine at hand. Nothing fires here.
type bare struct {
	server   *server.Server
	conn     *nats.Conn
	js       jetstream.JetStream
	stream   jetstream.Stream
	subjects []string // of timers that have a name
}

// The stream of package durable, which has filled the folder, and subjects in it that it leaves alone.
const (
	filledStream = "timers"
	bareSubjects = filledStream + ".bare."
	bareTargets  = filledStream + ".out."
	filledBeat   = filledStream + ".beat.*"
)

// newBare starts an engine in the process on a folder that package durable has filled.
func newBare(k Keeper, dir string) (b *bare, err error) {
	b = &bare{}
	if b.server, b.conn, err = startEngine(k, dir); err != nil {
		return nil, err
	}
	if b.js, err = jetstream.New(b.conn, jetstream.WithPublishAsyncMaxPending(mostUnacked)); err != nil {
		return nil, err
	}
	b.stream, err = b.js.Stream(context.Background(), filledStream)
	return b, err
}

// startEngine starts an engine in the process, with a connection to it.
func startEngine(k Keeper, dir string) (*server.Server, *nats.Conn, error) {
	s, err := server.NewServer(&server.Options{
		JetStream: true, StoreDir: dir, DontListen: true, NoSigs: true, // and what follows as durable's
		SyncAlways: k.Sync == SyncAlways, SyncInterval: time.Second, JetStreamKey: durable.FilesKey, JetStreamCipher: server.AES,
	})
	if err != nil {
		return nil, nil, err
	}
	s.Start()
	if !s.ReadyForConnections(engineReady) {
		return nil, nil, errors.New("the engine is not ready")
	}
	conn, err := nats.Connect("", nats.InProcessServer(s))
	return s, conn, err
}

// message makes that of a timer, with a subject of its own as long as those of durable timers.
func (b *bare) message(at time.Time) *nats.Msg {
	id := rand.Text()
	b.subjects = append(b.subjects, bareSubjects+id)
	return &nats.Msg{Subject: bareSubjects + id, Data: payload, Header: nats.Header{
		"Nats-Schedule":        {"@at " + at.UTC().Format(time.RFC3339Nano)},
		"Nats-Schedule-Target": {bareTargets + id},
	}}
}

// Hold implements keeping.
func (b *bare) Hold(at time.Time) error { return b.Post(at) }

// Post implements keeping.
func (b *bare) Post(at time.Time) error {
	_, err := b.js.PublishMsgAsync(b.message(at))
	return err
}

// Flush implements keeping.
func (b *bare) Flush() error {
	<-b.js.PublishAsyncComplete()
	return nil
}

// Schedule implements keeping.
func (b *bare) Schedule(at time.Time) error {
	_, err := b.js.PublishMsg(context.Background(), b.message(at))
	return err
}

// Cancel implements keeping.
func (b *bare) Cancel(name int) error {
	return b.stream.Purge(context.Background(), jetstream.WithPurgeSubject(b.subjects[name]))
}

// Held implements keeping: the timers that were filled, without the beat of package durable.
func (b *bare) Held() (int, error) {
	info, err := b.stream.Info(context.Background(), jetstream.WithSubjectFilter(filledBeat))
	if err != nil {
		return 0, err
	}
	return int(info.State.Msgs) - len(info.State.Subjects), nil
}

// Timers implements keeping.
func (b *bare) Timers() live.Timers { return nil }

// Close implements keeping.
func (b *bare) Close() error {
	b.conn.Close()
	b.server.Shutdown()
	b.server.WaitForShutdown()
	return nil
}
