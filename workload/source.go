package workload

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Source is a workload that can be opened as often as one likes, and is the same
// each time: a profile, or a trace of a real program.
type Source struct {
	// Name tells it from others in tables and file names.
	Name string
	// Tick is the tick of the schedulers that it is replayed with.
	Tick time.Duration
	// Horizon is at least the longest delay, as far as it is known beforehand.
	Horizon time.Duration
	// Steady is when the stream has reached its steady state, as far as that is
	// known.
	Steady time.Duration
	// Length is for how long timers are made; 0 is unknown.
	Length time.Duration
	// Ops and Pending are how many operations and pending timers to expect; 0 is
	// unknown.
	Ops, Pending int
	// Scalable says that it can be opened at another scale, and for longer. A trace
	// can not.
	Scalable bool
	// Version tells sources of the same name apart: two of the same version have the
	// same operations.
	Version string
	// Open returns the operations from the first on. What is zero in the options is
	// as the source was made; Scale multiplies the scale that it was made with. The
	// stream is closed with Close.
	Open func(Options) (Stream, error)
}

// SourceOf returns a profile as a source, with the seed, the scale and the length
// of the options. An error says what is wrong with these.
func SourceOf(p *Profile, o Options) (Source, error) {
	if _, err := p.Stream(o); err != nil {
		return Source{}, err
	}
	scale, length := cmp.Or(o.Scale, 1), cmp.Or(o.For, p.length)
	s := Source{
		Name: TidyName(p.Name), Tick: p.Tick, Horizon: p.Horizon(), Scalable: true,
		Length:  length,
		Ops:     int(p.Mix().Operations() * scale * length.Seconds()),
		Pending: int(p.Pending(length) * scale),
		Version: fmt.Sprintf("%v %016x", o, p.digest),
		Open: func(other Options) (Stream, error) {
			return p.Stream(Options{
				Seed: cmp.Or(other.Seed, o.Seed), Scale: scale * cmp.Or(other.Scale, 1), For: cmp.Or(other.For, o.For),
			})
		},
	}
	if scale != 1 {
		s.Name += "@" + strconv.FormatFloat(scale, 'g', 4, 64)
	}
	return s, nil
}

// TidyName returns a name that can be that of a file and part of that of a
// benchmark: what cannot is a hyphen in it.
func TidyName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '/' || r == '\\' || r == '=' || unicode.IsSpace(r) || !unicode.IsPrint(r) {
			return '-'
		}
		return r
	}, name)
}
