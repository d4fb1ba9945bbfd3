package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"schedbench/catalog"
	"schedbench/harness"
	"schedbench/harness/blocks"
	"schedbench/harness/rundata"
	"schedbench/internal/check"
	"schedbench/internal/lists"
	"schedbench/internal/report"
	"schedbench/internal/words"
)

const experiment = "Metal" // the first part of the names of series

var geometry = harness.Geometry{Tick: tick, Horizon: instant(horizon)}

// sizes say what is measured: flags of the command.
type sizes struct {
	Contestants []string `help:"Schedulers. Those with one level of slots are measured beside a hashed wheel in C with as many, all others beside a hierarchical one." default:"hierwheel" placeholder:"NAME"`
	Pending     []int    `help:"Numbers of timers." default:"1000,100000,1000000" placeholder:"N"`
	Blocks      int      `help:"Blocks of each, each a process of its own." default:"7" placeholder:"N"`
	Seed        uint64   `help:"Seed of all randomness." default:"1"`
	Quick       bool     `help:"Tiny sizes, to see that it works. Other sizes are ignored."`
}

// Validate returns an error with what is wrong.
func (s *sizes) Validate() error {
	const mostPending, mostBlocks, bounds = 10_000_000, 1000, " %d, want %d to %d" // beyond which it takes hours
	if _, err := contestants(s.Contestants); err != nil {
		return err
	}
	if s.Quick {
		s.Pending, s.Blocks = []int{100, 1000}, 2
	}
	return errors.Join(
		check.Within("--pending"+bounds, 1, mostPending, s.Pending...),
		check.Within("--blocks"+bounds, 1, mostBlocks, s.Blocks))
}

// contestants returns those that are named: schedulers that insert in less than linear time.
func contestants(names []string) ([]harness.Contestant, error) {
	found, err := catalog.Find(names)
	if err != nil {
		return nil, fmt.Errorf("--contestants: %w", err)
	}
	for _, c := range found {
		if c.New == nil || c.LinearInsert {
			return nil, fmt.Errorf("--contestants: %s is not measured beside C, want a scheduler by itself that inserts in less than linear time", c.Name)
		}
	}
	return found, nil
}

// player does an exercise: a wheel in C, in a process of its own, or a scheduler.
type player struct {
	name string
	do   func(context.Context, exercise) (shown, error)
}

type measuring struct {
	sizes
	players []player
	scratch string // has the programs in C, empty in the process of a block
	by      string // compiler, likewise
}

const programsEnv = "SCHEDBENCH_METAL" // by which the process of a block finds the programs in C

// measuring compiles the wheels, and lets all do the same once. The caller removes scratch at the end.
func (s *sizes) measuring(ctx context.Context) (*measuring, error) {
	m := &measuring{sizes: *s}
	found, err := contestants(s.Contestants) // which Validate has tried
	dir, given := os.LookupEnv(programsEnv)
	if !given {
		cc, err := findCompiler(os.Getenv("CC"), exec.LookPath)
		if err != nil {
			return m, err
		}
		if m.scratch, err = os.MkdirTemp("", "metal"); err != nil {
			return m, err
		}
		dir = m.scratch
		if err := errors.Join(cc.build(ctx, dir), os.Setenv(programsEnv, dir)); err != nil {
			return m, err
		}
		m.by = cc.String()
	}
	for _, c := range found {
		if wheel := inC(c.Name, dir); !slices.ContainsFunc(m.players, func(p player) bool { return p.name == wheel.name }) {
			m.players = append(m.players, wheel)
		}
		m.players = append(m.players, inGo(c))
	}
	for _, op := range operations {
		if !given && err == nil {
			err = agree(ctx, m.players, newExercise(op, 1000, true, s.Seed))
		}
	}
	return m, err
}

// wheelOf returns the wheel in C that a scheduler is measured beside, its slots, and its name in the data.
func wheelOf(scheduler string) (wheel string, slots int, name string) {
	wheel, slots = "hierarchical", catalog.HierSlots
	if scheduler == catalog.Single || scheduler == catalog.Rounds {
		wheel, slots = "hashed", catalog.Fit(scheduler, geometry).RealSlots()
	}
	return wheel, slots, fmt.Sprintf("C-%s-%d", wheel, slots)
}

