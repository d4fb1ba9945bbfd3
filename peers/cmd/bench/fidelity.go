package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"schedbench/cli"
	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/peers/fidelity"
	"schedbench/peers/jvm"
)

// fidelityCommand says whether presets are as their originals.
type fidelityCommand struct {
	Originals []string `help:"Originals to compare with their presets. The command list names them." placeholder:"NAME"`
	Blocks    int      `help:"Blocks of each cell. A block has new timers, or a new process." default:"8"`
	Margin    float64  `help:"Share by which a figure may differ and count as the same." default:"0.1"`
	Quick     bool     `help:"Tiny sizes, to try the command. The figures say little."`
	Out       string   `help:"Folder for the data. By default a new one under results." placeholder:"DIR" type:"path"`
	From      string   `help:"Judge the data in this folder again. Nothing is measured." placeholder:"DIR" type:"existingdir"`
}

// Run measures originals and presets in turns, unless that was done before, and prints how they compare.
func (c *fidelityCommand) Run(w io.Writer, measure cli.Measure) error {
	var pairs []fidelity.Pair
	var contestants []harness.Contestant
	originals, _ := jvm.Originals()
	presets, err := jvm.Presets()
	if err != nil {
		return err
	}
	for _, o := range originals {
		if len(c.Originals) > 0 && !slices.Contains(c.Originals, o.Name) {
			continue
		}
		i := slices.IndexFunc(presets, func(p harness.Contestant) bool { return p.Name == o.Beside })
		contestants = append(contestants, o, presets[i])
		pairs = append(pairs, fidelity.Pair{Original: o.Name, Preset: o.Beside})
	}
	if len(pairs) == 0 {
		return errors.New("there is no original to compare a preset with; \"bench list\" has those that can be measured here")
	}
	var data *rundata.Data
	if c.From != "" {
		data, err = rundata.Load(filepath.Join(c.From, "data"))
	} else {
		data, _, err = measure(fidelity.Plan(contestants, c.Blocks, c.Quick), c.Out, "fidelity")
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(w)
	return fidelity.Write(w, data, pairs, 1+c.Margin)
}
