package harness

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"schedbench/live"
)

// Order is what a process is to measure, and where it writes that. Each block is a process of its own:
// where the system has put its memory, and the linker and the loader its code, is the same for all
// that one process measures, and another in the next. See docs/decisions/0033.
type Order struct {
	// Plan is the fingerprint of the plan that the cells are of.
	Plan string `json:"plan"`
	// Cells name the cells, and Block is the number of the block.
	Cells []string `json:"cells,omitempty"`
	Block int      `json:"block"`
	// Dir is the folder for the data, and Name the name of the file there.
	Dir  string `json:"dir,omitempty"`
	Name string `json:"name,omitempty"`
	// Participant is one more than the place of the only one in the cell to measure, beside
	// others in processes of their own; 0 is all of them, by turns.
	Participant int `json:"participant,omitempty"`
	// Experiment and Contestant are set for a process that a turn starts: what it does is the
	// experiment's.
	Experiment string `json:"experiment,omitempty"`
	Contestant string `json:"contestant,omitempty"`
	// Steady says from when on the workloads of the plan are steady, which takes long to find out.
	Steady map[string]time.Duration `json:"steady,omitempty"`
	// GaveUp has, for each workload, who gave up on it in an earlier block, and would again.
	GaveUp map[string][]string `json:"gave-up,omitempty"`
	// Env is the description of the run.
	Env []Param `json:"env,omitempty"`
}

// Starter makes the command of a process that builds the same plan and calls Obey with an order.
type Starter func(context.Context, Order) *exec.Cmd

// orderEnv is the variable by which a process gets its order.
const orderEnv = "SCHEDBENCH_ORDER"

// Ordered returns the order that this process was started with, if it was.
func Ordered() (o Order, ok bool) {
	text, ok := os.LookupEnv(orderEnv)
	return o, ok && json.Unmarshal([]byte(text), &o) == nil
}

// Command returns the command of this program, with the same arguments, for an order.
func Command(ctx context.Context, o Order, args ...string) *exec.Cmd {
	program, err := os.Executable()
	if err != nil {
		program = os.Args[0]
	}
	cmd := exec.CommandContext(ctx, program, args...)
	text, _ := json.Marshal(o) // strings and numbers
	// What the runtime gives back stays mapped until the system wants it: the first touch of a page
	// costs more than most operations, and no scheduler asks for it.
	godebug := strings.TrimPrefix(os.Getenv("GODEBUG")+",madvdontneed=0", ",")
	cmd.Env = append(os.Environ(), orderEnv+"="+string(text), "GODEBUG="+godebug)
	return cmd
}

// Obey does what an order asks for. Processes that are measured beside others say on out when they are
// ready, and begin at the next line of in.
func Obey(ctx context.Context, p *Plan, o Order, in io.Reader, out io.Writer) error {
	if o.Contestant != "" {
		return p.helper(o, out)
	}
	if o.Plan != p.Fingerprint() {
		return fmt.Errorf("the order of %s is of another plan", o.Name)
	}
	var cells []Cell
	for _, c := range p.Cells() {
		if slices.Contains(o.Cells, c.Name) {
			cells = append(cells, c)
		}
	}
	if len(cells) != len(o.Cells) {
		return fmt.Errorf("the order of %s has cells that the plan has not", o.Name)
	}
	ready := func() error {
		if _, err := io.WriteString(out, readyLine); err != nil {
			return err
		}
		_, err := bufio.NewReader(in).ReadString('\n')
		return err
	}
	return p.measure(ctx, o, cells, ready)
}

// helper does what a process does that a turn of an experiment starts.
func (p *Plan) helper(o Order, out io.Writer) error {
	of := slices.IndexFunc(p.Known, func(e Experiment) bool { return e.Name == o.Experiment && e.Helper != nil })
	i := slices.Index(p.names(), o.Contestant)
	if of < 0 || i < 0 {
		return fmt.Errorf("there is no contestant %q, or no process of %q", o.Contestant, o.Experiment)
	}
	return p.Known[of].Helper(out, p.Contestants[i])
}

