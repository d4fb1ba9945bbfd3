package cli

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"schedbench/internal/words"
	"schedbench/workload"
)

// workloadFlags describe a workload of one kind of timer.
type workloadFlags struct {
	Pending     number `help:"Timers pending on average. A workload of flags needs --delay, and --pending, --rate or both." placeholder:"N" group:"Workload"`
	Rate        string `help:"New timers a second, such as 1k/s or 3/min." placeholder:"RATE" group:"Workload"`
	Delay       string `help:"Delays, as in profiles: 30s, uniform(1s, 2s), exponential(5s), lognormal(p50=20ms, p99=1s), levels(1s, 5s)." placeholder:"DELAY" group:"Workload"`
	Cancel      string `help:"Share of timers that are cancelled, of all starts and resets." placeholder:"SHARE" group:"Workload"`
	Reset       string `help:"Resets a second, such as 5k/s, each of which moves a deadline; or the share of starts and resets that a reset follows, such as 99%." placeholder:"SHARE|RATE" group:"Workload"`
	CancelAfter string `help:"When timers are cancelled, as a delay or as a part of it. By default at any time before the deadline, or at the times that make --pending and --rate agree." placeholder:"DELAY" group:"Workload"`
}

func (f *workloadFlags) given() bool { return *f != workloadFlags{} }

// Lengths of streams, in seconds, and the wanted number of operations within these.
const (
	leastLength, mostLength = 1, 3600
	streamOps               = 1e6
)

// timersOfFlags are the timers of a profile made of flags.
type timersOfFlags struct {
	arrivals, initial          string
	cancel, cancelAfter, reset string
	resetAfter                 string
	length                     float64 // of the workload, in seconds, before it is bounded
}

// anyTime is any time before the deadline.
const anyTime = "uniform(0%, 100%)"

// profile returns the workload that the flags describe.
func (f *workloadFlags) profile() (*workload.Profile, error) {
	if err := f.complete(); err != nil {
		return nil, err
	}
	rate, resets, err := f.rates()
	if err != nil {
		return nil, err
	}
	if resets > 0 && f.Rate == "" {
		return f.kept(resets)
	}
	t := timersOfFlags{arrivals: arriving("1/s"), cancel: f.Cancel, cancelAfter: cmp.Or(f.CancelAfter, anyTime), resetAfter: anyTime}
	if t.reset = f.Reset; resets > 0 {
		t.reset = percentOf(resets / (rate + resets))
	}
	unit, err := f.parse(t) // says how long a timer is pending
	if err != nil {
		return nil, err
	}
	life := unit.Mix().Pending // seconds, by Little's law
	t.arrivals = arriving(f.rate())
	switch {
	case f.Rate == "":
		t.arrivals = arriving(decimal(float64(f.Pending)/life) + "/s")
	case f.Pending > 0:
		if t, err = f.agree(t, life); err != nil {
			return nil, err
		}
	}
	return f.steady(t)
}

// rates returns the new timers and the resets per second; 0 if the flags do not give a rate.
func (f *workloadFlags) rates() (made, resets float64, err error) {
	if f.Rate != "" {
		if made, err = f.perSecond(f.rate()); err != nil {
			return 0, 0, err
		}
	}
	if strings.Contains(f.Reset, "/") {
		if resets, err = f.perSecond(f.Reset); err != nil {
			return 0, 0, fmt.Errorf("--reset %s: want a share such as 99%%, or a rate such as 5k/s", f.Reset)
		}
	}
	return made, resets, nil
}

func (f *workloadFlags) perSecond(rate string) (float64, error) {
	p, err := f.parse(timersOfFlags{arrivals: arriving(rate)})
	if err != nil {
		return 0, err
	}
	return p.Mix().Schedules, nil
}

func arriving(rate string) string { return "poisson(" + rate + ")" }

// kept returns a workload of timers that are reset before they fire, such as those of live connections.
func (f *workloadFlags) kept(resets float64) (*workload.Profile, error) {
	if f.Cancel != "" {
		return nil, fmt.Errorf("--cancel %s with --reset %s needs --rate: how many new timers a second take the place of the cancelled ones", f.Cancel, f.Reset)
	}
	each := float64(f.Pending) / resets // seconds from one reset to the next
	unit, err := f.parse(timersOfFlags{arrivals: arriving("1/s")})
	if err != nil {
		return nil, err
	}
	delay := unit.Delay().Mean().Seconds()
	after, ok := partOf(each / delay)
	if !ok {
		return nil, fmt.Errorf("--pending %v and --reset %s contradict each other: each timer would be reset every %s, and fire after %s; take --reset %.0f/s or more, or add --rate, for timers that take the place of those that fire",
			f.Pending, f.Reset, words.Time(1e9*each), words.Time(1e9*delay), math.Floor(float64(f.Pending)/delay)+1)
	}
	return f.parse(timersOfFlags{
		arrivals: fmt.Sprintf("fixed(%d, over=%ss)", f.Pending, decimal(each)),
		reset:    "100%", resetAfter: after, length: max(streamOps/resets, 2*each),
	})
}

// partOf returns a distribution of parts of a delay with a mean, and whether one exists.
func partOf(mean float64) (after string, ok bool) {
	switch {
	case mean > 0 && mean <= 0.5:
		return fmt.Sprintf("uniform(0%%, %s)", percentOf(2*mean)), true
	case mean > 0.5 && mean < 1:
		return fmt.Sprintf("uniform(%s, 100%%)", percentOf(2*mean-1)), true
	}
	return "", false
}

func percentOf(share float64) string { return decimal(100*share) + "%" }

