package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"schedbench/harness"
)

// sizes say how much is measured: flags of the command.
type sizes struct {
	Contestants []string        `help:"Contestants; by default all whose servers are here." placeholder:"NAME"`
	Only        []string        `help:"Experiments: ${enum}." enum:"calls,idle,live,poll" default:"calls,idle,live,poll" placeholder:"NAME"`
	Held        []int           `help:"How many timers are held while calls are made." default:"1000,10000,100000,1000000" placeholder:"N"`
	LiveHeld    int             `help:"How many are held while others fire or nothing is due." default:"100000" placeholder:"N"`
	Rates       []int           `help:"How many timers a second fire." default:"100,2000" placeholder:"N"`
	Load        time.Duration   `help:"For how long they arrive." default:"1s" placeholder:"DURATION"`
	Intervals   []time.Duration `help:"Intervals of polls." default:"10ms,100ms,1s,5s" placeholder:"DURATION"`
	Calls       time.Duration   `help:"For how long calls of one kind are made at most." default:"250ms" placeholder:"DURATION"`
	Idle        time.Duration   `help:"For how long nothing is due, at least." default:"1s" placeholder:"DURATION"`
	Blocks      int             `help:"Blocks of each cell." default:"5" placeholder:"N"`
	Seed        uint64          `help:"Seed of all randomness." default:"1"`
	Scratch     string          `help:"Folder on the disk that is measured; by default that of the system for temporary files." placeholder:"DIR" type:"existingdir"`
	Quick       bool            `help:"Tiny sizes, to see that all works; the figures say little. Other sizes are ignored."`
}

// The ends of what can be asked for.
const (
	mostHeld      = 10_000_000
	mostRate      = 100_000
	leastInterval = time.Millisecond
	mostInterval  = time.Minute
	mostLoad      = time.Hour
	latest        = 30 * time.Second // how late timers are waited for: longer than any contestant is when it works
)

// Validate returns an error with all that is wrong.
func (s *sizes) Validate() error {
	if s.Quick {
		s.Held, s.LiveHeld, s.Rates, s.Load, s.Intervals = []int{100}, 100, []int{200}, 100*time.Millisecond, []time.Duration{10 * time.Millisecond, 50 * time.Millisecond}
		s.Calls, s.Idle, s.Blocks = 10*time.Millisecond, 50*time.Millisecond, 1
	}
	var errs []error
	for _, name := range s.Contestants {
		if _, ok := find(name); !ok {
			errs = append(errs, fmt.Errorf("--contestants %s, want some of %s", name, strings.Join(names(contestants()), ", ")))
		}
	}
	return errors.Join(append(errs, among("contestants", "", "~", s.Contestants...), among("held", 1, mostHeld, s.Held...), among("live-held", 1, mostHeld, s.LiveHeld),
		among("rates", 1, mostRate, s.Rates...), among("load", 10*time.Millisecond, mostLoad, s.Load), among("blocks", 1, 1000, s.Blocks),
		among("intervals", leastInterval, mostInterval, s.Intervals...), among("calls", time.Millisecond, mostInterval, s.Calls), among("idle", time.Millisecond, mostInterval, s.Idle))...)
}

// among returns an error if values of a flag are out of bounds, or given twice.
func among[T int | time.Duration | string](flag string, low, high T, values ...T) (err error) {
	for i, v := range values {
		switch {
		case v < low || v > high:
			err = errors.Join(err, fmt.Errorf("--%s %v, want %v to %v", flag, v, low, high))
		case slices.Contains(values[:i], v):
			err = errors.Join(err, fmt.Errorf("--%s %v is given twice, want each once", flag, v))
		}
	}
	return err
}

// names lists contestants.
func names(all []contestant) (list []string) {
	for _, c := range all {
		list = append(list, c.name)
	}
	return list
}

// measuring is a run while it is measured.
type measuring struct {
	sizes
	contestants []contestant
	servers     servers
}

// measuring starts the servers that are needed, and leaves out the contestants whose servers are not here, with a word.
func (s *sizes) measuring(ctx context.Context, w io.Writer) (m *measuring, err error) {
	m = &measuring{sizes: *s}
	var needed []string
	for _, c := range contestants() {
		if len(s.Contestants) > 0 && !slices.Contains(s.Contestants, c.name) {
			continue
		}
		if m.contestants = append(m.contestants, c); c.server != "" && !slices.Contains(needed, c.server) {
			needed = append(needed, c.server)
		}
	}
	var missing []string
	if m.servers, missing, err = startServers(ctx, needed); err != nil {
		return nil, err
	}
	for _, line := range missing {
		fmt.Fprintln(w, "bench:", line)
	}
	m.contestants = slices.DeleteFunc(m.contestants, func(c contestant) bool { return c.server != "" && m.servers[c.server] == nil })
	return m, nil
}

