package price

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"schedbench/harness"
)

// Config says how much is measured.
type Config struct {
	// Held are how many timers are held where they are scheduled and cancelled, and LiveHeld
	// how many while they fire.
	Held     []int
	LiveHeld int
	// ClusterHeld is the most that are held in a cluster, which takes long to fill, and
	// ClusterSynced the most in one that syncs each write, which takes longer.
	ClusterHeld, ClusterSynced int
	// Cluster says whether there is a cluster at all.
	Cluster bool
	// Intervals are those of polls.
	Intervals []time.Duration
	// Blocks is how many turns each has in each cell.
	Blocks int
	// Idle is how long nothing is due before timers fire, and Load for how long they arrive
	// then, so many a second as Rate says.
	Idle, Load time.Duration
	Rate       int
	// Change is for how long timers come due of which a server is killed, so many a second as ChangeRate
	// says.
	Change     time.Duration
	ChangeRate int
	// Calls is for how long calls of one kind are made at most.
	Calls time.Duration
	// Lead is how long before it is due a durable timer is brought near.
	Lead time.Duration
	// Soak is how many timers arrive over SoakFor, once, to see that none is lost; 0 is none.
	Soak    int
	SoakFor time.Duration
	Seed    uint64
	// Scratch is where folders are filled, on the disk that is measured: a new folder there
	// for each run.
	Scratch string
}

// Default returns what takes about a quarter of an hour on two processors that do nothing else.
func Default() Config {
	return Config{
		Held: []int{1_000, 10_000, 100_000, 1_000_000}, LiveHeld: 100_000, ClusterHeld: 100_000, ClusterSynced: 1_000, Cluster: true,
		Intervals: []time.Duration{10 * time.Millisecond, 100 * time.Millisecond, time.Second, 5 * time.Second},
		Blocks:    5, Idle: time.Second, Load: 800 * time.Millisecond, Rate: 1000, Calls: 300 * time.Millisecond,
		Change: 14 * time.Second, ChangeRate: 200,
		Lead: time.Second, Seed: 1,
	}
}

// Quick returns what takes about a minute, half of it for servers that elect another to lead, and from which hardly anything can be told.
func Quick() Config {
	c := Default()
	c.Held, c.LiveHeld, c.ClusterHeld, c.ClusterSynced = []int{100, 1_000}, 1_000, 100, 100
	c.Intervals = []time.Duration{10 * time.Millisecond, 100 * time.Millisecond}
	c.Change, c.ChangeRate = 2*time.Second, 50
	c.Blocks, c.Idle, c.Load, c.Rate, c.Calls = 2, 100*time.Millisecond, 100*time.Millisecond, 300, 20*time.Millisecond
	return c
}

// The ends of what can be asked for.
const (
	mostHeld      = 10_000_000
	leastInterval = time.Millisecond
	mostInterval  = time.Minute
	mostRate      = 20_000
)

// Check returns an error with all that is wrong.
func (c *Config) Check() (err error) {
	bad := func(wrong bool, format string, args ...any) {
		if wrong {
			err = errors.Join(err, fmt.Errorf(format, args...))
		}
	}
	for i, n := range c.Held {
		bad(n < 1 || n > mostHeld, "%d timers held, want 1 to %d", n, mostHeld)
		bad(slices.Contains(c.Held[:i], n), "%d timers held is given twice, want each once", n)
	}
	for i, d := range c.Intervals {
		bad(d < leastInterval || d > mostInterval, "a poll each %v, want %v to %v", d, leastInterval, mostInterval)
		bad(slices.Contains(c.Intervals[:i], d), "a poll each %v is given twice, want each once", d)
	}
	bad(c.Soak < 0 || c.Soak > mostHeld, "a soak of %d timers, want 0 to %d", c.Soak, mostHeld)
	bad(c.Soak > 0 && (c.SoakFor < time.Second || float64(c.Soak)/c.SoakFor.Seconds() > mostRate),
		"a soak of %d timers over %v, want a second at least, and %d a second at most", c.Soak, c.SoakFor, mostRate)
	bad(c.Blocks < 1 || c.Blocks > 1000, "%d blocks, want 1 to 1000", c.Blocks)
	return err
}

// keepersHeld are those who hold n timers in a cell.
func (c *Config) keepersHeld(n int) []Keeper {
	list := []Keeper{wheel, afterFunc, durableNow, durableSync, bareClient}
	if slices.Contains(c.ends(c.ClusterHeld), n) {
		list = append(list, cluster)
	}
	if slices.Contains(c.ends(c.ClusterSynced), n) {
		list = append(list, clusterSync)
	}
	return list
}

// ends are the least number of timers held and the greatest, of those up to a limit that a cluster
// has.
func (c *Config) ends(limit int) []int {
	few := slices.DeleteFunc(slices.Clone(c.Held), func(n int) bool { return !c.Cluster || n > limit })
	if len(few) == 0 {
		return nil
	}
	return []int{slices.Min(few), slices.Max(few)}
}

