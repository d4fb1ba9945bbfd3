// Package blocks has the processes that measure. A process measures a block; contestants that mostly sleep have one each. An
// Order says what a process is to measure, and a Process runs it. Allocate decides how many blocks each cell has.
package blocks

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"time"

	"schedbench/harness/rundata"
)

// Order says what a process measures, and where it writes that. Within a process
// its memory and its code keep their places, in the next they have others. See docs/decisions/0033.
type Order struct {
	Plan  string   `json:"plan"` // the fingerprint of the plan that the cells are of
	Cells []string `json:"cells,omitempty"`
	Block int      `json:"block"`          // its number
	Dir   string   `json:"dir,omitempty"`  // the folder for the data
	Name  string   `json:"name,omitempty"` // of the file there
	// Participant is one more than the index of the only participant to measure, beside others; 0 is all, by turns.
	Participant int                      `json:"participant,omitempty"`
	Steady      map[string]time.Duration `json:"steady,omitempty"` // when each workload becomes steady, which takes long to find out
	// GaveUp lists, per cell, the contestants that gave up on it in an earlier block, and would again.
	GaveUp map[string][]string `json:"gave-up,omitempty"`
	Env    []rundata.Param     `json:"env,omitempty"` // the description of the run
}

// Starter makes the command of a process that builds the same plan and calls Obey with an order.
type Starter func(context.Context, Order) *exec.Cmd

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
	// Memory that the runtime gives back stays mapped: the first touch of a page costs more than most operations.
	godebug := strings.TrimPrefix(os.Getenv("GODEBUG")+",madvdontneed=0", ",")
	cmd.Env = append(os.Environ(), orderEnv+"="+string(text), "GODEBUG="+godebug)
	return cmd
}