// plan returns the cells of the experiments.
func (m *measuring) plan() *harness.Plan {
	p := &harness.Plan{Blocks: m.Blocks, Rounds: 1, Rate: slices.Max(m.Rates), Epoch: m.Calls, Slice: m.Load, Watch: m.Idle, Seed: m.Seed}
	add := func(flag, experiment, name string, turns ...harness.Turn) {
		if len(turns) > 0 && slices.Contains(m.Only, flag) {
			p.Outside = append(p.Outside, harness.Outside{Experiment: experiment, Name: "durable-" + name, Blocks: m.Blocks, Turns: turns})
		}
	}
	for _, n := range m.Held {
		add("calls", callsExperiment, fmt.Sprintf("calls-%d", n), m.turns(m.contestants, "held", n, n, job{Calls: m.Calls})...)
	}
	add("idle", idleExperiment, "idle", m.turns(append(slices.Clip(m.contestants), idleProcess), "held", m.LiveHeld, m.LiveHeld, job{Idle: m.Idle})...)
	for _, rate := range m.Rates {
		add("live", liveExperiment, fmt.Sprintf("live-%d", rate), m.turns(m.contestants, "rate", rate, m.LiveHeld, job{Rate: rate, Load: m.Load})...)
	}
	var polls []harness.Turn
	j := job{Idle: m.Idle, Rate: slices.Min(m.Rates), Load: m.Load}
	for _, c := range m.contestants {
		for _, d := range m.Intervals {
			if c.name == pollName {
				c.every, j.Place.Interval = d, d
				polls = append(polls, m.turn(c, m.LiveHeld, j, params(c.name, "interval", d)))
			}
		}
		if c.name == durablePg {
			polls = append(polls, m.turn(c, m.LiveHeld, j, params(c.name, "", nil)[:1]))
		}
	}
	add("poll", pollExperiment, "poll", polls...)
	return p
}

// params are those of a series.
func params(name, key string, value any) []harness.Param {
	return []harness.Param{{Key: "impl", Value: name}, {Key: key, Value: fmt.Sprint(value)}}
}

// turns are those of all contestants that can hold n timers, by a parameter.
func (m *measuring) turns(all []contestant, key string, value, n int, j job) (turns []harness.Turn) {
	for _, c := range all {
		if c.most == 0 || n <= c.most {
			turns = append(turns, m.turn(c, n, j, params(c.name, key, value)))
		}
	}
	return turns
}

// turn is one of a contestant with n timers held. A quick one minds neither what its contestant looks ahead nor its interval.
func (m *measuring) turn(c contestant, n int, j job, params []harness.Param) harness.Turn {
	if j.Spread = max(m.Load, time.Second); m.Quick {
		j.Spread, c.every, c.ahead = m.Load, 0, 0
	}
	j.Contestant, j.Run, j.Patience, j.Least, j.Spread = c.name, true, latest, c.ahead+least, max(j.Spread, c.every)
	about := 500*time.Millisecond + time.Duration(n)*10*time.Microsecond + 4*j.Calls
	if j.Idle > 0 {
		j.Idle = max(j.Idle, c.every)
	}
	if j.Rate > 0 {
		about += j.Load + j.Least + j.Spread + c.every
	}
	return harness.Turn{Params: params, Time: about + j.Idle, Take: func(ctx context.Context, _ int, r *rand.Rand) (harness.Taken, error) {
		j := j
		j.Seed = r.Uint64()
		return m.take(ctx, c, n, j)
	}}
}

// take measures a contestant once. What outlives a process another one holds, which is killed then.
func (m *measuring) take(ctx context.Context, c contestant, n int, j job) (taken harness.Taken, err error) {
	var bytes float64
	var s *site
	switch {
	case c.name == idleProcess.name:
	case c.memory:
		j.Hold = n
	default:
		if s, err = newSite(m.servers[c.server], c.server, m.Scratch); err != nil {
			return taken, err
		}
		defer func() { err = errors.Join(err, s.remove()) }()
		s.Interval, j.Server = j.Place.Interval, m.servers[c.server]
		j.Place = s.place
		if bytes, err = s.fill(ctx, n, j); err != nil {
			return taken, err
		}
	}
	a, err := j.run(ctx)
	if err != nil {
		return taken, err
	}
	if bytes > 0 && j.Calls > 0 {
		a.Values[BytesPerTimer] = bytes / float64(n)
	}
	if c.early && a.Outcome != nil {
		a.Values[harness.EarlyByMake], a.Values[harness.Early] = float64(a.Outcome.Early), 0
	}
	return harness.Taken{Iterations: 1, Values: a.Values, Outcome: a.Outcome}, nil
}

// fill has a process hold n timers, and returns how many bytes they take beyond empty tables.
func (s *site) fill(ctx context.Context, n int, j job) (bytes float64, err error) {
	for _, hold := range []int{0, n} {
		if _, err := (job{Contestant: j.Contestant, Place: s.place, Seed: j.Seed, Hold: hold}).run(ctx); err != nil {
			return 0, err
		}
		size, err := s.size()
		if err != nil {
			return 0, err
		}
		bytes = size - bytes
	}
	return bytes, nil
}