// Plan returns the cells of the experiment. What they need on disk is in a folder of its own,
// which release removes.
func (c *Config) Plan() (p *harness.Plan, release func() error, err error) {
	if err := c.Check(); err != nil {
		return nil, nil, err
	}
	m := &measuring{Config: *c}
	p = &harness.Plan{
		Blocks: c.Blocks, Rounds: 1, Rate: c.Rate, Epoch: c.Calls, Slice: c.Load, Watch: c.Load, Seed: c.Seed,
	}
	if c.Soak > 0 {
		p.Custom = []harness.CustomCell{m.soakCell()}
		return p, m.release, nil
	}
	for _, n := range c.Held {
		p.Custom = append(p.Custom, m.heldCell(n))
	}
	p.Custom = append(p.Custom, m.liveCell())
	if m.Cluster {
		p.Custom = append(p.Custom, m.changeCell())
	}
	if len(c.Intervals) > 0 {
		p.Custom = append(p.Custom, m.pollCell())
	}
	return p, m.release, nil
}

// heldCell asks what it costs to schedule and to cancel with n timers held, and to be ready
// again.
func (m *measuring) heldCell(n int) harness.CustomCell {
	cell := harness.CustomCell{Experiment: HeldExperiment, Name: fmt.Sprintf("durable-held-%d", n), Blocks: m.Blocks}
	for _, k := range m.keepersHeld(n) {
		cell.Participants = append(cell.Participants, m.turn(k, n, m.heldTime(k, n), m.held))
	}
	return cell
}

// liveCell asks how late timers fire, and what it costs while none is due: beside the server
// that holds none.
func (m *measuring) liveCell() harness.CustomCell {
	cell := harness.CustomCell{Experiment: LiveExperiment, Name: fmt.Sprintf("durable-live-%d", m.LiveHeld), Blocks: m.Blocks}
	add := func(k Keeper, held int) {
		cell.Participants = append(cell.Participants, m.turn(k, held, m.liveTime(k, held), m.live))
	}
	for _, k := range []Keeper{wheel, afterFunc, durableNow, durableSync, engineAlone} {
		add(k, m.LiveHeld)
	}
	add(durableNow, 0)
	if m.Cluster {
		add(cluster, min(m.LiveHeld, clusterLive))
	}
	return cell
}

// clusterLive is how many timers are held at most in a cluster of which timers fire.
const clusterLive = 10_000

// pollCell asks what the interval of a poll gives and costs.
func (m *measuring) pollCell() harness.CustomCell {
	cell := harness.CustomCell{Experiment: PollExperiment, Name: fmt.Sprintf("durable-poll-%d", m.LiveHeld), Blocks: m.Blocks}
	for _, d := range m.Intervals {
		k := poller(d)
		cell.Participants = append(cell.Participants, m.turn(k, m.LiveHeld, m.liveTime(k, m.LiveHeld), m.live))
	}
	cell.Participants = append(cell.Participants, m.turn(durableNow, m.LiveHeld, m.liveTime(durableNow, m.LiveHeld), m.live))
	return cell
}

// What turns take besides what is asked for, about, for the estimate of how long a run takes.
const (
	aroundTurn    = 300 * time.Millisecond // a process that starts and ends
	aroundCluster = 3 * time.Second        // three servers that find each other
	perFilled     = 9 * time.Microsecond   // a timer that is filled, or copied and opened, on average
	perReplicated = 80 * time.Microsecond  // the same of a cluster
	perInMemory   = 1 * time.Microsecond
)

// filling is about how long it takes until n timers are held.
func (k Keeper) filling(n int) time.Duration {
	switch {
	case k.inMemory():
		return aroundTurn + time.Duration(n)*perInMemory
	case k.Servers > 1:
		return aroundCluster + time.Duration(n)*perReplicated
	}
	return aroundTurn + time.Duration(n)*perFilled
}

// heldTime is about how long a turn takes in which calls are made.
func (m *measuring) heldTime(k Keeper, n int) time.Duration { return k.filling(n) + 2*m.Calls }

// liveTime is about how long a turn takes in which timers fire.
func (m *measuring) liveTime(k Keeper, n int) time.Duration {
	return k.filling(n) + m.idle(k) + m.Load + m.least() + m.spread(k) + k.Interval/2
}

// idle is for how long nothing is due: at least for one poll.
func (m *measuring) idle(k Keeper) time.Duration { return max(m.Idle, k.Interval) }

// least is the shortest delay of a timer that fires: longer than the lead, so that it goes
// through the engine.
func (m *measuring) least() time.Duration { return m.Lead + 300*time.Millisecond }

// spread is by how much delays differ: over at least one poll.
func (m *measuring) spread(k Keeper) time.Duration { return max(m.Load, k.Interval) }
