package cli

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"schedbench/tune"
)

// requireFlags say what a configuration must meet.
type requireFlags struct {
	P50        *time.Duration `name:"p50" help:"Half of the timers at most this late." placeholder:"DURATION" group:"Requirements"`
	P99        *time.Duration `name:"p99" help:"99 % of the timers at most this late." placeholder:"DURATION" group:"Requirements"`
	P999       *time.Duration `name:"p999" help:"99.9 % of the timers at most this late." placeholder:"DURATION" group:"Requirements"`
	Percentile percentile     `help:"Another percentile at which to look, such as 99.5%." placeholder:"P" group:"Requirements"`
	Lateness   *time.Duration `help:"What --percentile of the timers may be late by." placeholder:"DURATION" group:"Requirements"`
	CPU        percent        `help:"Share of one core that the timers may take." placeholder:"SHARE" group:"Requirements"`
	Memory     memory         `help:"Memory that the pending timers may take, such as 64MiB." placeholder:"BYTES" group:"Requirements"`
	MustTick   bool           `help:"The driver has to wake up at every tick." group:"Requirements"`
	NoTick     bool           `help:"The driver must sleep until something is due." group:"Requirements"`
	NoPrecise  bool           `help:"Wait by the Go runtime's timers only, which end about a millisecond late on Linux." group:"Requirements"`
}

// requirements returns what the flags require, or what is wrong with them.
func (f *requireFlags) requirements() (tune.Requirements, error) {
	r := tune.Requirements{
		CPU: float64(f.CPU), Memory: int64(f.Memory),
		MustTick: f.MustTick, MustNotTick: f.NoTick, NotPrecise: f.NoPrecise,
	}
	if f.MustTick && f.NoTick {
		return r, errors.New("--must-tick and --no-tick contradict each other")
	}
	limits := f.limits()
	if len(limits) > 1 {
		return r, fmt.Errorf("%s and %s are two requirements of lateness, want one of them", limits[0].flag, limits[1].flag)
	}
	for _, l := range limits {
		if l.late <= 0 {
			return r, fmt.Errorf("%s %v, want a positive duration", l.flag, l.late)
		}
		r.Percentile, r.Lateness = l.share, l.late
	}
	return r, f.pair(&r)
}

// latenessLimit is a requirement of lateness, as given by a flag.
type latenessLimit struct {
	flag  string
	share float64
	late  time.Duration
}

// limits returns the requirements of lateness that are given.
func (f *requireFlags) limits() (given []latenessLimit) {
	for _, l := range []struct {
		flag  string
		share float64
		late  *time.Duration
	}{{"--p50", 0.5, f.P50}, {"--p99", 0.99, f.P99}, {"--p999", 0.999, f.P999}, {"--lateness", float64(f.Percentile), f.Lateness}} {
		if l.late != nil {
			given = append(given, latenessLimit{l.flag, l.share, *l.late})
		}
	}
	return given
}

// pair checks that --percentile and --lateness go together. A lateness alone is at
// 99 %.
func (f *requireFlags) pair(r *tune.Requirements) error {
	switch {
	case f.Percentile == 0 && f.Lateness != nil:
		r.Percentile = 0.99
	case f.Percentile != 0 && f.Lateness == nil:
		return fmt.Errorf("--percentile %v goes with --lateness, such as --lateness 5ms; --p50, --p99 and --p999 say both at once", f.Percentile)
	}
	return nil
}

// percentile is a share of timers given as 99.5%, 99.5 or 0.995.
type percentile float64

// UnmarshalText reads a percentile. Numbers above 1 are percent.
func (p *percentile) UnmarshalText(text []byte) error {
	digits, isPercent := strings.CutSuffix(string(text), "%")
	v, err := strconv.ParseFloat(digits, 64)
	if isPercent || v > 1 {
		v /= 100
	}
	if err != nil || !(v >= 0.01 && v <= 0.99999) {
		return fmt.Errorf("%q, want a percentile from 1%% to 99.999%%", text)
	}
	*p = percentile(v)
	return nil
}

func (p percentile) String() string { return strconv.FormatFloat(100*float64(p), 'g', 6, 64) + "%" }

// memory is an amount of memory given as 64MiB, 1.5GB or 4096.
type memory int64

// memoryUnits are the units of memory, those first that end others.
var memoryUnits = []struct {
	name string
	size float64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1}, {"", 1},
}

// UnmarshalText reads an amount of at least a byte.
func (m *memory) UnmarshalText(text []byte) error {
	for _, unit := range memoryUnits {
		digits, ok := strings.CutSuffix(string(text), unit.name)
		if !ok {
			continue
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
		if v *= unit.size; err == nil && v >= 1 && v < math.MaxInt64 {
			*m = memory(v)
			return nil
		}
		break
	}
	return fmt.Errorf("%q, want an amount of memory such as 64MiB", text)
}
