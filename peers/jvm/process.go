package jvm

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"schedbench/harness/blocks"
	"schedbench/live"
	"schedbench/workload"
)

// process is the program in Java, with timers of one kind. It implements harness.Process.
type process struct {
	*blocks.Process
	ctx context.Context // of its launch
}

// launch starts the program that was built into a folder. args are the class of its timers and theirs.
func (m machine) launch(ctx context.Context, dir string, args ...string) (*process, error) {
	cmd := exec.CommandContext(ctx, m.java, slices.Concat(options, []string{"-cp", m.classPath(dir), "Player"}, args)...)
	p := &process{blocks.NewProcess(cmd), ctx}
	if err := p.Start(); err != nil {
		return nil, err
	}
	if err := p.answer("ready"); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// Close implements harness.Process: the program ends when its input does.
func (p *process) Close() error {
	_ = p.In.Close() // an error says that it has ended already
	return p.Wait(p.ctx)
}

// answer reads the answer to a command, whose figures go to values.
func (p *process) answer(word string, values ...any) error {
	got, rest, err := p.said()
	if err == nil && got != word {
		err = fmt.Errorf("the process in Java said %q where it was to say %q", got+" "+rest, word)
	}
	if err == nil && len(values) > 0 {
		_, err = fmt.Sscan(rest, values...)
	}
	return err
}

// said reads a line: its first word, and the rest.
func (p *process) said() (word, rest string, err error) {
	line, err := p.Out.ReadString('\n')
	if err != nil {
		return "", "", fmt.Errorf("the process in Java said nothing more: %w", err)
	}
	word, rest, _ = strings.Cut(strings.TrimSpace(line), " ")
	return word, rest, nil
}

func (p *process) ask(word string, args []any, values ...any) error {
	if _, err := fmt.Fprintln(p.In, append([]any{word}, args...)...); err != nil {
		return err
	}
	return p.answer(word, values...)
}

func (p *process) Warm(_ context.Context, ops int) error { return p.ask("warm", []any{ops}) }

func (p *process) Fill(_ context.Context, n int, further time.Duration, seed uint64) error {
	return p.ask("fill", []any{n, int64(further), int64(seed)})
}

func (p *process) Replace(_ context.Context, ops int, seed uint64) (took time.Duration, wrong int, err error) {
	err = p.ask("replace", []any{ops, int64(seed)}, (*int64)(&took), &wrong)
	return took, wrong, err
}

func (p *process) Flood(_ context.Context, ops int, ahead, delay time.Duration) (late, took time.Duration, err error) {
	err = p.ask("flood", []any{ops, int64(ahead), int64(delay)}, (*int64)(&late), (*int64)(&took))
	return late, took, err
}

func (p *process) Bytes(context.Context) (heap float64, collection time.Duration, err error) {
	err = p.ask("bytes", nil, &heap, (*int64)(&collection))
	return heap, collection, err
}

func (p *process) Usage() (live.Usage, bool) { return live.ReadUsageOf(p.Cmd.Process.Pid) }

func (p *process) Play(_ context.Context, s *live.Slice, o live.Options) (*live.Outcome, error) {
	if err := p.hand(s, o); err != nil {
		return nil, err
	}
	used, err := p.watch()
	if err != nil {
		return nil, err
	}
	if _, err := fmt.Fprintln(p.In, "tell"); err != nil {
		return nil, err
	}
	out, err := p.outcome(s)
	if err != nil {
		return nil, err
	}
	out.Took, out.CPU, out.PlayerCPU, out.Metered = used.Took, used.CPU, used.PlayerCPU, used.Metered
	return out, nil
}

// watch measures what the process uses from the start of a slice to its end. It plays a slice again that fell behind.
func (p *process) watch() (used live.Outcome, err error) {
	var before live.Usage
	var began time.Time
	for {
		word, rest, err := p.said()
		if err != nil {
			return used, err
		}
		var ns int64
		if _, err := fmt.Sscan(rest, &ns); err != nil || word != "armed" && (word != "played" || began.IsZero()) {
			return used, fmt.Errorf("the process in Java said %q where it was to play: %v", word+" "+rest, err)
		}
		if word == "played" {
			after, _ := p.Usage()
			used.Took, used.PlayerCPU = time.Since(began), time.Duration(ns)
			used.CPU = max(after.CPU-before.CPU-used.PlayerCPU, 0)
			return used, nil
		}
		time.Sleep(time.Duration(ns))
		before, used.Metered = p.Usage()
		began = time.Now()
	}
}

func (p *process) hand(s *live.Slice, o live.Options) error {
	flag := map[bool]int{true: 1}
	w := bufio.NewWriterSize(p.In, 1<<16)
	fmt.Fprintln(w, "play", int64(s.Length), int64(o.Patience+patience), flag[o.ToTheLast], flag[s.Punctual], flag[o.Armed != nil], len(s.Pending), s.Timers)
	for _, d := range s.Pending {
		fmt.Fprintln(w, 0, int64(d))
	}
	for i, op := range s.Ops {
		if op.Kind != workload.Schedule || int(op.Timer) != len(s.Pending)+i {
			return fmt.Errorf("an operation other than to arm the next timer: %w", errors.ErrUnsupported)
		}
		fmt.Fprintln(w, int64(op.At), int64(op.Deadline))
	}
	return w.Flush()
}

const patience = time.Second // how long a process waits for timers at least

// outcome reads when timers fired, and checks it.
func (p *process) outcome(s *live.Slice) (*live.Outcome, error) {
	var n, punctual int
	if err := p.answer("fired", &n, &punctual); err != nil {
		return nil, err
	}
	fired := make([]live.Firing, n)
	for i := range fired {
		if _, err := fmt.Fscanln(p.Out, &fired[i].Timer, (*int64)(&fired[i].At)); err != nil {
			return nil, fmt.Errorf("the firings of the process in Java: %w", err)
		}
		if t := fired[i].Timer; t < 0 || int(t) >= s.Timers {
			return nil, fmt.Errorf("the process in Java said that timer %d fired, of %d", t, s.Timers)
		}
	}
	out := live.OutcomeOf(s, fired)
	for range punctual {
		var late int64
		if _, err := fmt.Fscanln(p.Out, &late); err != nil {
			return nil, fmt.Errorf("the armings of the process in Java: %w", err)
		}
		out.HandedLate = append(out.HandedLate, time.Duration(late))
	}
	return out, nil
}
