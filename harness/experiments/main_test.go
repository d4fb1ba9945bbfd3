package experiments

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"testing"

	"go.uber.org/goleak"

	"schedbench/harness"
	"schedbench/harness/blocks"
)

func TestMain(m *testing.M) {
	if o, ok := blocks.Ordered(); ok {
		os.Exit(obey(byProcesses(os.Args[1]), o))
	}
	goleak.VerifyTestMain(m)
}

// obey is what the test program does as a process of a run.
func obey(p *harness.Plan, o blocks.Order) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := harness.Obey(ctx, p, o, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		return 1
	}
	return 0
}

// byProcesses returns one of the plans that the test program measures in processes of its own.
func byProcesses(name string) *harness.Plan {
	p := plansOfProcesses[name]()
	p.Start = func(ctx context.Context, o blocks.Order) *exec.Cmd { return blocks.Command(ctx, o, name) }
	return p
}
