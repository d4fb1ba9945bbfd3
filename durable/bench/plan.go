package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"schedbench/catalog"
	"schedbench/harness"
)

// config says how much is measured.
type config struct {
	// Contestants are those that are measured.
	Contestants []contestant
	// Held are how many timers are held while calls are made, and LiveHeld while others fire or nothing is due.
	Held     []int
	LiveHeld int
	// Rates are so many timers a second that arrive for Load, and fire.
	Rates []int
	Load  time.Duration
	// Intervals are those of polls.
	Intervals []time.Duration
	// Calls is for how long calls of one kind are made at most, and Idle for how long nothing is due.
	Calls, Idle time.Duration
	// Whole says that nothing is due, and that deadlines lie, over a whole interval between polls at least.
	Whole bool
	// NoIdle and NoLive leave out what has no sizes of its own.
	NoIdle, NoLive bool
	Blocks         int
	Seed           uint64
	// Scratch is a folder on the disk that is measured.
	Scratch string
}

// usual returns what takes about a quarter of an hour on two processors that do nothing else.
func usual() config {
	return config{
		Contestants: contestants(), Held: []int{1_000, 10_000, 100_000, 1_000_000}, LiveHeld: 100_000,
		Rates: []int{100, 2_000}, Load: time.Second,
		Intervals: []time.Duration{10 * time.Millisecond, 100 * time.Millisecond, time.Second, 5 * time.Second},
		Calls:     250 * time.Millisecond, Idle: time.Second, Whole: true, Blocks: 5, Seed: 1,
	}
}

// quick returns what shows that all of it works; its figures say little.
func quick() config {
	c := usual()
	c.Held, c.LiveHeld, c.Rates, c.Load = []int{100}, 100, []int{200}, 100*time.Millisecond
	c.Intervals = []time.Duration{10 * time.Millisecond, 50 * time.Millisecond}
	c.Calls, c.Idle, c.Blocks, c.Whole = 10*time.Millisecond, 50*time.Millisecond, 1, false
	return c
}

// The ends of what can be asked for.
const (
	mostHeld      = 10_000_000
	leastInterval = time.Millisecond
	mostInterval  = time.Minute
	mostRate      = 100_000
	mostLoad      = time.Hour
)

// check returns an error with all that is wrong.
func (c *config) check() (err error) {
	wrong := func(is bool, format string, args ...any) {
		if is {
			err = errors.Join(err, fmt.Errorf(format, args...))
		}
	}
	for i, n := range c.Held {
		wrong(n < 1 || n > mostHeld, "--held %d, want 1 to %d", n, mostHeld)
		wrong(slices.Contains(c.Held[:i], n), "--held %d is given twice, want each once", n)
	}
	for i, n := range c.Rates {
		wrong(n < 1 || n > mostRate, "--rates %d, want 1 to %d", n, mostRate)
		wrong(slices.Contains(c.Rates[:i], n), "--rates %d is given twice, want each once", n)
	}
	for i, d := range c.Intervals {
		wrong(d < leastInterval || d > mostInterval, "--intervals %v, want %v to %v", d, leastInterval, mostInterval)
		wrong(slices.Contains(c.Intervals[:i], d), "--intervals %v is given twice, want each once", d)
	}
	wrong(c.LiveHeld < 1 || c.LiveHeld > mostHeld, "--live-held %d, want 1 to %d", c.LiveHeld, mostHeld)
	wrong(c.Load < 10*time.Millisecond || c.Load > mostLoad, "--load %v, want 10ms to %v", c.Load, mostLoad)
	wrong(c.Blocks < 1 || c.Blocks > 1000, "--blocks %d, want 1 to 1000", c.Blocks)
	wrong(len(c.Contestants) == 0, "no contestants, want at least one")
	return err
}

// measuring is a run while it is measured.
type measuring struct {
	config
	servers servers
}

// plan returns the cells of the experiments.
func (m *measuring) plan() *harness.Plan {
	p := &harness.Plan{Blocks: m.Blocks, Rounds: 1, Rate: slices.Max(append(m.Rates, 1)), Epoch: m.Calls, Slice: m.Load, Watch: m.Idle, Seed: m.Seed}
	add := func(experiment, name string, turns ...harness.Turn) {
		if len(turns) > 0 {
			p.Outside = append(p.Outside, harness.Outside{Experiment: experiment, Name: name, Blocks: m.Blocks, Turns: turns})
		}
	}
	for _, n := range m.Held {
		add(callsExperiment, fmt.Sprintf("durable-calls-%d", n), m.turns(n, job{Calls: m.Calls})...)
	}
	if idle := m.turns(m.LiveHeld, job{Idle: m.Idle}); len(idle) > 0 && !m.NoIdle {
		process := harness.Turn{Params: params(harness.ProcessControl, "held", m.LiveHeld), Time: m.Idle, Take: m.idleProcess}
		add(idleExperiment, "durable-idle", append(idle, process)...)
	}
	for _, rate := range m.Rates {
		if !m.NoLive {
			add(liveExperiment, fmt.Sprintf("durable-live-%d", rate), m.turns(m.LiveHeld, job{Rate: rate, Load: m.Load})...)
		}
	}
	add(pollExperiment, "durable-poll", m.polls()...)
	return p
}