// complete returns an error if a flag is missing, or means nothing beside the others.
func (f *workloadFlags) complete() error {
	switch {
	case f.Delay == "":
		return errors.New("--delay is missing: a workload by flags needs it, such as --delay 30s")
	case f.Rate == "" && f.Pending == 0:
		return errors.New("--rate or --pending is missing: a workload by flags needs one of them, such as --rate 1k/s")
	case f.Reset != "" && !strings.ContainsAny(f.Reset, "/%.") && f.Reset != "0" && f.Reset != "1":
		return fmt.Errorf("--reset %s: want a share such as 99%%, or a rate such as 5k/s", f.Reset)
	case f.CancelAfter != "" && f.Cancel == "":
		return fmt.Errorf("--cancel-after %s goes with --cancel, which says how many", f.CancelAfter)
	}
	return nil
}

// agree moves the cancels or resets of timers to fit both --pending and --rate. life is how long a timer is pending, in
// seconds.
func (f *workloadFlags) agree(t timersOfFlags, life float64) (timersOfFlags, error) {
	p, err := f.parse(t)
	if err != nil {
		return t, err
	}
	const near = 0.05
	m := p.Mix()
	if math.Abs(m.Pending-float64(f.Pending)) <= near*float64(f.Pending) {
		return t, nil
	}
	after, ended := &t.cancelAfter, m.CancelShare()
	if f.Reset != "" {
		after, ended = &t.resetAfter, m.ResetShare()
	}
	part := (float64(f.Pending)/m.Armings()/p.Delay().Mean().Seconds() - (1 - ended)) / ended
	if found, ok := partOf(part); ok && f.CancelAfter == "" && (f.Cancel == "" || f.Reset == "") {
		*after = found
		return t, nil
	}
	return t, fmt.Errorf("--pending %v and --rate %s contradict each other: timers that are pending for %s each make %.0f pending at that rate; leave out one of the two flags",
		f.Pending, f.Rate, words.Time(1e9*life), m.Pending)
}

// steady returns the workload with as many timers at the start as in the long run, and with enough operations.
func (f *workloadFlags) steady(t timersOfFlags) (*workload.Profile, error) {
	p, err := f.parse(t)
	if err != nil {
		return nil, err
	}
	mix := p.Mix()
	t.length = streamOps / mix.Operations()
	t.initial = decimal(math.Round(mix.Pending))
	if p, err = f.parse(t); err == nil || mix.Pending > mostPending {
		return p, err
	}
	// A profile refuses initial timers that are pending for a tiny part of their delay, and needs none of them.
	t.initial = ""
	return f.parse(t)
}

// mostPending is the most timers at the start.
const mostPending = 10_000_000

func (f *workloadFlags) rate() string {
	if strings.Contains(f.Rate, "/") {
		return f.Rate
	}
	return f.Rate + "/s"
}

// parse makes the profile of timers with the delay. Its errors name the flag.
func (f *workloadFlags) parse(t timersOfFlags) (*workload.Profile, error) {
	timers := map[string]any{"name": "timers", "arrivals": t.arrivals, "delay": f.Delay}
	for key, ending := range map[string][2]string{"cancel": {t.cancel, t.cancelAfter}, "reset": {t.reset, t.resetAfter}} {
		if ending[0] != "" {
			timers[key] = map[string]string{"share": ending[0], "after": ending[1]}
		}
	}
	if t.initial != "" && t.initial != "0" {
		timers["initial"] = t.initial
	}
	length := math.Ceil(min(max(t.length, leastLength), mostLength))
	text, err := toml.Marshal(map[string]any{
		"name": "by flags", "length": decimal(length) + "s", "tick": "1ms", "timers": []map[string]any{timers},
	})
	if err != nil {
		return nil, err
	}
	p, err := workload.Parse(strings.NewReader(string(text)), "flags")
	if err != nil {
		return nil, f.byFlag(err)
	}
	p.About = f.String()
	return p, nil
}

// byFlag turns an error in a profile into one of its flag.
func (f *workloadFlags) byFlag(err error) error {
	bad, is := errors.AsType[*workload.ParseError](err)
	if !is {
		return err
	}
	rate := "--rate " + f.Rate
	if f.Rate == "" {
		rate = fmt.Sprint("--pending ", f.Pending, " with --delay ", f.Delay)
	}
	path, said, _ := strings.Cut(bad.Msg, ": ")
	flag, ok := map[string]string{
		"timers[0].cancel.after": "--cancel-after " + f.CancelAfter,
		"timers[0].cancel":       "--cancel " + f.Cancel,
		"timers[0].reset":        "--reset " + f.Reset,
		"timers[0].delay":        "--delay " + f.Delay,
		"timers[0].initial":      fmt.Sprint("--pending ", f.Pending),
		"timers[0].arrivals":     rate,
	}[strings.TrimSuffix(path, ".share")]
	if !ok {
		return errors.New(bad.Msg)
	}
	return fmt.Errorf("%s: %s", flag, said)
}

// String returns the flags as a command line has them.
func (f *workloadFlags) String() string {
	var said []string
	for _, flag := range []struct{ name, value string }{
		{"pending", fmt.Sprint(f.Pending)}, {"rate", f.Rate}, {"delay", f.Delay},
		{"cancel", f.Cancel}, {"cancel-after", f.CancelAfter}, {"reset", f.Reset},
	} {
		if flag.value != "" && flag.value != "0" {
			said = append(said, "--"+flag.name+" "+flag.value)
		}
	}
	return strings.Join(said, " ")
}

// decimal returns a number without an exponent.
func decimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
