package price

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"schedbench/live"
)

// polling is a queue that is polled: at the end of each interval it asks the engine for what has
// come due in it, runs that, and removes it. A timer is a message on a subject of the interval at
// whose end it runs, so that one question finds all of them, and none is early: what a table with
// an index by time is to pollers of databases.
type polling struct {
	interval time.Duration
	server   *server.Server
	conn     *nats.Conn
	js       nats.JetStreamContext
	count    int
	names    []string // subjects of timers that have a name

	mu    sync.Mutex
	tasks map[string]func() // of timers that fire here, by subject
	ended chan struct{}
	done  sync.WaitGroup
	fault atomic.Pointer[error]
}

const (
	pollStream = "POLL"
	directGet  = "$JS.API.DIRECT.GET." + pollStream
	// mostUnacked is how many messages may be under way.
	mostUnacked = 4096
	// pollBatch is how many are asked for at once.
	pollBatch = 1000
	// engineReady is how long the engine may take to be there.
	engineReady = 10 * time.Second
)

var errNotPending = errors.New("the timer was not pending")

// newPoller starts an engine in the process, and polls it.
func newPoller(k Keeper, dir string) (*polling, error) {
	s, conn, err := startEngine(k, dir)
	if err != nil {
		return nil, err
	}
	p := &polling{interval: k.Interval, server: s, conn: conn, tasks: map[string]func(){}, ended: make(chan struct{})}
	if p.js, err = p.conn.JetStream(nats.PublishAsyncMaxPending(mostUnacked)); err != nil {
		return nil, err
	}
	if _, err = p.js.AddStream(&nats.StreamConfig{
		Name: pollStream, Subjects: []string{"poll.*.*"}, Storage: nats.FileStorage, AllowDirect: true,
	}); err != nil {
		return nil, err
	}
	p.done.Go(p.poll)
	return p, nil
}

// slot returns the interval at whose end something runs that is due at an instant.
func (p *polling) slot(at time.Time) int64 {
	return (at.UnixNano() + int64(p.interval) - 1) / int64(p.interval)
}

// subject returns that of the next timer.
func (p *polling) subject(at time.Time) string {
	p.count++
	return fmt.Sprintf("poll.%d.%d", p.slot(at), p.count)
}

// named is subject for a timer that has a name.
func (p *polling) named(at time.Time) string {
	p.names = append(p.names, p.subject(at))
	return p.names[len(p.names)-1]
}

// payload is what the tasks of a queue are about as long as.
var payload = []byte(`{"order":123456789}`)

// Hold implements keeping.
func (p *polling) Hold(at time.Time) error {
	_, err := p.js.PublishAsync(p.subject(at), payload)
	return err
}

// Post implements keeping.
func (p *polling) Post(at time.Time) error {
	_, err := p.js.PublishAsync(p.named(at), payload)
	return err
}

// Schedule implements keeping.
func (p *polling) Schedule(at time.Time) error {
	_, err := p.js.Publish(p.named(at), payload)
	return err
}

// Flush implements keeping.
func (p *polling) Flush() error {
	<-p.js.PublishAsyncComplete()
	return nil
}

// Cancel implements keeping.
func (p *polling) Cancel(name int) error {
	return p.js.PurgeStream(pollStream, &nats.StreamPurgeRequest{Subject: p.names[name]})
}

// Held implements keeping.
func (p *polling) Held() (int, error) {
	info, err := p.js.StreamInfo(pollStream)
	if err != nil {
		return 0, err
	}
	return int(info.State.Msgs), nil
}

// Timers implements keeping: what they do is known by the subject.
func (p *polling) Timers() live.Timers { return p }

// AfterFunc implements live.Timers.
func (p *polling) AfterFunc(delay time.Duration, task func()) (live.Timer, error) {
	subject := p.subject(time.Now().Add(delay))
	p.mu.Lock()
	p.tasks[subject] = task
	p.mu.Unlock()
	_, err := p.js.PublishAsync(subject, payload)
	return nil, err
}

// Close implements keeping and live.Timers: an error of the polls is told then.
func (p *polling) Close() error {
	close(p.ended)
	p.done.Wait()
	p.conn.Close()
	p.server.Shutdown()
	p.server.WaitForShutdown()
	if err := p.fault.Load(); err != nil {
		return *err
	}
	return nil
}

// poll runs, at the end of each interval, what was due in it.
func (p *polling) poll() {
	for k := p.slot(time.Now()); ; k++ {
		end := time.Unix(0, k*int64(p.interval))
		select {
		case <-p.ended:
			return
		case <-time.After(time.Until(end)):
		}
		if err := p.runAll(fmt.Sprintf("poll.%d.*", k)); err != nil {
			p.fault.CompareAndSwap(nil, &err)
			return
		}
	}
}

// runAll runs and removes what is on some subjects.
func (p *polling) runAll(subjects string) error {
	any, err := p.any(subjects)
	if err != nil || !any {
		return err
	}
	for next := uint64(1); next > 0; {
		due, after, err := p.ask(subjects, next)
		if err != nil {
			return err
		}
		for _, subject := range due {
			p.mu.Lock()
			task := p.tasks[subject]
			delete(p.tasks, subject)
			p.mu.Unlock()
			if task != nil {
				task()
			}
		}
		next = after
	}
	return p.js.PurgeStream(pollStream, &nats.StreamPurgeRequest{Subject: subjects})
}

// any reports whether there is a message on some subjects. That is all that most polls ask: to ask
// for all messages at once has the engine count them first, which takes five times as long.
func (p *polling) any(subjects string) (bool, error) {
	question, err := json.Marshal(map[string]any{"seq": 1, "next_by_subj": subjects})
	if err != nil {
		return false, err
	}
	m, err := p.conn.Request(directGet, question, engineReady)
	if err != nil {
		return false, err
	}
	status := m.Header.Get("Status")
	if status != "" && status != "404" {
		return false, refused(m)
	}
	return status == "", nil
}

// refused is the error of an answer that is none.
func refused(m *nats.Msg) error {
	return fmt.Errorf("the engine answers %s %s", m.Header.Get("Status"), strings.TrimSpace(m.Header.Get("Description")))
}

// ask asks the engine for messages on some subjects from a number on. It returns the subjects
// that have one, and from which number on to ask again, 0 if there are no more.
func (p *polling) ask(subjects string, from uint64) (due []string, next uint64, err error) {
	inbox := p.conn.NewInbox()
	answers, err := p.conn.SubscribeSync(inbox)
	if err != nil {
		return nil, 0, err
	}
	defer answers.Unsubscribe()
	question, err := json.Marshal(map[string]any{"seq": from, "next_by_subj": subjects, "batch": pollBatch})
	if err != nil {
		return nil, 0, err
	}
	if err := p.conn.PublishRequest(directGet, inbox, question); err != nil {
		return nil, 0, err
	}
	for {
		m, err := answers.NextMsg(engineReady)
		if err != nil {
			return nil, 0, err
		}
		switch status := m.Header.Get("Status"); {
		case status == "404": // there is none
			return due, 0, nil
		case status == "204": // the end of what was asked for
			if m.Header.Get("Nats-Num-Pending") == "0" {
				next = 0
			}
			return due, next, nil
		case status != "":
			return nil, 0, refused(m)
		}
		due = append(due, m.Header.Get("Nats-Subject"))
		var last uint64
		if _, err := fmt.Sscan(m.Header.Get("Nats-Sequence"), &last); err != nil {
			return nil, 0, err
		}
		next = last + 1
	}
}
