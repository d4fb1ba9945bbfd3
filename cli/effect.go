package cli

import (
	"cmp"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"schedbench/harness"
	"schedbench/harness/experiments"
	"schedbench/harness/rundata"
	"schedbench/internal/lists"
	"schedbench/workload"
	"schedbench/workload/trace"
)

// selective is a command with flags that have no effect without others, or beside others.
type selective interface {
	// noEffect returns why a flag has no effect; "" if the flag has an effect.
	noEffect(flag string) string
}

func checkEffects(command *kong.Context) error {
	c, ok := command.Selected().Target.Addr().Interface().(selective)
	if !ok {
		return nil
	}
	for _, p := range command.Path {
		if p.Flag == nil {
			continue
		}
		if why := c.noEffect(p.Flag.Name); why != "" {
			return fmt.Errorf("%s has no effect %s", given(p.Flag), why)
		}
	}
	return nil
}

// given returns a flag with its value, as a user types it.
func given(f *kong.Flag) string {
	if f.IsBool() {
		return "--" + f.Name
	}
	return "--" + f.Name + " " + shown(f.Target)
}

// shown returns the value of a flag, with commas between those of a list.
func shown(v reflect.Value) string {
	if v = reflect.Indirect(v); v.Kind() == reflect.Slice {
		return strings.Join(strings.Fields(strings.Trim(fmt.Sprint(v), "[]")), ",")
	}
	return fmt.Sprint(v)
}

// readersOf returns the experiments that read a flag, none if all do.
func readersOf(flag string) []string {
	readers := lists.Only(experiments.All(), func(e harness.Experiment) bool { return slices.Contains(strings.Fields(e.Reads), flag) })
	return lists.Each(readers, func(e harness.Experiment) string { return e.Name })
}

func (f *planFlags) noEffect(flag string) string {
	many := func(n number) bool { return n > 1_000_000 }
	if flag == "memory" && !f.Full && !slices.ContainsFunc(f.Pending, many) {
		return "with 1M pending timers or fewer"
	}
	measured, err := f.experiments()
	return unread(flag, func(e string) bool { return err != nil || slices.Contains(measured, e) })
}

// unread returns why a flag has no effect, given the measured experiments.
func unread(flag string, measured func(experiment string) bool) string {
	readers := readersOf(flag)
	if len(readers) == 0 || slices.ContainsFunc(readers, measured) {
		return ""
	}
	return "without the experiment " + strings.ToLower(strings.Join(readers, " or "))
}

func (c *plotCmd) noEffect(flag string) string {
	if len(readersOf(flag)) == 0 {
		return ""
	}
	data, err := rundata.Load(filepath.Join(string(c.Dir), dataDir))
	return unread(flag, func(e string) bool { return err != nil || len(data.Select(e)) > 0 })
}

func (c *runCmd) noEffect(flag string) string {
	if c.DataOnly && slices.Contains([]string{"p99", "cpu", "margin", "tables", "json"}, flag) {
		return "beside --data-only"
	}
	return c.planFlags.noEffect(flag)
}

func (c *compareCmd) noEffect(flag string) string {
	if c.Rev != "" {
		c.ofProcess()
		return c.planFlags.noEffect(flag)
	}
	if slices.Contains([]string{"margin", "tables", "json", "only", "help", "rev"}, flag) {
		return ""
	}
	return "without --rev"
}

func (c *replayCmd) noEffect(flag string) string {
	switch {
	case flag == "live-for" && !c.Live:
		return "without --live"
	case flag == "seed": // it also draws the order of turns
		return ""
	}
	return ofWorkloads(flag, c.Workloads...)
}

func (c *tuneCmd) noEffect(flag string) string {
	if c.Explain == "" && slices.Contains([]string{"tick", "slots", "precise"}, flag) {
		return "without --explain"
	}
	return ofWorkloads(flag, cmp.Or(c.Workload, "idle")) // without a workload the flags describe a profile
}

func (c *traceInfoCmd) noEffect(flag string) string { return ofWorkloads(flag, c.Files...) }

func (c *traceConvertCmd) noEffect(flag string) string { return ofWorkloads(flag, c.In) }

func (c *verifyCmd) noEffect(flag string) string {
	if flag == "seed" && c.Ops == 0 {
		return "beside --ops 0"
	}
	return ""
}

// ofWorkloads returns why a flag has no effect on workloads. A workload that cannot be read may be of any kind.
func ofWorkloads(flag string, names ...string) string {
	kind := map[string]string{"scale": "profile", "seed": "profile", "skip-bad": "trace", "hz": "trace of the kernel"}[flag]
	reads := func(name string) bool { return strings.HasPrefix(cmp.Or(kindOf(name), kind), kind) }
	if kind == "" || slices.ContainsFunc(names, reads) {
		return ""
	}
	return "without a " + kind
}

// kindOf returns the kind of a workload's file; "" if it cannot be read.
func kindOf(name string) string {
	bare, _, err := scaleOf(name)
	if err != nil {
		return ""
	}
	if _, err := workload.Find(bare); err == nil {
		return "profile"
	}
	file, err := trace.Open(bare, trace.Options{})
	if err != nil {
		return ""
	}
	defer file.Close()
	if file.Format() == trace.Own {
		return "trace"
	}
	return "trace of the kernel"
}
