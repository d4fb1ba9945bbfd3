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
	Began      int64         // when the process was started, on the clock of the system
	Hold       int           // hold so many timers that are far away
	Run        bool          // run what is due
	Calls      time.Duration // make calls of each kind for so long
	Idle       time.Duration // do nothing for so long
	Rate       int           // so many timers a second arrive for Load, and fire
	Load       time.Duration
	Least      time.Duration // their shortest delay
	Spread     time.Duration // by how much their delays differ
}

type answer struct {
	Values  map[string]float64
	Outcome *live.Outcome `json:",omitempty"`
}

const jobEnv = "SCHEDBENCH_DURABLE_JOB" // marks the processes that are started to do a job

// run starts a process of this program with a job, and kills it when it has answered, as a crash does.
func (j job) run(ctx context.Context) (a answer, err error) {
	var said bytes.Buffer
	program, programErr := os.Executable()
	cmd := exec.CommandContext(ctx, program)
	cmd.Env, cmd.Stderr = append(os.Environ(), jobEnv+"=1"), &said
	in, inErr := cmd.StdinPipe()
	out, outErr := cmd.StdoutPipe()
	j.Began = time.Now().UnixNano()
	if err := errors.Join(programErr, inErr, outErr, cmd.Start()); err != nil {
		return a, err
	}
	err = errors.Join(json.NewEncoder(in).Encode(j), json.NewDecoder(out).Decode(&a))
	_ = cmd.Process.Kill()
	_ = cmd.Wait()        // says that it was killed
	if ctx.Err() != nil { // what is interrupted fails in many ways
		return a, ctx.Err()
	} else if err != nil {
		err = fmt.Errorf("%s: %w: %s", j.Contestant, err, bytes.TrimSpace(said.Bytes()))
	}
	return a, err
}

// obey does the job that the process was started for, and waits until it is killed or alone.
func obey(in io.Reader, out io.Writer) error {
	var j job
	if err := json.NewDecoder(in).Decode(&j); err != nil {
		return err
	}
	w, err := j.do(context.Background())
	if err == nil {
		err = json.NewEncoder(out).Encode(w.answer)
	}
	if err == nil {
		_, err = io.Copy(io.Discard, in)
	}
	return err
}
