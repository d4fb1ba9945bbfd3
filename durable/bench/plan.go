package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/internal/check"
)

// sizes say how much is measured: flags of the command.
type sizes struct {
	Contestants []string        `help:"Contestants: ${enum}." enum:"durable-sqlite,durable-sqlite-full,durable-postgres,durable-postgres-async,hierwheel,river,asynq" default:"durable-sqlite,durable-sqlite-full,durable-postgres,durable-postgres-async,hierwheel,river,asynq" placeholder:"NAME"`
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

// Validate returns an error with all that is wrong.
func (s *sizes) Validate() error {
	if s.Quick {
		s.Held, s.LiveHeld, s.Rates, s.Intervals = []int{100}, 100, []int{200}, []time.Duration{50 * time.Millisecond}
		s.Calls, s.Idle, s.Load, s.Blocks = 10*time.Millisecond, 50*time.Millisecond, 100*time.Millisecond, 1
	}
	const ms, bounds = time.Millisecond, " %v, want %v to %v"
	return errors.Join(
		check.Within("--held"+bounds, 1, many, s.Held...),
		check.Within("--live-held"+bounds, 1, many, s.LiveHeld),
		check.Within("--rates"+bounds, 1, 100_000, s.Rates...),
		check.Within("--load"+bounds, 10*ms, time.Hour, s.Load),
		check.Within("--intervals"+bounds, ms, time.Minute, s.Intervals...),
		check.Within("--calls"+bounds, ms, time.Minute, s.Calls),
		check.Within("--idle"+bounds, ms, time.Minute, s.Idle),
		check.Within("--blocks"+bounds, 1, 1000, s.Blocks))
}

type measuring struct {
	sizes
	contestants []contestant
	servers     servers
}

// measuring starts the servers that are needed, or finds those of the run. It says which contestants are left out without.
func (s *sizes) measuring(w io.Writer) (*measuring, error) {
	m := &measuring{sizes: *s, servers: servers{}}
	given := os.Getenv(serversEnv)
	if given != "" {
		if err := json.Unmarshal([]byte(given), &m.servers); err != nil {
			return m, err
		}
	}
	for _, c := range contestants() {
		if !slices.Contains(s.Contestants, c.name) && c.most > 0 {
			continue
		}
		if given != "" && c.server != "" && m.servers[c.server] == nil {
			continue // the run has said so
		}
		if err := m.servers.need(c.server); err != nil {
			fmt.Fprintf(w, "bench: %s is left out: no %s (%v)\n", c.name, c.server, err)
			continue
		}
		m.contestants = append(m.contestants, c)
	}
	told, err := json.Marshal(m.servers)
	return m, errors.Join(err, os.Setenv(serversEnv, string(told)))
}

func (m *measuring) plan() *harness.Plan {
	p := &harness.Plan{Blocks: m.Blocks, Rounds: 1, Rate: slices.Max(m.Rates), Epoch: m.Calls, Slice: m.Load, Watch: m.Idle, Seed: m.Seed}
	add := func(flag, experiment, name string, turns ...harness.Participant) {
		if len(turns) > 0 && slices.Contains(m.Only, flag) {
			p.Custom = append(p.Custom, harness.CustomCell{Experiment: experiment, Name: "durable-" + name, Blocks: m.Blocks, Participants: turns})
		}
	}
	for _, n := range m.Held {
		add("calls", callsExperiment, fmt.Sprintf("calls-%d", n), m.turns("held", n, n, job{Calls: m.Calls})...)
	}
	add("idle", idleExperiment, "idle", m.turns("held", m.LiveHeld, m.LiveHeld, job{Idle: m.Idle})...)
	for _, rate := range m.Rates {
		add("live", liveExperiment, fmt.Sprintf("live-%d", rate), m.turns("rate", rate, m.LiveHeld, job{Rate: rate})...)
	}
	var polls []harness.Participant
	j := job{Idle: m.Idle, Rate: slices.Min(m.Rates)}
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

func params(name, key string, value any) []rundata.Param {
	return []rundata.Param{{Key: "impl", Value: name}, {Key: key, Value: fmt.Sprint(value)}}
}

// turns are those of all contestants that can hold n timers, by a parameter.
func (m *measuring) turns(key string, value, n int, j job) (turns []harness.Participant) {
	for _, c := range m.contestants {
		if n <= c.most || c.most == 0 && j.Idle > 0 {
			turns = append(turns, m.turn(c, n, j, params(c.name, key, value)))
		}
	}
	return turns
}

// turn is one of a contestant with n timers held. A quick one minds neither what its contestant looks ahead nor its interval.
func (m *measuring) turn(c contestant, n int, j job, params []rundata.Param) harness.Participant {
	if m.Quick {
		c.every, c.ahead = 0, 0
	}
	if j.Contestant, j.Run = c.name, true; j.Idle > 0 {
		j.Idle = max(j.Idle, c.every)
	}
	if j.Rate > 0 {
		j.Load, j.Least, j.Spread = m.Load, c.ahead+least, max(m.Load, c.every)
	}
	about := time.Second/2 + time.Duration(n)*10*time.Microsecond + 4*j.Calls + j.Idle + j.Load + j.Least + 2*j.Spread
	return harness.Participant{Params: params, Time: about, Take: func(ctx context.Context, _ int, r *rand.Rand) (harness.Sample, error) {
		return m.take(ctx, c, n, j, r.Uint64())
	}}
}

// take measures a contestant once. What outlives a process another one holds, which is killed then.
func (m *measuring) take(ctx context.Context, c contestant, n int, j job, seed uint64) (taken harness.Sample, err error) {
	var bytes float64
	if j.Seed = seed; c.memory {
		j.Hold = min(n, c.most)
	} else {
		s, wrong := newSite(m.servers[c.server], c.server, m.Scratch)
		if wrong != nil {
			return taken, wrong
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
		a.Values[rundata.EarlyByDesign], a.Values[rundata.Early] = float64(a.Outcome.Early), 0
	}
	return harness.Sample{Iterations: 1, Values: a.Values, Outcome: a.Outcome}, nil
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
