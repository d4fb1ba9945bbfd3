package tune

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"schedbench/internal/words"
	"schedbench/judge"
)

// Verdict says whether a prediction was right.
type Verdict struct {
	// CPU and Lateness say whether what was measured is no more than was predicted, within
	// the tolerances, and Kept whether it meets the requirements.
	CPU, Lateness, Kept judge.Finding
	// CPUError and LatenessError are by how much the prediction was off, as shares of
	// what was measured: 0.1 is a tenth too high. LatenessError is NaN if no timer
	// fired.
	CPUError, LatenessError float64
	// Why says it in words.
	Why string
}

// Finding says whether a prediction is confirmed, which it is if all of it holds, or
// refuted, which it is if any of it fails.
func (v Verdict) Finding() judge.Finding { return judge.All(v.CPU, v.Lateness, v.Kept) }

// The tolerances of a prediction, as shares of what was measured, and how many
// seconds of lateness are let pass in any case.
const (
	cpuTolerance      = 0.25
	latenessTolerance = 0.20
	latenessLeast     = 150e-6
)

// verdictOf compares a prediction with what was measured. What was measured may be more
// than was predicted, a CPU share by cpuTolerance, by what nobody would notice, or up to the
// upper end of its interval; lateness by latenessTolerance, latenessLeast or up to that end. It
// may be as much less as it likes, since that is no reason against a choice. It is so
// with the whole of the interval of what was measured, or it is not, or that cannot be
// told; and a limit is kept or broken in the same way.
func verdictOf(p Prediction, m Measured, r Requirements) Verdict {
	if p.Impossible != "" {
		return Verdict{CPU: judge.Fails, Lateness: judge.Fails, Kept: judge.Fails,
			CPUError: math.NaN(), LatenessError: math.NaN(), Why: "refuted: " + p.Impossible}
	}
	dearest := max(judge.Near(p.CPU.Value, cpuTolerance, r.Worthwhile()).High, p.CPU.High)
	latest := max(judge.Near(p.Lateness.Value, latenessTolerance, latenessLeast).High, p.Lateness.High)
	cpu := claim{m: m.CPU, in: judge.AtMost(dearest),
		what: "CPU", where: "at most " + ofACore(dearest) + " was expected", write: words.Share}
	late := claim{m: m.Lateness, in: judge.AtMost(latest),
		what: "lateness", where: "at most " + inUnits(latest) + " was expected", write: inUnits, fired: m.Fired, timers: true}
	v := Verdict{
		CPU: cpu.finding(), Lateness: late.finding(),
		CPUError: p.CPU.Value/m.CPU.Value - 1, LatenessError: p.Lateness.Value/m.Lateness.Value - 1,
	}
	if m.Fired == 0 {
		v.LatenessError = math.NaN()
	}
	limits := claimsOf(m, r)
	v.Kept = judge.Holds
	for _, c := range limits {
		v.Kept = judge.All(v.Kept, c.finding())
	}
	v.Why = inWords(v.Finding(), append([]claim{cpu, late}, limits...))
	return v
}

// claimsOf returns that what was measured keeps the limits, those that there are.
func claimsOf(m Measured, r Requirements) (limits []claim) {
	if r.Lateness > 0 {
		limits = append(limits, claim{m: m.Lateness, in: judge.AtMost(r.Lateness.Seconds()), what: "lateness",
			where: fmt.Sprintf("at most %v is allowed", r.Lateness), write: inUnits, fired: m.Fired, timers: true})
	}
	if r.CPU > 0 {
		limits = append(limits, claim{m: m.CPU, in: judge.AtMost(r.CPU), what: "CPU",
			where: "at most " + ofACore(r.CPU) + " is allowed", write: words.Share})
	}
	return limits
}

// claim is that something which was measured is in a band.
type claim struct {
	m           judge.Average
	in          judge.Band
	what, where string
	write       words.Format
	// fired is how many timers tell it, if it is of timers.
	fired  int
	timers bool
}

func (c claim) finding() judge.Finding { return c.m.Is(c.in) }

// says says what was measured where what was expected or allowed.
func (c claim) says() string {
	if c.timers && c.fired == 0 {
		return c.what + ", since no timer fired"
	}
	said := fmt.Sprintf("%s %s where %s", c.what, words.Interval(c.m.Value, c.m.Low, c.m.High, c.write), c.where)
	switch {
	case c.finding() != judge.Undecided:
		return said
	case c.timers && len(c.m.Blocks) == 0:
		return said + fmt.Sprintf(", of %s", words.Many(c.fired, "timer"))
	}
	return said + " (" + words.More(c.m.More(c.in), judge.TooMany, "round") + " would tell)"
}

// inWords says what is known of claims: which fail, and which cannot be told.
func inWords(f judge.Finding, claims []claim) string {
	of := func(f judge.Finding) (said []string) {
		for _, c := range claims {
			if c.finding() == f {
				said = append(said, c.says())
			}
		}
		return slices.Compact(said)
	}
	if f == judge.Holds {
		return "confirmed"
	}
	var said []string
	if failed := of(judge.Fails); len(failed) > 0 {
		said = append(said, "refuted: "+strings.Join(failed, "; "))
	}
	if open := of(judge.Undecided); len(open) > 0 {
		said = append(said, "cannot be told: "+strings.Join(open, "; "))
	}
	return strings.Join(said, "; ")
}
