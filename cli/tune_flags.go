package cli

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"schedbench/workload"
)

// workloadFlags describe a workload of one kind of timer.
type workloadFlags struct {
	Pending     number `help:"Timers pending on average: makes a workload, with --delay; or --rate, or both." placeholder:"N" group:"Workload"`
	Rate        string `help:"New timers a second, such as 1k/s or 3/min." placeholder:"RATE" group:"Workload"`
	Delay       string `help:"Delays, as in profiles: 30s, uniform(1s, 2s), exponential(5s), lognormal(p50=20ms, p99=1s), levels(1s, 5s)." placeholder:"DELAY" group:"Workload"`
	Cancel      string `help:"Share of the timers that is cancelled." placeholder:"SHARE" group:"Workload"`
	CancelAfter string `help:"When they are cancelled, as a delay or as a part of it. By default at any time before the deadline, or as --pending and --rate together tell." placeholder:"DELAY" group:"Workload"`
}

// given reports whether any of the flags is.
func (f *workloadFlags) given() bool { return *f != workloadFlags{} }

// Lengths of streams, in seconds, and how many operations they have if these
// allow it.
const (
	leastLength, mostLength = 1, 3600
	streamOps               = 1e6
)

// profile returns the workload that the flags describe, and how, in words.
func (f *workloadFlags) profile() (*workload.Profile, error) {
	if err := f.complete(); err != nil {
		return nil, err
	}
	unit, err := f.parse("1/s", f.after(), "", leastLength) // to learn how long a timer is pending
	if err != nil {
		return nil, err
	}
	life := unit.Mix().Pending // seconds, by Little's law
	rate, after := f.rate(), f.after()
	switch {
	case f.Rate == "":
		rate = decimal(float64(f.Pending)/life) + "/s"
	case f.Pending > 0:
		if after, err = f.agree(life, unit.Delay().Mean().Seconds()); err != nil {
			return nil, err
		}
	}
	return f.steady(rate, after)
}

// complete returns an error if a flag is missing, or without meaning beside the
// others.
func (f *workloadFlags) complete() error {
	switch {
	case f.Delay == "":
		return errors.New("--delay is missing: a workload by flags needs it, such as --delay 30s")
	case f.Rate == "" && f.Pending == 0:
		return errors.New("--rate or --pending is missing: a workload by flags needs one of them, such as --rate 1k/s")
	case f.CancelAfter != "" && f.Cancel == "":
		return fmt.Errorf("--cancel-after %s goes with --cancel, which says how many", f.CancelAfter)
	}
	return nil
}

// after returns when timers are cancelled, unless it follows from the rest.
func (f *workloadFlags) after() string { return cmp.Or(f.CancelAfter, "uniform(0%, 100%)") }

// agree returns when timers have to be cancelled for --pending and --rate to go
// together, timers being pending for life and delays being delay on average, in
// seconds. Without cancels they may contradict each other.
func (f *workloadFlags) agree(life, delay float64) (after string, err error) {
	p, err := f.parse(f.rate(), f.after(), "", leastLength)
	if err != nil {
		return "", err
	}
	const near = 0.05
	pending := p.Mix().Pending
	if math.Abs(pending-float64(f.Pending)) <= near*float64(f.Pending) {
		return f.after(), nil
	}
	cancelled := p.Mix().CancelShare()
	part := (float64(f.Pending)/pending*life/delay - (1 - cancelled)) / cancelled
	switch {
	case f.CancelAfter == "" && part > 0 && part <= 0.5:
		return fmt.Sprintf("uniform(0%%, %s%%)", decimal(200*part)), nil
	case f.CancelAfter == "" && part > 0.5 && part < 1:
		return fmt.Sprintf("uniform(%s%%, 100%%)", decimal(200*part-100)), nil
	}
	return "", fmt.Errorf("--pending %v and --rate %s contradict each other: timers that are pending for %.3gs each make %.0f pending at that rate; leave one of them out",
		f.Pending, f.Rate, life, pending)
}

// steady returns the workload with as many timers at the start as it has in the
// long run, and with as many operations as are worth looking at.
func (f *workloadFlags) steady(rate, after string) (*workload.Profile, error) {
	p, err := f.parse(rate, after, "", leastLength)
	if err != nil {
		return nil, err
	}
	mix := p.Mix()
	length := min(max(streamOps/mix.Operations(), leastLength), mostLength)
	if p, err = f.parse(rate, after, decimal(math.Round(mix.Pending)), length); err == nil || mix.Pending > mostPending {
		return p, err
	}
	// Timers that are there for a tiny part of their delay are there at once.
	return f.parse(rate, after, "", length)
}

// mostPending is how many timers there may be at the start.
const mostPending = 10_000_000

// rate returns the rate as profiles have it.
func (f *workloadFlags) rate() string {
	if strings.Contains(f.Rate, "/") {
		return f.Rate
	}
	return f.Rate + "/s"
}

// parse makes the profile with a rate, times of cancels, timers at the start and
// a length in seconds. Its errors name the flag.
func (f *workloadFlags) parse(rate, after, initial string, length float64) (*workload.Profile, error) {
	timers := map[string]any{"name": "timers", "arrivals": "poisson(" + rate + ")", "delay": f.Delay}
	if f.Cancel != "" {
		timers["cancel"] = map[string]string{"share": f.Cancel, "after": after}
	}
	if initial != "" && initial != "0" {
		timers["initial"] = initial
	}
	text, err := toml.Marshal(map[string]any{
		"name": "by flags", "length": decimal(math.Ceil(length)) + "s", "tick": "1ms", "timers": []map[string]any{timers},
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

// byFlag returns an error in a profile as one of the flag that it comes from.
func (f *workloadFlags) byFlag(err error) error {
	var bad *workload.ParseError
	if !errors.As(err, &bad) {
		return err
	}
	rate := "--rate " + f.Rate
	if f.Rate == "" {
		rate = fmt.Sprint("--pending ", f.Pending, " with --delay ", f.Delay)
	}
	for _, key := range []struct{ path, flag string }{
		{"timers[0].cancel.share", "--cancel " + f.Cancel},
		{"timers[0].cancel.after", "--cancel-after " + f.CancelAfter},
		{"timers[0].cancel", "--cancel " + f.Cancel},
		{"timers[0].delay", "--delay " + f.Delay},
		{"timers[0].initial", fmt.Sprint("--pending ", f.Pending)},
		{"timers[0].arrivals", rate},
	} {
		if said, ok := strings.CutPrefix(bad.Msg, key.path+": "); ok {
			return fmt.Errorf("%s: %s", key.flag, said)
		}
	}
	return errors.New(bad.Msg)
}

// String returns the flags as they are given.
func (f *workloadFlags) String() string {
	var said []string
	for _, flag := range []struct{ name, value string }{
		{"pending", f.Pending.String()}, {"rate", f.Rate}, {"delay", f.Delay},
		{"cancel", f.Cancel}, {"cancel-after", f.CancelAfter},
	} {
		if flag.value != "" && flag.value != "0" {
			said = append(said, "--"+flag.name+" "+flag.value)
		}
	}
	return strings.Join(said, " ")
}

// decimal returns a number without an exponent.
func decimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
