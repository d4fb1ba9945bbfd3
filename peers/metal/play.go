package main

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"schedbench/internal/judge"
	"schedbench/live"
	"schedbench/schedulers"
)

// shown is what a player showed: nanoseconds of an operation without the loop around it (median of laps), and what fired.
type shown struct {
	net        float64
	fired, sum uint64
}

// play does an exercise with a scheduler, as c/main.c does it with a wheel. No collection disturbs it.
func play(x exercise, s schedulers.Scheduler[uint64]) (out shown, err error) {
	live.WithoutGC(func() { out, err = newGoSide(x, s).play() })
	return out, err
}

func (g *goSide) play() (shown, error) {
	if err := g.warmUp(); err != nil {
		return shown{}, err
	}
	var net []float64
	for range g.laps {
		runtime.GC()
		alone, err := g.alone()
		if err != nil {
			return shown{}, err
		}
		with, err := g.lap()
		if err != nil {
			return shown{}, err
		}
		net = append(net, with-alone)
	}
	const steps = 16
	for range steps {
		g.expire(g.now + 2*horizon/steps)
	}
	return shown{judge.Median(net).Value, g.fired, g.sum}, nil
}

func parse(text string) (s shown, err error) {
	var net []float64
	for line := range strings.Lines(text) {
		var with, alone float64
		switch kind, figures, _ := strings.Cut(line, " "); kind {
		case "lap":
			_, err = fmt.Sscanln(figures, &with, &alone)
			net = append(net, with-alone)
		case "fired":
			_, err = fmt.Sscanln(figures, &s.fired, &s.sum)
		default:
			err = errors.New("want lap or fired")
		}
		if err != nil {
			return s, fmt.Errorf("printed %q: %w", strings.TrimSpace(line), err)
		}
	}
	if len(net) == 0 || s.fired == 0 {
		return s, errors.New("printed no time or no timer that fired")
	}
	s.net = judge.Median(net).Value
	return s, nil
}

// warmUp fills what stays filled, and works until what is pending is in no order.
func (g *goSide) warmUp() error {
	if g.op == opRunOut {
		return nil
	}
	for i := range g.ids {
		if err := g.schedule(i, uint64(g.next().ticks)); err != nil {
			return err
		}
	}
	return g.work(2 * g.pending)
}

// alone returns the nanoseconds of the loop around an operation: of the same loop with a scheduler that does nothing.
func (g *goSide) alone() (float64, error) {
	s, reset, now := g.s, g.reset, g.now
	g.s = &hollow{}
	if reset != nil {
		g.reset = &hollow{}
	}
	took, err := g.timed(g.count)
	g.s, g.reset, g.now = s, reset, now
	return g.each(took), err
}

func (g *goSide) lap() (float64, error) {
	if g.op != opRunOut {
		took, err := g.timed(g.count)
		return g.each(took), err
	}
	var took time.Duration
	for range g.count {
		for i := range g.ids {
			if err := g.schedule(i, g.now+1+uint64(g.next().ticks)%minute); err != nil {
				return 0, err
			}
		}
		one, err := g.timed(1)
		if err != nil {
			return 0, err
		}
		took += one
	}
	return g.each(took), nil
}

// each returns the nanoseconds of an operation of those of a lap. Each timer of a run-out is one.
func (g *goSide) each(took time.Duration) float64 {
	operations := g.count
	if g.op == opRunOut {
		operations *= g.pending
	}
	return float64(took) / float64(operations)
}

// timed does the operation count times, and returns its processor time, or the wall time where the system does not say.
func (g *goSide) timed(count int) (time.Duration, error) {
	begin := time.Now()
	before, _ := live.ReadUsage()
	err := g.work(count)
	if after, ok := live.ReadUsage(); ok {
		return after.CPU - before.CPU, err
	}
	return time.Since(begin), err
}
