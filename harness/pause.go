package harness

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"time"
)

const (
	// stoppedFor is how long a process is stopped, and stopAfter how long after
	// its timers have been scheduled.
	stoppedFor = 500 * time.Millisecond
	stopAfter  = 300 * time.Millisecond
	// pauseEvery is the time from one deadline to the next, and pauseSpan that
	// from the first to the last: well before the stop to well after it.
	pauseEvery = time.Millisecond
	pauseSpan  = 1500 * time.Millisecond
	pauseLead  = 50 * time.Millisecond
)

// PauseChild makes the command of a process that calls RunPaused for the
// contestant of a name, and writes nothing else to its standard output.
type PauseChild func(ctx context.Context, contestant string) *exec.Cmd

// pauseCells returns the cell of processes that are stopped for a while, and
// none where the system cannot do that or nobody says how to start them.
func (p *Plan) pauseCells() []Cell {
	runners := p.pausees()
	if p.Child == nil || !CanPause() || len(runners) == 0 {
		return nil
	}
	return []Cell{{
		Experiment: Pause,
		Name:       "pause",
		Time:       time.Duration(len(runners)*p.LiveRounds) * (pauseLead + pauseSpan + 100*time.Millisecond),
		run:        func(s *session) ([]*Series, error) { return s.pause(runners) },
	}}
}

// pausees returns who is stopped: it is the driver that is asked about, so one
// wheel and a heap stand for all, beside presets and time.AfterFunc.
func (p *Plan) pausees() []runner {
	who := append(p.sleepers(), p.presets()...)
	return slices.DeleteFunc(p.tickless(), func(r runner) bool {
		return !slices.ContainsFunc(who, func(c Contestant) bool { return c.Name == r.Name })
	})
}

// pause runs the cell of stopped processes.
func (s *session) pause(runners []runner) ([]*Series, error) {
	var entrants []*entrant
	for _, r := range runners {
		series := &Series{Experiment: Pause, Params: []Param{
			{"impl", r.Name}, {"waking", r.waking}, {"stopped", stoppedFor.String()}}}
		entrants = append(entrants, &entrant{series: series, turn: func() (int, map[string]float64, error) {
			values, err := s.pauseTurn(r.Name)
			if err != nil {
				return 0, nil, fmt.Errorf("%s: %w", series.Name(), err)
			}
			return int(values[Fired] + values[Lost]), values, nil
		}})
	}
	return interleave(s, s.plan.LiveRounds, entrants)
}

// pauseTurn starts a process, stops it when its timers have been scheduled, lets
// it go on, and returns what it tells.
func (s *session) pauseTurn(contestant string) (map[string]float64, error) {
	ctx, cancel := context.WithTimeout(s.ctx, time.Minute)
	defer cancel()
	cmd := s.plan.Child(ctx, contestant)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	values, err := watchPaused(bufio.NewReader(out), func() error { return stopAndContinue(cmd.Process, stoppedFor) })
	if err != nil {
		cancel()
		_ = cmd.Wait() // it was killed
		return nil, err
	}
	return values, cmd.Wait()
}

// readyLine is what the process writes when its timers have been scheduled.
const readyLine = "ready\n"

// watchPaused follows what a process writes, and has it stopped in between.
func watchPaused(out *bufio.Reader, stop func() error) (values map[string]float64, err error) {
	line, err := out.ReadString('\n')
	if line != readyLine {
		return nil, fmt.Errorf("the process to be stopped wrote %q and not that it is ready: %v", line, err)
	}
	time.Sleep(stopAfter)
	if err := stop(); err != nil {
		return nil, err
	}
	if err := json.NewDecoder(out).Decode(&values); err != nil {
		return nil, fmt.Errorf("the process that was stopped: %w", err)
	}
	return values, nil
}

// RunPaused is what the process of a PauseChild does: it schedules timers, says
// so, and when they have fired it writes what became of them.
func RunPaused(w io.Writer, c Contestant) error {
	p := pausee{c: c, v: newVolley(int(pauseSpan / pauseEvery))}
	for i := range p.v.deadline {
		p.v.deadline[i] = pauseLead + time.Duration(i)*pauseEvery
	}
	values, err := p.run(w)
	if err != nil {
		return err
	}
	return json.NewEncoder(w).Encode(values)
}
