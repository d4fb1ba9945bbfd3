package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
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
	Least    time.Duration // their shortest delay
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

// run starts a process of this program with a job, and kills it when it has answered, as a crash does.
func (j job) run(ctx context.Context) (a answer, err error) {
	program, err := os.Executable()
	if err != nil {
		return a, err
	}
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, program)
	cmd.Env, cmd.Stderr = append(os.Environ(), jobEnv+"=1"), &said
	in, inErr := cmd.StdinPipe()
	out, outErr := cmd.StdoutPipe()
	j.Began = time.Now().UnixNano()
	if err := errors.Join(inErr, outErr, cmd.Start()); err != nil {
		return a, err
	}
	err = errors.Join(json.NewEncoder(in).Encode(j), json.NewDecoder(out).Decode(&a))
	_ = cmd.Process.Kill()
	_ = cmd.Wait() // says that it was killed
	switch {
	case ctx.Err() != nil: // what is interrupted fails in many ways
		return a, ctx.Err()
	case err != nil:
		return a, fmt.Errorf("%s: the process ended before it answered: %s", j.Contestant, bytes.TrimSpace(said.Bytes()))
	case a.Wrong != "":
		return a, fmt.Errorf("%s: %s", j.Contestant, a.Wrong)
	}
	return a, nil
}

// obey does the job that the process was started for, and waits until it is killed or alone.
func obey(in io.Reader, out io.Writer) error {
	var j job
	d := json.NewDecoder(in)
	if err := d.Decode(&j); err != nil {
		return err
	}
	var a answer
	if w, err := j.do(context.Background()); err != nil {
		a.Wrong = err.Error()
	} else {
		a = w.answer
	}
	err := json.NewEncoder(out).Encode(a)
	_, _ = io.Copy(io.Discard, in)
	return err
}
