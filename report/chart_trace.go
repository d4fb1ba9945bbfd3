package report

import (
	"math"
	"os"
	"time"

	"schedbench/workload/trace"
)

// TraceChart draws what a trace contains: delays, timers pending over time, and
// operations over time. It writes trace-NAME.png into a directory, which it makes
// if need be, and returns the names of the files: none for a trace without events.
// The facts are a line to say below the title.
func TraceChart(info *trace.Info, name, facts, dir string, svg bool) ([]string, error) {
	f := traceFigure(info, name, facts)
	if !f.prepare() {
		return nil, nil
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	return f.save(dir, svg)
}

func traceFigure(info *trace.Info, name, facts string) *figure {
	return &figure{
		name: "trace-" + name, title: "What does the trace " + name + " ask of its timers?",
		subtitle: facts, footer: "schedbench  ·  bench trace info",
		width: inches(12), height: inches(5),
		rows: [][]*panel{{delayPanel(info), pendingPanel(info), ratePanel(info)}},
		keys: traceKeys(info),
	}
}

// traceKeys name the lines that the trace has something for.
func traceKeys(info *trace.Info) []line {
	var keys []line
	add := func(n uint64, name string, as look) {
		if n > 0 {
			keys = append(keys, line{name: name, look: as})
		}
	}
	add(info.Delays.Count(), "delay", delayLook)
	add(info.Schedules, "schedule", scheduleLook)
	add(info.Cancels, "cancel, time to cancel", cancelLook)
	add(info.Resets, "reset, time to reset", resetLook)
	add(info.Fires, "fire", fireLook)
	return keys
}

// delayPanel shows how long ahead timers are set, and when they end before.
func delayPanel(info *trace.Info) *panel {
	lines := []line{
		distribution("delay", delayLook, info.Delays),
		distribution("cancel", cancelLook, info.ToCancel),
		distribution("reset", resetLook, info.ToReset),
	}
	return &panel{
		title: "delays", lines: lines,
		x: timeAxis("time since the timer was set", 8, lines), y: shareAxis("share of timers"),
	}
}

// timeline is the x axis of what goes on over time.
func timeline() axis {
	return axis{label: "time", withZero: true, format: func(v float64) string {
		if v == 0 {
			return "0"
		}
		return trimmed(nanos(v))
	}}
}

// pendingPanel shows how many timers are pending, the largest number of each step.
func pendingPanel(info *trace.Info) *panel {
	l := line{name: "pending", look: delayLook, marked: []point{}}
	for i, s := range info.Course.Steps {
		l.pts = append(l.pts, point{stepAt(info, i), float64(s.Peak), nan, nan})
	}
	return &panel{
		title: "timers pending", x: timeline(), lines: []line{l},
		y: axis{label: "timers armed in the trace", withZero: true, format: count},
	}
}

// ratePanel shows how often things happen, by kind.
func ratePanel(info *trace.Info) *panel {
	p := &panel{
		title: "events", x: timeline(),
		y: axis{label: "events per second", log: true, withZero: true, format: perSecond},
	}
	steps := wide(info.Course)
	for _, kind := range []struct {
		name string
		as   look
		of   func(trace.Step) uint64
	}{
		{"schedule", scheduleLook, func(s trace.Step) uint64 { return s.Schedules }},
		{"reset", resetLook, func(s trace.Step) uint64 { return s.Resets }},
		{"cancel", cancelLook, func(s trace.Step) uint64 { return s.Cancels }},
		{"fire", fireLook, func(s trace.Step) uint64 { return s.Fires }},
	} {
		p.lines = append(p.lines, rateLine(kind.name, kind.as, steps, kind.of, info.Duration))
	}
	return p
}

// rateLine is the rate of one kind of event in each step, none if there is no such
// event. The last step is shorter than the others, and left out if it is so short
// that its rate would be an accident.
func rateLine(name string, as look, c trace.Course, of func(trace.Step) uint64, end time.Duration) line {
	l := line{name: name, look: as, marked: []point{}}
	some := false
	for i, s := range c.Steps {
		from := time.Duration(i) * c.Step
		length := min(c.Step, end-from)
		if length < c.Step/2 && i > 2 || length <= 0 {
			continue
		}
		some = some || of(s) > 0
		l.pts = append(l.pts, point{float64(from) + float64(length)/2, float64(of(s)) / length.Seconds(), nan, nan})
	}
	if !some {
		l.pts = nil
	}
	return l
}

// rateSteps is into how many steps rates are divided, at most.
const rateSteps = 64

// wide joins steps, so that each holds enough events for a rate.
func wide(c trace.Course) trace.Course {
	by := (len(c.Steps) + rateSteps - 1) / rateSteps
	if by <= 1 {
		return c
	}
	joined := trace.Course{Step: c.Step * time.Duration(by)}
	for i, s := range c.Steps {
		if i%by == 0 {
			joined.Steps = append(joined.Steps, trace.Step{})
		}
		to := &joined.Steps[len(joined.Steps)-1]
		to.Schedules += s.Schedules
		to.Resets += s.Resets
		to.Cancels += s.Cancels
		to.Fires += s.Fires
	}
	return joined
}

// stepAt returns the middle of a step of the course, or the end of the trace if
// that is before it.
func stepAt(info *trace.Info, i int) float64 {
	return math.Min((float64(i)+0.5)*float64(info.Course.Step), float64(info.Duration))
}
