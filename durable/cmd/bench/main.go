// Command bench is the command of package cli with one of its own: durable, which measures what
// it costs that timers outlive the process.
package main

import (
	"fmt"
	"os"

	"schedbench/cli"
	"schedbench/durable/price"
)

func main() {
	if price.IsChild() {
		if err := price.Child(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	cli.Program{Commands: []cli.Command{{
		Name: "durable", Flags: &durableCommand{},
		Help: "Measure what it costs that timers outlive the process, and what the interval of a poll gives and costs.",
	}}}.Main()
}
