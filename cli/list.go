package cli

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"schedbench/catalog"
	"schedbench/harness"
	"schedbench/harness/experiments"
	"schedbench/harness/rundata"
	"schedbench/internal/lists"
	"schedbench/internal/report"
	"schedbench/internal/words"
	"schedbench/workload"
)

type workloadsCmd struct {
	Names []string `arg:"" optional:"" help:"Profiles to describe in full: names, or files." placeholder:"NAME"`
}

// Run lists all profiles, or describes the named ones.
func (c *workloadsCmd) Run(con *console) error {
	if len(c.Names) == 0 {
		return printProfiles(commandWriter{con.out, con.called}, workload.Builtin())
	}
	var described []string
	for _, name := range c.Names {
		p, err := workload.Find(name)
		if errors.As(err, new(*workload.ParseError)) && !strings.EqualFold(filepath.Ext(name), ".toml") {
			err = fmt.Errorf("%w; want a profile; the command \"trace info\" describes a trace", err)
		}
		if err != nil {
			return absent(err)
		}
		described = append(described, p.Describe())
	}
	_, err := fmt.Fprint(con.out, strings.Join(described, "\n"))
	return err
}

// printColumns prints cells below each other, row by row, and an empty line.
func printColumns(out io.Writer, rows [][]string) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, cells := range append(rows, nil) {
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	return w.Flush()
}

func printProfiles(out io.Writer, list []*workload.Profile) error {
	rows := [][]string{{"PROFILE", "ARRIVALS", "DELAY", "CANCELLED", "RESET", "PENDING", "OPS/S", "MODELLED ON"}}
	for _, p := range list {
		m := p.Mix()
		origin, _, _ := strings.Cut(p.Source, ": ") // its part before figures
		rows = append(rows, []string{p.Name, arrivals(p), delays(p), portion(m.CancelShare()), portion(m.ResetShare()),
			words.Count(math.Round(p.Pending(p.Length()))), words.Count(m.Operations()), strings.TrimSuffix(origin, ".")})
	}
	if err := printColumns(out, rows); err != nil {
		return err
	}
	_, err := fmt.Fprintln(out, "Cancelled and reset are shares of the times that a timer is set; pending is at the end of the profile's length.\n"+
		"\"bench workloads NAME\" describes one in full, with the choices behind it.")
	return err
}

const maxColumn = 30

func arrivals(p *workload.Profile) string {
	all := lists.Each(p.Populations(), func(of workload.Population) string { return of.Arrivals() })
	if text := strings.Join(all, " + "); len(text) <= maxColumn {
		return text
	}
	return words.Few(1, all)
}

func delays(p *workload.Profile) string {
	if of := p.Populations(); len(of) == 1 {
		if text := of[0].Delay().String(); len(text) <= maxColumn {
			return text
		}
	}
	d := p.Delay()
	return fmt.Sprintf("%s to %s, median %s", words.Short(d.Min()), words.Short(d.Max()), words.Short(d.Quantile(0.5)))
}

func portion(v float64) string {
	switch {
	case v > 0.9995 && v < 1:
		return "> 99.9 %"
	case v > 0 && v < 0.0005:
		return "< 0.1 %"
	}
	return fmt.Sprintf("%.3g %%", 100*v)
}

type listCmd struct{}

// Run prints the lists.
func (listCmd) Run(con *console) error {
	of := func(title string, list []harness.Contestant) [][]string {
		row := func(c harness.Contestant) []string { return []string{c.Name, c.Family, c.About} }
		return append([][]string{{title, "STRUCTURE", "WHAT TO KNOW"}}, lists.Each(list, row)...)
	}
	operations := lists.Each(rundata.Ops(), func(op string) []string {
		o := report.OperationOf(op)
		return []string{op, o.Word, o.Meaning}
	})
	for _, rows := range [][][]string{
		of("CONTESTANT", append(catalog.Contestants(), con.Contestants...)), of("BASELINE", catalog.Baselines()), of("PRESET", catalog.Presets()),
		append([][]string{{"OPERATION", "IN WORDS", "WHAT IS DONE"}}, operations...),
	} {
		if err := printColumns(con.out, rows); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(con.out, "experiments: %s\ndelays:      %s\ncompared:    bare schedulers with each other and %s, drivers with %s\nexplained:   tune --explain takes contestants, presets, %s\n",
		experimentNames(), strings.Join(experiments.Delays(), ", "), catalog.ContainerHeap, catalog.RuntimeTimer, words.List(explainedOnly()))
	return err
}

// explainedOnly lists the known systems that only tune measures.
func explainedOnly() []string {
	presets := lists.Each(catalog.Presets(), func(p harness.Contestant) string { return p.Name })
	systems := lists.Each(catalog.Systems(), func(s catalog.System) string { return s.Name })
	return lists.Only(systems, func(name string) bool { return !slices.Contains(presets, name) })
}
