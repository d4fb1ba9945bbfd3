package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"schedbench/cli"
	"schedbench/durable/price"
	"schedbench/harness/rundata"
)

// durableCommand measures what it costs that timers outlive the process.
type durableCommand struct {
	Held      []int           `help:"How many timers are held where some are scheduled and cancelled; by default 1000 to 1000000, and with --quick fewer." placeholder:"N"`
	Intervals []time.Duration `help:"Intervals of polls; by default 10ms to 5s." placeholder:"DURATION"`
	Blocks    int             `help:"Turns of each in every cell, each with folders filled anew; by default 5." placeholder:"N"`
	NoCluster bool            `help:"Leave out the cluster of three servers on the loopback interface."`
	Quick     bool            `help:"Tiny sizes, to see that all works; the figures say little."`
	Soak      int             `help:"Only this: so many timers arrive at random over --soak-for, once, to see that none is lost." placeholder:"N"`
	SoakFor   time.Duration   `help:"For how long the timers of --soak arrive." default:"10m"`
	Scratch   string          `help:"Folder on the disk that is to be measured, in which timers are kept meanwhile; by default that of the system for temporary files." placeholder:"DIR" type:"existingdir"`
	Seed      uint64          `help:"Seed of all randomness." default:"1"`
	Out       string          `help:"Folder for data, charts and report; by default a new one under results." placeholder:"DIR" type:"path"`
	From      string          `help:"Draw and judge again what an earlier run has measured into this folder." placeholder:"DIR" type:"existingdir"`
	SVG       bool            `help:"Also draw the charts as SVG."`
}

// Validate says what is wrong with the flags.
func (c *durableCommand) Validate() error {
	config := c.config()
	return config.Check()
}

// Run measures, unless that was done before, draws, judges, and prints what comes out.
func (c *durableCommand) Run(w io.Writer, measure cli.Measure) (err error) {
	dir, data := c.From, (*rundata.Data)(nil)
	if dir != "" {
		data, err = rundata.Load(filepath.Join(dir, "data"))
	} else {
		data, dir, err = c.measure(measure)
	}
	if err != nil {
		return err
	}
	if err := c.keep(data, dir); err != nil {
		return err
	}
	return price.Write(w, data)
}

// measure measures, and removes what that needed on disk.
func (c *durableCommand) measure(measure cli.Measure) (data *rundata.Data, dir string, err error) {
	config := c.config()
	plan, release, err := config.Plan()
	if err != nil {
		return nil, "", err
	}
	defer func() { err = errors.Join(err, release()) }()
	return measure(plan, c.Out, "durable")
}

// config returns how much is to be measured.
func (c *durableCommand) config() price.Config {
	config := price.Default()
	if c.Quick {
		config = price.Quick()
	}
	if len(c.Held) > 0 {
		config.Held = c.Held
	}
	if len(c.Intervals) > 0 {
		config.Intervals = c.Intervals
	}
	if c.Blocks != 0 {
		config.Blocks = c.Blocks
	}
	config.Soak, config.SoakFor = c.Soak, c.SoakFor
	config.Cluster, config.Scratch, config.Seed = !c.NoCluster, c.Scratch, c.Seed
	return config
}

// keep writes charts, report and README into the folder of a run.
func (c *durableCommand) keep(data *rundata.Data, dir string) error {
	if _, err := price.Charts(data, filepath.Join(dir, "charts"), c.SVG); err != nil {
		return err
	}
	for name, write := range map[string]func(io.Writer, *rundata.Data) error{"report.txt": price.Write, "README.md": price.WriteReadme} {
		var text bytes.Buffer
		if err := write(&text, data); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}