// params are those of a series.
func params(name, key string, value any) []harness.Param {
	return []harness.Param{{Key: "impl", Value: name}, {Key: key, Value: fmt.Sprint(value)}}
}

// turns are those of all contestants that can hold n timers, by what they do.
func (m *measuring) turns(n int, j job) (all []harness.Turn) {
	key, value := "held", n
	if j.Rate > 0 {
		key, value = "rate", j.Rate
	}
	for _, c := range m.Contestants {
		if c.name != pollName && (c.most == 0 || n <= c.most) {
			all = append(all, m.turn(c, n, j, params(c.name, key, value)))
		}
	}
	return all
}

// polls are the turns of the curve of intervals: a poll with each, and a contestant beside it.
func (m *measuring) polls() (all []harness.Turn) {
	j := job{Idle: m.Idle, Rate: slices.Min(append(slices.Clone(m.Rates), mostRate)), Load: m.Load}
	for _, c := range m.Contestants {
		if c.name == pollBeside {
			all = append(all, m.turn(c, m.LiveHeld, j, []harness.Param{{Key: "impl", Value: c.name}}))
		}
		for _, d := range m.Intervals {
			if c.name == pollName {
				c.every, j.Place.Interval = d, d
				all = append(all, m.turn(c, m.LiveHeld, j, params(c.name, "interval", d)))
			}
		}
	}
	if len(m.Intervals) == 0 {
		return nil
	}
	return all
}

// turn is one of a contestant with n timers held.
func (m *measuring) turn(c contestant, n int, j job, params []harness.Param) harness.Turn {
	if j.Idle > 0 && m.Whole {
		j.Idle = max(j.Idle, c.every)
	}
	if j.Spread = m.Load; m.Whole {
		j.Spread = max(j.Spread, c.every)
	}
	j.Contestant, j.Run, j.Patience = c.name, true, latest
	about := 500*time.Millisecond + time.Duration(n)*10*time.Microsecond + 4*j.Calls + j.Idle
	if j.Rate > 0 {
		about += j.Load + c.ahead + least + j.Spread + c.every
	}
	return harness.Turn{Params: params, Time: about, Take: func(ctx context.Context, _ int, r *rand.Rand) (harness.Taken, error) {
		j := j
		j.Seed = r.Uint64()
		return m.take(ctx, c, n, j)
	}}
}

// latest is how late timers are waited for: longer than any contestant is when it works.
const latest = 30 * time.Second

// take measures a contestant once. What outlives a process is held by another one, which is killed then.
func (m *measuring) take(ctx context.Context, c contestant, n int, j job) (taken harness.Taken, err error) {
	var bytes float64
	if c.memory {
		j.Hold = n
	} else {
		s, err := m.newSite(ctx, c)
		if err != nil {
			return taken, err
		}
		defer func() { err = errors.Join(err, s.remove()) }()
		s.Interval, j.Server = j.Place.Interval, s.server
		j.Place = s.place
		if bytes, err = m.fill(ctx, s, n, j); err != nil {
			return taken, err
		}
	}
	a, err := j.run(ctx)
	if err != nil {
		return taken, err
	}
	taken = harness.Taken{Iterations: 1, Values: a.Values, Outcome: a.Outcome}
	if bytes > 0 && j.Calls > 0 {
		a.Values[BytesPerTimer] = bytes / float64(n)
	}
	if c.early && a.Outcome != nil {
		a.Values[harness.EarlyByMake], a.Values[harness.Early] = float64(a.Outcome.Early), 0
	}
	return taken, nil
}

// fill has a process hold n timers, and returns how many bytes they take.
func (m *measuring) fill(ctx context.Context, s *site, n int, j job) (bytes float64, err error) {
	fill := job{Contestant: j.Contestant, Place: s.place, Seed: j.Seed}
	if _, err := fill.run(ctx); err != nil { // which makes the tables
		return 0, err
	}
	empty, err := s.size(ctx)
	if err != nil {
		return 0, err
	}
	fill.Hold = n
	if _, err := fill.run(ctx); err != nil {
		return 0, err
	}
	full, err := s.size(ctx)
	return full - empty, err
}

// idleProcess measures a process that holds nothing: the Go runtime needs nothing that is opened.
func (m *measuring) idleProcess(ctx context.Context, _ int, _ *rand.Rand) (harness.Taken, error) {
	a, err := job{Contestant: catalog.RuntimeTimer, Idle: m.Idle}.run(ctx)
	if err != nil {
		return harness.Taken{}, err
	}
	return harness.Taken{Iterations: 1, Values: a.Values}, nil
}

// needed returns the servers that contestants need.
func (m *measuring) needed() (names []string) {
	for _, c := range m.Contestants {
		if c.server != "" && !slices.Contains(names, c.server) {
			names = append(names, c.server)
		}
	}
	return names
}

// leaveOut leaves out the contestants whose servers are not here.
func (m *measuring) leaveOut() {
	m.Contestants = slices.DeleteFunc(m.Contestants, func(c contestant) bool { return c.server != "" && m.servers[c.server] == nil })
}
