package price

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

// job is what a process is to do.
type job struct {
	Do        string
	Keeper    Keeper
	Held      int
	Dir       string // where timers are kept
	URL       string // of the servers that keep them, if they are elsewhere,
	Processes []int  // and what these are
	Lead      time.Duration
	Seed      uint64
	Began     int64 // when the process was started, on the clock of the system

	Calls               time.Duration   // for how long calls are made
	Idle                time.Duration   // for how long nothing is due
	Arrivals, Deadlines []time.Duration // of timers that fire
	Server              int             // which one of a cluster it is to be
	Routes              []int           // the ports at which the servers find each other
}

// What processes do.
const (
	doFill   = "fill"   // hold timers in a new folder, and be killed
	doClose  = "close"  // open a folder, and close it in order
	doReady  = "ready"  // open a folder
	doHeld   = "held"   // open a folder, and make calls
	doLive   = "live"   // open a folder, wait, and fire timers
	doChange = "change" // keep timers, say so, and fire them while the servers change
	doServer = "server" // be one server of a cluster
)

// answer is what a process says when it has done its job.
type answer struct {
	Iterations int
	Values     map[string]float64
	Outcome    *live.Outcome `json:",omitempty"`
	URL        string        `json:",omitempty"` // of a server
	Zero       int64         `json:",omitempty"` // the instant from which deadlines count, on the clock of the system
	Wrong      string        `json:",omitempty"` // why it failed
}

// childEnv marks the processes that are started to do a job.
const childEnv = "SCHEDBENCH_DURABLE_JOB"

// IsChild reports whether the process was started to do a job of this package: the program is
// to call Child, and nothing else.
func IsChild() bool { return os.Getenv(childEnv) != "" }

// child is a process that does a job.
type child struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	said strings.Builder // to its standard error
}

// start starts a process with a job.
func (m *measuring) start(ctx context.Context, j job) (*child, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := &child{cmd: exec.CommandContext(ctx, program)}
	c.cmd.Env = append(os.Environ(), childEnv+"=1")
	c.cmd.Stderr = &c.said
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.out = bufio.NewReaderSize(out, 1<<16)
	j.Lead, j.Began = m.Lead, time.Now().UnixNano()
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	if err := json.NewEncoder(c.in).Encode(j); err != nil {
		return nil, errors.Join(err, c.kill())
	}
	return c, nil
}

// answer waits until the process has done its job.
func (c *child) answer() (*answer, error) {
	line, err := c.out.ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("the process ended before it answered: %s", strings.TrimSpace(c.said.String()))
	}
	a := &answer{}
	if err := json.Unmarshal(line, a); err != nil {
		return nil, err
	}
	if a.Wrong != "" {
		return nil, errors.New(a.Wrong)
	}
	return a, nil
}

// kill ends the process as a crash does: it gets no chance to put anything in order.
func (c *child) kill() error {
	if err := c.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	_ = c.cmd.Wait() // which says that it was killed
	return nil
}

// run starts a process, waits for its answer, and kills it.
func (m *measuring) run(ctx context.Context, j job) (*answer, error) {
	c, err := m.start(ctx, j)
	if err != nil {
		return nil, err
	}
	a, err := c.answer()
	err = errors.Join(err, c.kill())
	if err != nil {
		return nil, fmt.Errorf("%s, %s: %w", j.Keeper.name(), j.Do, err)
	}
	return a, nil
}

// Child does the job that the process was started for, and returns when whoever started it has
// no more use for it. Most are killed before.
func Child(in io.Reader, out io.Writer) error {
	r := bufio.NewReader(in)
	line, err := r.ReadBytes('\n')
	if err != nil {
		return err
	}
	var j job
	if err := json.Unmarshal(line, &j); err != nil {
		return err
	}
	w := &worker{job: j, requests: r}
	err = w.work(func(a *answer) error { return json.NewEncoder(out).Encode(a) })
	if err != nil {
		return json.NewEncoder(out).Encode(answer{Wrong: err.Error()})
	}
	_, err = io.Copy(io.Discard, r) // until the other side is gone
	return err
}
