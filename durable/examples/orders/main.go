// Command orders closes orders that nobody has paid in time, and shows what becomes of them when processes are killed.
//
//	orders restart    one process with its orders in a file is killed, and another goes on
//	orders workers    two processes share the timers of PostgreSQL; one is killed, the other goes on
//
// The processes are the command itself with another argument. It counts what they say.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"
)

type plan struct {
	orders int
	url    string
	within time.Duration // the last order is closed after so long, the first after a quarter of it
}

func (p plan) killAt() time.Duration { return p.within * 5 / 8 } // when half of the orders are due

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "orders:", err)
		os.Exit(1)
	}
}

var errUsage = errors.New("usage: orders restart|workers [-orders 300] [-within 8s] [-url postgres://...]")

func run(args []string, out io.Writer) error {
	if len(args) == 0 {
		return errUsage
	}
	var p plan
	flags := flag.NewFlagSet("orders", flag.ContinueOnError)
	flags.IntVar(&p.orders, "orders", 300, "how many orders are placed")
	flags.StringVar(&p.url, "url", "", "an empty database for workers; without, a server is started if it is installed")
	flags.DurationVar(&p.within, "within", 8*time.Second, "when the last of them is closed")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	switch args[0] {
	case "restart":
		return restart(p, out)
	case "workers":
		return workers(p, out)
	case "worker": // a process of these
		return work(p, flags.Arg(0), flags.Arg(1) == "place")
	}
	return errUsage
}
