package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"time"

	"schedbench/catalog"
	"schedbench/harness"
	"schedbench/harness/blocks"
	"schedbench/tune"
	"schedbench/workload"
)

// playedMatch is a match as it is told to a process that plays in it.
type playedMatch struct {
	// Pricing asks for the workload of prices in place of the one of the command line, which is long enough for
	// the match, and from Steady on.
	Pricing bool          `json:"pricing,omitempty"`
	Steady  time.Duration `json:"steady,omitempty"`
	Slice   time.Duration `json:"slice"`
	Block   int           `json:"block"`
	// Players are the candidates: by name what the command line explains, by configuration all others.
	Players []matchPlayer `json:"players"`
}

type matchPlayer struct {
	Name   string         `json:"name,omitempty"`
	Config catalog.Config `json:"config,omitzero"`
}

// player returns what plays a match: a run of the harness in a folder that goes with it, with a process for
// each candidate.
func (c *tuneCmd) player(con *console) tune.Play {
	return func(ctx context.Context, m tune.Match) ([]tune.Sample, error) {
		told := playedMatch{Pricing: m.Pricing, Steady: m.Source.Steady, Slice: m.Slice, Block: m.Block}
		for _, one := range m.Candidates {
			p := matchPlayer{Name: one.Name, Config: one.Config}
			if one.Name != "" {
				p.Config = catalog.Config{} // the command line says it
			}
			told.Players = append(told.Players, p)
		}
		text, err := json.Marshal(told)
		if err != nil {
			return nil, err
		}
		m, err = c.match(con, told)
		if err != nil {
			return nil, err
		}
		dir, err := os.MkdirTemp("", "tune-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		plan := m.Plan()
		if con.processes {
			args := append(slices.Clone(con.args), "--match", string(text))
			plan.Start = func(ctx context.Context, o blocks.Order) *exec.Cmd { return blocks.Command(ctx, o, args...) }
		}
		data, err := harness.Run(ctx, plan, dir, nil, nil)
		if err != nil {
			return nil, err
		}
		return m.Samples(data)
	}
}

// playMatch does what an order of a match asks this process to.
func (c *tuneCmd) playMatch(con *console) error {
	var told playedMatch
	if err := json.Unmarshal([]byte(c.Match), &told); err != nil {
		return usageError(fmt.Errorf("--match: %w", err))
	}
	o, ok := blocks.Ordered()
	if !ok {
		return usageError(fmt.Errorf("--match is for processes that tune starts"))
	}
	m, err := c.match(con, told)
	if err != nil {
		return err
	}
	return cmp.Or(harness.Obey(con.ctx, m.Plan(), o, os.Stdin, os.Stdout), error(answered(0)))
}

// match returns the match that a process is told of: the same in each.
func (c *tuneCmd) match(con *console, told playedMatch) (m tune.Match, err error) {
	m = tune.Match{Pricing: told.Pricing, Slice: told.Slice, Block: told.Block}
	if told.Pricing {
		m.Source, err = tune.PricingSource()
	} else {
		m.Source, err = c.longEnough(told.Steady + told.Slice + time.Second)
		m.Source.Steady = told.Steady
	}
	if err != nil {
		return m, err
	}
	for _, p := range told.Players {
		one := &tune.Candidate{Config: p.Config}
		if p.Name != "" {
			if one, err = c.explained(c.requireFlags, con.own); err != nil {
				return m, err
			}
		}
		m.Candidates = append(m.Candidates, one)
	}
	return m, nil
}

// longEnough returns the workload of the command line, with that length at least, if it can be made longer.
func (c *tuneCmd) longEnough(length time.Duration) (workload.Source, error) {
	s, err := c.workload(workload.Options{}, func(string) {})
	if err != nil || !s.Scalable || s.Length >= length {
		return s, err
	}
	return c.workload(workload.Options{For: length}, func(string) {})
}
