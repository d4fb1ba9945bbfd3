package workload

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
)

//go:embed profiles/*.toml
var files embed.FS

// Profile is a workload as data: which timers a program sets, and what becomes
// of them. It is made by Parse, Find or Builtin, and does not change.
type Profile struct {
	// Name is how the profile is called.
	Name string
	// About says in a sentence what it stands for.
	About string
	// Source says where its figures are from.
	Source string
	// Choices are the figures and models that are not from the source, with
	// reasons.
	Choices []string
	// Tick is what a scheduler with ticks is given unless told otherwise.
	Tick time.Duration

	length      time.Duration
	populations []Population
	digest      uint64 // of its text
}

// builtin are the names of the embedded profiles, in their order.
func builtin() []string {
	return []string{
		"kafka-purgatory", "rpc-timeout", "http-deadline", "idle-keepalive", "tcp-rto",
		"long-uniform", "heartbeat", "pacing", "delayed-message", "cache-ttl",
		"mixed-horizon", "business-ack", "sub-ms", "idle",
	}
}

// Builtin returns the profiles that come with the package, always in the same
// order.
func Builtin() []*Profile {
	var all []*Profile
	for _, name := range builtin() {
		all = append(all, embedded(name))
	}
	return all
}

// embedded reads a profile that the package brings. A fault in one is a fault of
// the package, which its tests would find.
func embedded(name string) *Profile {
	p, err := parseEmbedded(name)
	if err != nil {
		panic(err)
	}
	return p
}

func parseEmbedded(name string) (*Profile, error) {
	path := "profiles/" + name + ".toml"
	f, err := files.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return parse(f, path, "")
}

// Find returns the profile of that name that comes with the package, or reads
// the file of that name.
func Find(nameOrFile string) (*Profile, error) {
	if slices.Contains(builtin(), nameOrFile) {
		return embedded(nameOrFile), nil
	}
	f, err := os.Open(nameOrFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("workload: no profile and no file is called %q; the profiles are %s: %w",
			nameOrFile, strings.Join(builtin(), ", "), fs.ErrNotExist)
	}
	if err != nil {
		return nil, fmt.Errorf("workload: %w", err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, fmt.Errorf("workload: %s is a folder, not a profile", nameOrFile)
	}
	return Parse(f, nameOrFile)
}

// Populations returns the kinds of timers in the profile.
func (p *Profile) Populations() []Population { return slices.Clone(p.populations) }

// Length returns for how long of virtual time timers are made, unless told
// otherwise.
func (p *Profile) Length() time.Duration { return p.length }

// Horizon returns the longest delay: no timer of the profile is due later than
// this after it was armed.
func (p *Profile) Horizon() time.Duration {
	var longest time.Duration
	for i := range p.populations {
		longest = max(longest, p.populations[i].horizon())
	}
	return longest
}

// Initial returns how many timers are pending at the start.
func (p *Profile) Initial() (n int) {
	for i := range p.populations {
		n += p.populations[i].initial
	}
	return n
}

// Mix returns what all timers together ask for in the long run.
func (p *Profile) Mix() Mix {
	var m Mix
	for i := range p.populations {
		m = m.plus(p.populations[i].mix)
	}
	return m
}

// Pending returns how many timers are pending on average, by what the profile
// says, when they have been made for a while.
func (p *Profile) Pending(after time.Duration) (n float64) {
	for i := range p.populations {
		n += p.populations[i].pendingAfter(float64(after))
	}
	return n
}

// Delay returns the distribution of the delays with which timers are armed, each
// population counting as often as it arms timers.
func (p *Profile) Delay() Distribution {
	if len(p.populations) == 1 {
		return p.populations[0].Delay()
	}
	var parts []law
	var weights []float64
	for i := range p.populations {
		parts = append(parts, p.populations[i].Delay().law)
		weights = append(weights, p.populations[i].mix.Armings())
	}
	return Distribution{law: newMixture(parts, weights), text: "all delays of " + p.Name}
}
