package price

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"schedbench/harness"
	"schedbench/live"
)

// A cluster of which a server is killed while timers fire that have all been kept before, and
// which is started again on what it has on disk; beside one that is left alone.
const (
	beforeKill = time.Second     // from the first deadline to the kill
	killedFor  = 2 * time.Second // until the server is started again
	// lostAfter is how long after the last deadline timers are waited for: a server is missed after 9 s
	// at most, and what was handed out comes again after 5 s.
	lostAfter = 30 * time.Second
	// disturbedAfter is what a timer of a cluster that nothing disturbs is not late by.
	disturbedAfter = 100 * time.Millisecond
	// lookEvery is how far apart instants are of which it is told how late timers are.
	lookEvery = 250 * time.Millisecond
	// changeHeld is how many timers are held at most meanwhile.
	changeHeld = 1_000
	// aroundElection is about how long the servers that are left take until timers fire again.
	aroundElection = 8 * time.Second
)

// changeCell asks how late timers fire while a server of a cluster is killed and comes back, and whether
// one of them is lost.
func (m *measuring) changeCell() harness.CustomCell {
	held := min(m.LiveHeld, changeHeld)
	cell := harness.CustomCell{Experiment: ChangeExperiment, Name: fmt.Sprintf("durable-change-%d", held), Blocks: m.Blocks}
	for _, k := range []Keeper{cluster, killed} {
		cell.Participants = append(cell.Participants, m.turn(k, held, m.changeTime(k, held), m.change))
	}
	return cell
}

// changeTime is about how long a turn of it takes.
func (m *measuring) changeTime(k Keeper, held int) time.Duration {
	d := k.filling(held) + slices.Max(m.evenly())
	if k.Killed { // timers that come late, if the last deadline is no longer after the kill than that
		d += max(0, aroundElection-(m.Change-beforeKill))
	}
	return d
}

// change is a turn in which timers fire evenly while the server that leads is killed, or none.
func (m *measuring) change(ctx context.Context, k Keeper, n int, r *rand.Rand) (harness.Sample, error) {
	j := job{Do: doChange, Keeper: k, Held: n, Seed: r.Uint64(), Deadlines: m.evenly()}
	a, err := m.inCluster(ctx, j, m.whileItChanges)
	if err == nil {
		a.Values = lateOver(a.Outcome, j.Deadlines)
	}
	return taken(a, err)
}

// evenly are deadlines evenly apart, the first of them so far ahead that all timers are kept, and go through
// the engine.
func (m *measuring) evenly() (deadlines []time.Duration) {
	every := time.Second / time.Duration(m.ChangeRate)
	n := int(m.Change / every)
	for i := range n {
		deadlines = append(deadlines, m.least()+time.Duration(n)*perPosted+time.Duration(i)*every)
	}
	return deadlines
}

// perPosted is more than a cluster takes to keep a timer.
const perPosted = 400 * time.Microsecond

// whileItChanges has a process fire timers, and kills the server that leads meanwhile if it is to be.
func (m *measuring) whileItChanges(ctx context.Context, j job, g *serverGroup) (*answer, error) {
	c, err := m.start(ctx, j)
	if err != nil {
		return nil, err
	}
	a, err := c.answer()
	restarted := func() error { return nil }
	if err == nil && j.Keeper.Killed {
		restarted, err = m.killLeader(ctx, j, g, time.Unix(0, a.Zero).Add(j.Deadlines[0]+beforeKill))
	}
	if err == nil {
		a, err = c.answer()
	}
	if err == nil {
		err = restarted()
	}
	if err = errors.Join(err, c.kill()); err != nil {
		return nil, fmt.Errorf("%s, %s: %w", j.Keeper.name(), j.Do, err)
	}
	return a, nil
}

