package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"

	"schedbench/harness/blocks"
	"schedbench/judge"
)

// party is one of those that do the same exercises: a wheel in C, or a scheduler in Go.
type party struct {
	name string
	// command runs its program, with what comes before the arguments of an exercise, and
	// what comes after.
	command, after []string
}

// shown is what a process showed: nanoseconds of an operation with the loop around it and
// of the loop alone, each the median of laps, and what fired.
type shown struct {
	with, alone float64
	fired, sum  uint64
}

// do does an exercise in a process of its own.
func (p party) do(ctx context.Context, x exercise) (shown, error) {
	args := slices.Concat(p.command[1:], x.args(), p.after)
	out, err := blocks.NewProcess(exec.CommandContext(ctx, p.command[0], args...)).Output(ctx)
	if err != nil {
		return shown{}, fmt.Errorf("%s, %v: %w", p.name, x, err)
	}
	s, err := parse(bytes.NewReader(out))
	if err != nil {
		return s, fmt.Errorf("%s, %v: %w", p.name, x, err)
	}
	return s, nil
}

// parse reads what a process printed.
func parse(r io.Reader) (s shown, err error) {
	var with, alone []float64
	for {
		var kind, first, second string
		n, err := fmt.Fscanln(r, &kind, &first, &second)
		if errors.Is(err, io.EOF) && n == 0 {
			break
		}
		line := strings.Join([]string{kind, first, second}, " ")
		var a, b float64
		switch {
		case err != nil:
			return s, fmt.Errorf("%q cannot be understood: %w", line, err)
		case kind == "lap":
			_, err = fmt.Sscan(first+" "+second, &a, &b)
			with, alone = append(with, a), append(alone, b)
		case kind == "fired":
			_, err = fmt.Sscan(first+" "+second, &s.fired, &s.sum)
		default:
			err = errors.New("want lap or fired")
		}
		if err != nil {
			return s, fmt.Errorf("%q cannot be understood: %w", line, err)
		}
	}
	if len(with) == 0 || s.fired == 0 {
		return s, errors.New("no time or no timer that fired was printed")
	}
	s.with, s.alone = judge.Median(with).Value, judge.Median(alone).Value
	return s, nil
}

// errDiffer means that not all did the same.
var errDiffer = errors.New("the same timers were to fire in the same ticks")

// together has all parties do an exercise, one after the other, beginning with one of them,
// and holds what fired against each other.
func together(ctx context.Context, parties []party, x exercise, first int) ([]shown, error) {
	all := make([]shown, len(parties))
	for i := range parties {
		at := (first + i) % len(parties)
		s, err := parties[at].do(ctx, x)
		if err != nil {
			return nil, err
		}
		all[at] = s
	}
	for i, s := range all[1:] {
		if s.fired != all[0].fired || s.sum != all[0].sum {
			return nil, fmt.Errorf("%v, seed %d: %w: of %s %d with the sum %d, of %s %d with the sum %d", x, x.seed, errDiffer,
				parties[0].name, all[0].fired, all[0].sum, parties[i+1].name, s.fired, s.sum)
		}
	}
	return all, nil
}
