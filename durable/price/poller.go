package price

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
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

	mu     sync.Mutex
	tasks  map[string]func() // of timers that fire here, by subject
	armed  map[int64]int     // how many of them there are in an interval
	polled int64             // the last interval that was asked for
	missed map[int64]bool    // those before it with timers that were not there yet
	ended  chan struct{}
	done   sync.WaitGroup
	fault  atomic.Pointer[error]
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
	p := &polling{interval: k.Interval, server: s, conn: conn, tasks: map[string]func(){}, armed: map[int64]int{}, missed: map[int64]bool{}, ended: make(chan struct{})}
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
	at := time.Now().Add(delay)
	slot, subject := p.slot(at), p.subject(at)
	p.mu.Lock()
	p.tasks[subject] = task
	p.armed[slot]++
	if slot <= p.polled {
		p.missed[slot] = true
	}
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
		for _, slot := range p.toAsk(k) {
			if err := p.runAll(slot); err != nil {
				p.fault.CompareAndSwap(nil, &err)
				return
			}
		}
	}
}

// toAsk returns the intervals to ask for at the end of one.
func (p *polling) toAsk(slot int64) []int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	slots := slices.AppendSeq([]int64{slot}, maps.Keys(p.missed))
	clear(p.missed)
	p.polled = slot
	return slots
}

// runAll runs and removes what is due in an interval.
func (p *polling) runAll(slot int64) error {
	subjects := fmt.Sprintf("poll.%d.*", slot)
	any, err := p.any(subjects)
	for from, more := uint64(1), any; more && err == nil; {
		var due []string
		due, from, more, err = p.ask(subjects, from)
		for _, subject := range due {
			if task := p.take(slot, subject); task != nil {
				task()
			}
		}
		if err == nil && !more { // what has come since is not removed
			err = p.js.PurgeStream(pollStream, &nats.StreamPurgeRequest{Subject: subjects, Sequence: from})
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.armed[slot] > 0 {
		p.missed[slot] = true
	}
	return err
}

// take returns what a timer does that was found, nil if that is nothing.
func (p *polling) take(slot int64, subject string) func() {
	p.mu.Lock()
	defer p.mu.Unlock()
	task := p.tasks[subject]
	if task == nil {
		return nil
	}
	delete(p.tasks, subject)
	if p.armed[slot]--; p.armed[slot] == 0 {
		delete(p.armed, slot)
	}
	return task
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
// that have one, the number after the last of them, and whether there may be more.
func (p *polling) ask(subjects string, from uint64) (due []string, next uint64, more bool, err error) {
	next = from
	inbox := p.conn.NewInbox()
	answers, err := p.conn.SubscribeSync(inbox)
	if err != nil {
		return nil, next, false, err
	}
	defer answers.Unsubscribe()
	question, err := json.Marshal(map[string]any{"seq": from, "next_by_subj": subjects, "batch": pollBatch})
	if err != nil {
		return nil, next, false, err
	}
	if err := p.conn.PublishRequest(directGet, inbox, question); err != nil {
		return nil, next, false, err
	}
	for {
		m, err := answers.NextMsg(engineReady)
		if err != nil {
			return nil, next, false, err
		}
		switch status := m.Header.Get("Status"); {
		case status == "404": // there is none
			return due, next, false, nil
		case status == "204": // the end of what was asked for
			return due, next, m.Header.Get("Nats-Num-Pending") != "0", nil
		case status != "":
			return nil, next, false, refused(m)
		}
		due = append(due, m.Header.Get("Nats-Subject"))
		if next, err = strconv.ParseUint(m.Header.Get("Nats-Sequence"), 10, 64); err != nil {
			return nil, next, false, err
		}
		next++
	}
}