// killLeader kills, at an instant, the server that leads the stream of the timers, and starts it again
// later. It returns what waits until that server is one of the cluster again.
func (m *measuring) killLeader(ctx context.Context, j job, g *serverGroup, at time.Time) (restarted func() error, err error) {
	if time.Now().After(at) {
		return nil, fmt.Errorf("timers were kept %v after a server was to be killed", time.Since(at))
	}
	if err := sleepUntil(ctx, at.Add(-beforeKill/10)); err != nil {
		return nil, err
	}
	i, err := leading(j)
	if err != nil {
		return nil, err
	}
	if err := sleepUntil(ctx, at); err != nil {
		return nil, err
	}
	if err := g.servers[i].kill(); err != nil {
		return nil, err
	}
	if err := sleepUntil(ctx, at.Add(killedFor)); err != nil {
		return nil, err
	}
	s, err := m.start(ctx, g.jobs[i])
	if err != nil {
		return nil, err
	}
	g.servers[i] = s
	return func() error {
		if _, err := s.answer(); err != nil {
			return fmt.Errorf("%s, which was killed: %w", serverName(i), err)
		}
		return nil
	}, nil
}

// leading returns the number of the server that leads the stream of the timers.
func leading(j job) (int, error) {
	conn, err := nats.Connect(j.URL)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	js, err := conn.JetStream()
	if err != nil {
		return 0, err
	}
	info, err := js.StreamInfo(streamName)
	if err != nil {
		return 0, err
	}
	for i := range j.Keeper.Servers {
		if info.Cluster != nil && info.Cluster.Leader == serverName(i) {
			return i, nil
		}
	}
	return 0, fmt.Errorf("no server leads the stream %s", streamName)
}

// sleepUntil sleeps until an instant, unless it is interrupted.
func sleepUntil(ctx context.Context, at time.Time) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Until(at)):
		return nil
	}
}

// firedOnes are when timers fired.
type firedOnes struct {
	mu   sync.Mutex
	list []live.Firing
}

// fireLater keeps all timers, answers that they are kept, and waits until they have fired and none of them
// is held any more, so that none can fire again.
func (w *worker) fireLater(k keeping, a *answer, answered func(*answer) error) error {
	if err := w.prepared(k); err != nil {
		return err
	}
	var fired firedOnes
	timers, zero := k.Timers(), time.Now()
	for i, d := range w.Deadlines {
		if _, err := timers.AfterFunc(time.Until(zero.Add(d)), func() {
			fired.mu.Lock()
			defer fired.mu.Unlock()
			fired.list = append(fired.list, live.Firing{Timer: int32(i), At: time.Since(zero)})
		}); err != nil {
			return err
		}
	}
	if err := k.Flush(); err != nil {
		return err
	}
	if err := answered(&answer{Zero: zero.UnixNano()}); err != nil {
		return err
	}
	last := zero.Add(slices.Max(w.Deadlines))
	time.Sleep(time.Until(last))
	for time.Since(last) < lostAfter {
		if n, err := k.Held(); err == nil && n == w.job.Held {
			break
		}
		time.Sleep(lookEvery)
	}
	fired.mu.Lock()
	defer fired.mu.Unlock()
	a.Iterations = len(w.Deadlines)
	a.Outcome = live.OutcomeOf(live.Pending(w.Deadlines), fired.list)
	return nil
}

// lateOver tells how late the latest timer was of each of the stretches between two looks, by their
// deadlines. What never fired counts as late by all the time in which it was waited for.
func lateOver(out *live.Outcome, deadlines []time.Duration) map[string]float64 {
	late := make([]time.Duration, len(deadlines))
	for i := range late {
		late[i] = lostAfter
	}
	for _, f := range out.Firings {
		late[f.Timer] = f.Late()
	}
	values := map[string]float64{}
	for i, d := range deadlines {
		unit := LateAt((d - deadlines[0]).Truncate(lookEvery) - beforeKill)
		values[unit] = max(values[unit], float64(late[i]), 1)
	}
	return values
}
