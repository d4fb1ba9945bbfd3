package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"schedbench/live"
)

// job is what a process is to do: open a contestant, and what else is set, in this order.
type job struct {
	Contestant string
	Place      place
	Server     *server // that it needs, nil without
	Seed       uint64
	Began      int64 // when the process was started, on the clock of the system

	Hold     int           // hold so many timers that are far away
	Run      bool          // run what is due
	Calls    time.Duration // make calls of each kind for so long
	Idle     time.Duration // do nothing for so long
	Rate     int           // so many timers a second arrive for Load, and fire
	Load     time.Duration
	Spread   time.Duration // by how much their delays differ
	Patience time.Duration // how long they may be late
}

// answer is what a process says when it has done its job.
type answer struct {
	Values  map[string]float64
	Outcome *live.Outcome `json:",omitempty"`
	Wrong   string        `json:",omitempty"` // why it failed
}

// jobEnv marks the processes that are started to do a job.
const jobEnv = "SCHEDBENCH_DURABLE_JOB"

// run starts a process of this program with a job, and kills it when it has answered, as a crash
// does.
func (j job) run(ctx context.Context) (a *answer, err error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	defer func() {
		if ctx.Err() != nil { // what is interrupted fails in many ways
			err = ctx.Err()
		} else if err != nil {
			err = fmt.Errorf("%s: %w", j.Contestant, err)
		}
	}()
	var said strings.Builder
	cmd := exec.CommandContext(ctx, program)
	cmd.Env, cmd.Stderr = append(os.Environ(), jobEnv+"=1"), &said
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	j.Began = time.Now().UnixNano()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // says that it was killed
	}()
	if err := json.NewEncoder(in).Encode(j); err != nil {
		return nil, err
	}
	line, err := bufio.NewReaderSize(out, 1<<16).ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("the process ended before it answered: %s", strings.TrimSpace(said.String()))
	}
	a = &answer{}
	if err := json.Unmarshal(line, a); err != nil {
		return nil, err
	}
	if a.Wrong != "" {
		return nil, errors.New(a.Wrong)
	}
	return a, nil
}

// obey does the job that the process was started for, and returns when the other side is gone. Most
// are killed before.
func obey(in io.Reader, out io.Writer) error {
	r := bufio.NewReader(in)
	line, err := r.ReadBytes('\n')
	if err != nil {
		return err
	}
	var j job
	if err := json.Unmarshal(line, &j); err != nil {
		return err
	}
	a := &answer{}
	if w, err := j.do(context.Background()); err != nil {
		a.Wrong = err.Error()
	} else {
		a = &w.answer
	}
	if err := json.NewEncoder(out).Encode(a); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, r)
	return err
}
