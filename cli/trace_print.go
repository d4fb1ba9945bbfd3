package cli

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"schedbench/internal/lists"
	"schedbench/internal/words"
	"schedbench/workload/trace"
)

func printTrace(w io.Writer, file *trace.File, info *trace.Info) error {
	source := file.Header().Source
	if source != "" {
		source += "; "
	}
	fmt.Fprintf(w, "%s: %s%v, %d events in %s, %s operations a second, at most %d timers pending\n", file.Name(), source,
		file.Format(), info.Ops()+info.Fires, words.Short(info.Duration), words.Count(info.Rate(info.Ops())), info.Peak)
	if start := file.Header().Start; !start.IsZero() {
		fmt.Fprintf(w, "  recorded from %s on\n", start.Format(time.RFC3339))
	}
	printReading(w, file)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	printEvents(t, info)
	printTimes(t, info)
	if err := t.Flush(); err != nil {
		return err
	}
	printTimers(w, info)
	printDurations(w, info)
	return nil
}

// printReading prints notes on the reading of a trace, and its irregularities.
func printReading(w io.Writer, file *trace.File) {
	for _, note := range append(file.Header().Notes, file.Notes()...) {
		fmt.Fprintf(w, "  %s\n", note)
	}
	c := file.Counts()
	for _, reason := range slices.Sorted(maps.Keys(c.Skipped)) {
		fmt.Fprintf(w, "  skipped, %s: %d\n", reason, c.Skipped[reason])
	}
	for _, odd := range someOf(
		countOf{c.Lost, "events lost by the recording"},
		countOf{c.Missing, "events that the recording says it holds, and that are not in the file"},
		countOf{c.Ignored, "events that do not change a timer"},
		countOf{c.Overdue, "timers armed for a time that had passed: their delay is 0"},
		countOf{c.Clamped, "timers armed for longer than 292 years"},
		countOf{c.Unended, "timers armed again although the trace does not show their end"},
		countOf{c.OtherClock, "timers left out: they are on the wall clock, and the trace does not show its offset"},
	) {
		fmt.Fprintf(w, "  %s: %d\n", odd.what, odd.n)
	}
}

type countOf struct {
	n    uint64
	what string
}

func someOf(list ...countOf) []countOf {
	return slices.DeleteFunc(list, func(t countOf) bool { return t.n == 0 })
}

func printEvents(w io.Writer, info *trace.Info) {
	all := info.Ops() + info.Fires
	fmt.Fprintf(w, "\n  %-15s\tnumber\tper second\tshare\t\n", "events")
	for _, e := range []countOf{{info.Schedules, "schedule"}, {info.Resets, "reset"}, {info.Cancels, "cancel"}, {info.Fires, "fire"}} {
		fmt.Fprintf(w, "  %-15s\t%d\t%s\t%s\t\n", e.what, e.n, words.Count(info.Rate(e.n)), share(e.n, all))
	}
	fmt.Fprintln(w)
}

func printTimes(w io.Writer, info *trace.Info) {
	quantiles := []float64{0, 0.1, 0.5, 0.9, 0.99, 0.999, 1}
	fmt.Fprintf(w, "  %-15s\tnumber\tleast\t10 %%\tmedian\t90 %%\t99 %%\t99.9 %%\tgreatest\t\n", "times")
	row := func(name string, of trace.Distribution) {
		if of.Count() == 0 {
			return
		}
		fmt.Fprintf(w, "  %-15s\t%d\t", name, of.Count())
		for _, q := range quantiles {
			fmt.Fprintf(w, "%s\t", words.Short(of.Quantile(q)))
		}
		fmt.Fprintln(w)
	}
	row("delay", info.Delays)
	row("armed to cancel", info.ToCancel)
	row("armed to reset", info.ToReset)
	row("fired late by", info.Late)
	row("fired early by", info.Early)
}

func printTimers(w io.Writer, info *trace.Info) {
	fmt.Fprintf(w, "\n  timers: %d armed in the trace", info.Timers)
	for _, fate := range someOf(countOf{info.Cancelled, "cancelled"}, countOf{info.Fired, "fired"},
		countOf{info.Pending, "pending at the end"}, countOf{info.Superseded, "ended unseen"}) {
		fmt.Fprintf(w, ", %s %s", share(fate.n, info.Timers), fate.what)
	}
	fmt.Fprintln(w)
	if info.Moved > 0 {
		fmt.Fprintf(w, "  resets: %s of the timers, each %.3g× on average\n",
			share(info.Moved, info.Timers), float64(info.ToReset.Count())/float64(info.Moved))
	}
	if info.Unseen > 0 {
		fmt.Fprintf(w, "  events of timers armed before the recording began, or unseen: %d\n", info.Unseen)
	}
	fmt.Fprintf(w, "  pending: at most %d, at %s; %d at the end\n", info.Peak, words.Short(info.PeakAt), info.Pending)
}

func printDurations(w io.Writer, info *trace.Info) {
	if len(info.Frequent) == 0 {
		return
	}
	list := lists.Each(info.Frequent, func(top trace.DurationCount) string {
		return words.Span(float64(top.Delay)) + " " + share(top.Count, info.Delays.Count())
	})
	fmt.Fprintf(w, "  most frequent delays: %s (%d different ones, to three digits)\n", strings.Join(list, ", "), info.Distinct)
}

func share(part, whole uint64) string { return portion(float64(part) / float64(cmp.Or(whole, 1))) }
