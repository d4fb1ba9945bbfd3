// Command bench is that of package cli, with timer libraries in Go and originals of presets on the JVM as contestants.
package main

import (
	"fmt"
	"io"
	"os"

	"schedbench/cli"
	"schedbench/peers/jvm"
	"schedbench/peers/libraries"
	"schedbench/peers/rules"
)

func main() {
	originals, missing := jvm.Originals()
	if missing != "" {
		fmt.Fprintln(os.Stderr, "bench:", missing)
	}
	cli.Program{
		Contestants: append(libraries.Contestants(), originals...),
		Commands: []cli.Command{
			{Name: "rules", Help: "Print which rules of the contract the libraries keep and break.", Flags: &rulesCommand{}},
			{Name: "fidelity", Help: "Measure originals and the presets made after them in turns, and say whether they are the same.", Flags: &fidelityCommand{}},
		},
	}.Main()
}

// rulesCommand prints what package rules found.
type rulesCommand struct{}

// Run prints the table.
func (*rulesCommand) Run(w io.Writer) error {
	_, err := io.WriteString(w, rules.Found)
	return err
}
