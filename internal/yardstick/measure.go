package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"schedbench/catalog"
	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/internal/words"
)

// geometry is what schedulers are made for.
var geometry = harness.Geometry{Tick: tick, Horizon: instant(horizon)}

// measureCmd measures.
type measureCmd struct {
	Rounds      int      `default:"7" help:"Fresh processes of each, by turns: at least 2 for an interval (default ${default})."`
	Pending     []int    `default:"1000,100000,1000000" help:"Numbers of timers (default ${default})."`
	Ops         []string `default:"pair,reset,run-out" help:"Operations (default ${default})."`
	Contestants []string `default:"hierwheel" help:"Schedulers (default ${default}). Those with one level of slots are measured beside a hashed wheel in C with as many, all others beside a hierarchical one."`
	Seed        uint64   `default:"1" help:"Of the draws; each round has its own (default ${default})."`
	Quick       bool     `help:"Tiny sizes, to see that it works."`
	Publish     string   `placeholder:"DIR" help:"Write yardstick.bench, and what it comes to into README.md, in a folder of results."`
}

// most timers and rounds, beyond which it takes hours.
const (
	mostPending = 10_000_000
	mostRounds  = 1000
)

func (c *measureCmd) check() error {
	switch {
	case c.Rounds < 1 || c.Rounds > mostRounds:
		return fmt.Errorf("%w: %d rounds, want 1 to %d", errUsage, c.Rounds, mostRounds)
	case len(c.Pending) == 0 || len(c.Ops) == 0 || len(c.Contestants) == 0:
		return fmt.Errorf("%w: nothing to measure", errUsage)
	}
	for _, n := range c.Pending {
		if n < 1 || n > mostPending {
			return fmt.Errorf("%w: %d pending, want 1 to %d", errUsage, n, mostPending)
		}
	}
	for _, op := range c.Ops {
		if known := []string{opPair, opReset, opRunOut}; !slices.Contains(known, op) {
			return fmt.Errorf("%w: operation %q, want some of %s", errUsage, op, words.List(known))
		}
	}
	return nil
}

// contestants returns those that are named: schedulers that insert in less than linear time.
func contestants(names []string) ([]harness.Contestant, error) {
	found, err := catalog.Find(names)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errUsage, err)
	}
	for _, c := range found {
		if c.New == nil || c.LinearInsert {
			return nil, fmt.Errorf("%w: %s is not measured beside C, want a scheduler by itself that inserts in less than linear time", errUsage, c.Name)
		}
	}
	return found, nil
}

// Run builds, measures, and prints.
func (c *measureCmd) Run(t *terminal) error {
	if c.Quick {
		c.Pending = []int{100, 1000}
	}
	if err := c.check(); err != nil {
		return err
	}
	who, err := contestants(c.Contestants)
	if err != nil {
		return err
	}
	if c.Publish != "" { // not only after a minute
		if _, err := os.Stat(filepath.Join(c.Publish, readmeFile)); err != nil {
			return fmt.Errorf("%w: %s is no folder of results: %w", errUsage, c.Publish, err)
		}
	}
	cc, err := findCompiler(os.Getenv("CC"), exec.LookPath)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "yardstick")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := cc.build(t.ctx, dir); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	parties, peers := partiesOf(who, dir, self)
	rows, err := c.measure(t, parties, peers)
	if err != nil {
		return err
	}
	f := findings{rows, c.Rounds, about(cc)}
	if err := f.write(t.out); err != nil || c.Publish == "" {
		return err
	}
	return f.publish(c.Publish)
}

// about says what is measured on, and by which compilers.
func about(cc *compiler) string {
	env := rundata.Conditions(rundata.Environment())
	var parts []string
	for _, key := range []string{"cpu", "kernel", "go-version", "commit"} {
		if env[key] != "" {
			parts = append(parts, strings.TrimSpace(map[string]string{"kernel": "kernel ", "commit": "commit "}[key]+env[key]))
		}
	}
	return strings.Join(append(parts, cc.String()), ", ")
}

// partiesOf returns the wheels in C that contestants are measured beside, and then the
// contestants; and for each of these which wheel that is.
func partiesOf(who []harness.Contestant, dir, self string) (parties []party, peers []int) {
	for _, c := range who {
		peer := peerOf(c.Name, dir)
		at := slices.IndexFunc(parties, func(p party) bool { return p.name == peer.name })
		if at < 0 {
			at, parties = len(parties), append(parties, peer)
		}
		peers = append(peers, at)
	}
	for _, c := range who {
		parties = append(parties, party{name: c.Name, command: []string{self, "play", c.Name}})
	}
	return parties, peers
}

// peerOf returns the wheel in C that a scheduler is measured beside.
func peerOf(scheduler, dir string) party {
	wheel, slots := "hierarchical", catalog.HierSlots
	name := "C, " + wheel
	if scheduler == catalog.Single || scheduler == catalog.Rounds {
		wheel, slots = "hashed", catalog.Fit(scheduler, geometry).RealSlots()
		name = fmt.Sprintf("C, %s, %s", wheel, words.Many(slots, "slot"))
	}
	return party{name: name, command: []string{program(dir, wheel)}, after: []string{fmt.Sprint(slots)}}
}

// measure has all parties do all exercises, round by round. Each is first by turns.
func (c *measureCmd) measure(t *terminal, parties []party, peers []int) (rows []row, err error) {
	try := exercise{op: opMixed, pending: 1000, count: 100_000, laps: 1, seed: c.Seed}
	if _, err := together(t.ctx, parties, try, 0); err != nil {
		return nil, err
	}
	exercises := c.exercises()
	own := parties[len(parties)-len(peers):]
	for i, p := range own {
		for _, x := range exercises {
			rows = append(rows, row{exercise: x, c: parties[peers[i]].name, scheduler: p.name})
		}
	}
	for round := range c.Rounds {
		fmt.Fprintf(t.err, "round %d of %d\n", round+1, c.Rounds)
		for i, x := range exercises {
			x.seed += uint64(round)
			all, err := together(t.ctx, parties, x, round)
			if err != nil {
				return nil, err
			}
			inGo := all[len(parties)-len(own):]
			for j := range own {
				r := &rows[j*len(exercises)+i]
				r.inC, r.inGo = append(r.inC, all[peers[j]]), append(r.inGo, inGo[j])
			}
		}
	}
	return rows, nil
}

// exercises returns what is done in a round.
func (c *measureCmd) exercises() (all []exercise) {
	for _, op := range c.Ops {
		for _, n := range c.Pending {
			x := newExercise(op, n, c.Seed)
			if c.Quick {
				x.laps, x.count = 1, max(x.count/40, 1)
			}
			all = append(all, x)
		}
	}
	return all
}

// playCmd is the process in Go.
type playCmd struct {
	Contestant string `arg:""`
	Op         string `arg:""`
	Pending    int    `arg:""`
	Count      int    `arg:""`
	Laps       int    `arg:""`
	Seed       uint64 `arg:""`
}

// Run does the exercise.
func (c *playCmd) Run(t *terminal) error {
	who, err := contestants([]string{c.Contestant})
	switch {
	case err != nil:
		return err
	case c.Pending < 1 || c.Count < 1:
		return fmt.Errorf("%w: %d pending, %d times, want at least 1", errUsage, c.Pending, c.Count)
	}
	s, err := who[0].New(geometry)
	if err != nil {
		return err
	}
	return play(exercise{c.Op, c.Pending, c.Count, c.Laps, c.Seed}, s, t.out)
}