func inC(scheduler, dir string) player {
	wheel, slots, name := wheelOf(scheduler)
	return player{name, func(ctx context.Context, x exercise) (shown, error) {
		var out bytes.Buffer
		cmd := exec.CommandContext(ctx, program(dir, wheel), append(x.args(), strconv.Itoa(slots))...)
		cmd.Stdout = &out
		if err := blocks.NewProcess(cmd).Run(ctx); err != nil {
			return shown{}, fmt.Errorf("%s, %v: %w", name, x, err)
		}
		s, err := parse(out.String())
		if err != nil {
			err = fmt.Errorf("%s, %v: %w", name, x, err)
		}
		return s, err
	}}
}

func inGo(c harness.Contestant) player {
	return player{c.Name, func(_ context.Context, x exercise) (shown, error) {
		s, err := c.New(geometry)
		if err != nil {
			return shown{}, err
		}
		return play(x, s)
	}}
}

// agree has all players do an exercise, and holds what fired against each other.
func agree(ctx context.Context, players []player, x exercise) error {
	var first shown
	for i, p := range players {
		s, err := p.do(ctx, x)
		if err != nil {
			return err
		}
		if i == 0 {
			first = s
		}
		if s.fired != first.fired || s.sum != first.sum {
			return fmt.Errorf("%v, seed %d: the same timers were to fire in the same ticks: of %s %d with the sum %d, of %s %d with the sum %d", x, x.seed,
				players[0].name, first.fired, first.sum, p.name, s.fired, s.sum)
		}
	}
	return nil
}

func (m *measuring) plan() *harness.Plan {
	p := &harness.Plan{Blocks: m.Blocks, Rounds: 1, Rate: 1, Epoch: time.Second, Slice: time.Second, Watch: time.Second, Seed: m.Seed}
	if m.by != "" {
		p.About = func(*harness.Plan) []rundata.Param { return []rundata.Param{{Key: "c-compiler", Value: m.by}} }
	}
	for _, n := range m.Pending {
		cell := harness.CustomCell{Experiment: experiment, Name: fmt.Sprintf("metal-%d", n), Blocks: m.Blocks}
		for _, one := range m.players {
			cell.Participants = append(cell.Participants, harness.Participant{
				Params: []rundata.Param{{Key: "impl", Value: one.name}, {Key: "pending", Value: strconv.Itoa(n)}},
				Time:   time.Second + time.Duration(n)*2*time.Microsecond,
				Take: func(ctx context.Context, _ int, r *rand.Rand) (harness.Sample, error) {
					seed, values := r.Uint64(), map[string]float64{}
					for _, measure := range measures {
						s, err := one.do(ctx, newExercise(measure.Name, n, m.Quick, seed))
						if err != nil {
							return harness.Sample{}, err
						}
						values[measure.Unit] = s.net
					}
					return harness.Sample{Iterations: 1, Values: values}, nil
				},
			})
		}
		p.Custom = append(p.Custom, cell)
	}
	return p
}

// measures are what is asked: the time of an operation without the loop around it.
var measures = lists.Each(operations, func(op string) report.Measure {
	return report.Measure{Unit: op + "-ns/op", Name: op, Takes: "as long", Format: words.Nanos}
})

// chapters are what is asked of the data: each scheduler beside its wheel in C.
func chapters(data *rundata.Data) []report.Chapter {
	q := report.Chapter{
		Experiment: experiment, Name: "metal",
		Title: "How far from the metal are the schedulers?",
		Subtitle: "Processor time of an operation without the loop around it: pair cancels a timer and schedules another, " +
			"reset moves one, later moves one behind all others, run-out takes out what is due within a minute",
		Against: "pending", Axis: "timers pending", Where: "with %s pending", Measures: measures,
	}
	for _, name := range rundata.Distinct(data.Series, "impl") {
		if _, _, wheel := wheelOf(name); !strings.HasPrefix(name, "C-") {
			q.Pairs = append(q.Pairs, [2]string{name, wheel})
		}
	}
	return []report.Chapter{q}
}