// measure measures cells of a block and saves them. If ctx ends, those that are complete are saved.
func (p *Plan) measure(ctx context.Context, o Order, cells []Cell, ready func() error) error {
	before, start, busy := load("before"), time.Now(), live.WatchOthers()
	s := newSession(ctx, p, o.Block)
	s.participant, s.ready, s.gaveUp = o.Participant-1, ready, o.GaveUp
	s.firstTouch = faultIn(most(cells, func(c Cell) int { return int(c.memory) }))
	file := blockFile{name: o.Name, first: o.Block}
	var err error
	for _, c := range cells {
		began := time.Now()
		var series []*Series
		if series, err = c.measure(s); err != nil {
			err = fmt.Errorf("%s: %w", c.Name, err)
			break
		}
		if c.beside != nil {
			file.perBlock = 1
		}
		file.cells = append(file.cells, measured{c.Name, time.Since(began), series})
	}
	interrupted := ctx.Err() != nil
	if len(file.cells) == 0 || err != nil && !interrupted {
		return err
	}
	took := Param{tookKey, time.Since(start).Round(time.Millisecond).String()}
	file.env = slices.Concat(set(o.Env, today()), before, load("after"), others(busy), []Param{took})
	return errors.Join(file.save(o.Dir), ctx.Err())
}

// pageSize is that of the pages that the system hands out.
const pageSize = 4096

// faultIn touches so many bytes of memory, which the runtime keeps: what is measured afterwards
// is given memory that was touched before. It returns what the first touch of a page took, in
// nanoseconds, 0 if there is nothing to touch.
func faultIn(bytes int) (perPage float64) {
	if bytes < pageSize {
		return 0
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	memory := make([]byte, bytes)
	start := time.Now()
	for i := 0; i < len(memory); i += pageSize {
		memory[i] = 1
	}
	took := time.Since(start)
	runtime.KeepAlive(memory)
	memory = nil
	runtime.GC()
	return float64(took.Nanoseconds()) / float64(bytes/pageSize)
}

// launch has a process obey an order, or does so in this process if the plan starts none.
func (p *Plan) launch(ctx context.Context, o Order, cells []Cell) error {
	if p.Start == nil {
		return p.measure(ctx, o, cells, func() error { return nil })
	}
	return (&child{cmd: p.Start(ctx, o)}).run(ctx)
}

// child is a process that obeys an order.
type child struct {
	cmd  *exec.Cmd
	said strings.Builder // on its standard error
}

// errDied means that a process ended without being asked to, and left nothing.
var errDied = errors.New("died")

// prepare has an interruption passed on to the process, which saves what it has.
func (c *child) prepare() {
	c.cmd.Stderr = &c.said
	c.cmd.Cancel = func() error { return c.cmd.Process.Signal(os.Interrupt) }
	c.cmd.WaitDelay = 30 * time.Second
}

// run starts the process and waits for its end.
func (c *child) run(ctx context.Context) error {
	c.prepare()
	return c.outcome(ctx, c.cmd.Run())
}

// outcome returns what the end of the process means: an error of what it measured ends the
// run, as it does within one process; one that was killed, or that panicked, is errDied.
func (c *child) outcome(ctx context.Context, err error) error {
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil:
		return nil
	case errors.As(err, &exit) && exit.ExitCode() == 1:
		return errors.New(strings.TrimPrefix(strings.TrimSpace(c.said.String()), "bench: "))
	}
	died := fmt.Errorf("%w: %w", errDied, err)
	if first, _, _ := strings.Cut(strings.TrimSpace(c.said.String()), "\n"); first != "" {
		died = fmt.Errorf("%w: %s", died, first)
	}
	return died
}

// path returns where the data of an order are.
func (o Order) path() string { return filepath.Join(o.Dir, o.Name+benchExt) }
