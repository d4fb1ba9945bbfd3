package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"time"

	"schedbench/catalog"
	"schedbench/harness"
	"schedbench/harness/blocks"
	"schedbench/internal/tune"
	"schedbench/workload"
)

// playedMatch is a match on the command line of a process.
type playedMatch struct {
	// Pricing asks for the workload of prices, and not for that of the command line from Steady on.
	Pricing bool          `json:"pricing,omitempty"`
	Steady  time.Duration `json:"steady,omitempty"`
	Slice   time.Duration `json:"slice"`
	Block   int           `json:"block"`
	// Players are the configurations of the candidates. That of the explained one is empty: the command line has it.
	Players []catalog.Config `json:"players"`
}

// player returns the function that plays a match: a run in a temporary folder, with a process for each candidate.
func (c *tuneCmd) player(con *console) tune.Play {
	return func(ctx context.Context, m tune.Match) ([]tune.Sample, error) {
		sent := playedMatch{Pricing: m.Pricing, Steady: m.Source.Steady, Slice: m.Slice, Block: m.Block}
		for _, one := range m.Candidates {
			cfg := one.Config
			if one.Name != "" {
				cfg = catalog.Config{}
			}
			sent.Players = append(sent.Players, cfg)
		}
		text, err := json.Marshal(sent)
		if err != nil {
			return nil, err
		}
		m, err = c.match(con, sent)
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

// playMatch plays this process's part of a match.
func (c *tuneCmd) playMatch(con *console) error {
	var sent playedMatch
	if err := json.Unmarshal([]byte(c.Match), &sent); err != nil {
		return usageError(fmt.Errorf("--match: %w", err))
	}
	o, ok := blocks.Ordered()
	if !ok {
		return usageError(fmt.Errorf("--match is for processes that tune starts"))
	}
	m, err := c.match(con, sent)
	if err != nil {
		return err
	}
	return cmp.Or(harness.Obey(con.ctx, m.Plan(), o, os.Stdin, os.Stdout), error(answered(0)))
}

// match returns the match of a command line. It is the same for all its processes.
func (c *tuneCmd) match(con *console, sent playedMatch) (m tune.Match, err error) {
	m = tune.Match{Pricing: sent.Pricing, Slice: sent.Slice, Block: sent.Block}
	if sent.Pricing {
		m.Source, err = tune.PricingSource()
	} else {
		m.Source, err = c.longEnough(sent.Steady + sent.Slice + time.Second)
		m.Source.Steady = sent.Steady
	}
	if err != nil {
		return m, err
	}
	for _, cfg := range sent.Players {
		one := &tune.Candidate{Config: cfg}
		if cfg == (catalog.Config{}) {
			if one, err = c.explained(c.requireFlags, con.Contestants); err != nil {
				return m, err
			}
		}
		m.Candidates = append(m.Candidates, one)
	}
	return m, nil
}

// longEnough returns the workload of the command line. It has at least that length, if it is scalable.
func (c *tuneCmd) longEnough(length time.Duration) (workload.Source, error) {
	s, err := c.workload(workload.Options{}, io.Discard)
	if err != nil || !s.Scalable || s.Length >= length {
		return s, err
	}
	return c.workload(workload.Options{For: length}, io.Discard)
}
