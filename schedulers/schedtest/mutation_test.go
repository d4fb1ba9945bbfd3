package schedtest_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"schedbench/schedulers"
	"schedbench/schedulers/schedtest"
)

const end = time.Duration(math.MaxInt64)

type scheduler = schedulers.Scheduler[uint64]

// mutation names a mutant and the case that is meant to catch it.
type mutation struct {
	name, caught string
	mutant       func(*sound) scheduler
	unseen       bool // by the model, because no answer is wrong
	horizon      time.Duration
	coarse       bool // is a mutant of what rounds further than to a tick
}

// subject describes the mutant.
func (m mutation) subject() schedtest.Subject {
	if m.coarse {
		return coarse(time.Millisecond, m.mutant)
	}
	return subjectOf(time.Millisecond, m.horizon, m.mutant)
}

func mutations() []mutation {
	return []mutation{
		{name: "fires a tick early", caught: "never-early", mutant: func(s *sound) scheduler { return tooEarly{s} }},
		{name: "fires a nanosecond early", caught: "never-early", mutant: func(s *sound) scheduler { return tooEarlyByNanosecond{s} }},
		{name: "fires a tick late", caught: "late-by-less-than-a-tick", mutant: func(s *sound) scheduler { return tooLate{s} }},
		{name: "rounds down", caught: "never-early", mutant: func(s *sound) scheduler { return roundsDown{s} }},
		{name: "rounds multiples up", caught: "tick-rounding", mutant: func(s *sound) scheduler { return roundsUpTwice{s} }},
		{name: "rounds to a tick only", caught: "tick-rounding", coarse: true, mutant: func(s *sound) scheduler { return roundsToTick{s} }},
		{name: "rounds by the deadline", caught: "late-by-less-than-a-tick", coarse: true, mutant: func(s *sound) scheduler { return roundsFurther{s} }},
		{name: "lets the past wait", caught: "past-deadline", mutant: func(s *sound) scheduler { return pastWaits{s} }},
		{name: "moves the clock back", caught: "clock-backwards", mutant: func(s *sound) scheduler { return goesBack{s} }},
		{name: "yields at a now before the clock", caught: "clock-backwards", mutant: func(s *sound) scheduler { return backwardsYields{s} }},
		{name: "hands out twice", caught: "clock-repeated", mutant: func(s *sound) scheduler { return &repeats{sound: s} }},
		{name: "reverses the order", caught: "order", mutant: func(s *sound) scheduler { return reverses{s} }},
		{name: "drops equal deadlines", caught: "same-deadline", mutant: func(s *sound) scheduler { return dropsEquals{s} }},
		{name: "drops what does not fit", caught: "small-buffer", mutant: func(s *sound) scheduler { return dropsWithoutRoom{s} }},
		{name: "drops without a buffer", caught: "no-buffer", mutant: func(s *sound) scheduler { return dropsWithoutBuffer{s} }},
		{name: "loses one of many", caught: "many-values", unseen: true, mutant: func(s *sound) scheduler { return losesOneOfMany{s} }},
		{name: "cancels twice", caught: "cancel-once", mutant: func(s *sound) scheduler { return cancelsTwice{s, map[schedulers.ID]bool{}} }},
		{name: "loses another on cancel", caught: "cancel-spares-others", mutant: func(s *sound) scheduler { return cancelsTwo{s} }},
		{name: "cancels what has fired", caught: "cancel-fired", mutant: func(s *sound) scheduler { return cancelsFired{s, map[uint64]schedulers.ID{}} }},
		{name: "does not cancel what waits", caught: "cancel-waiting", mutant: func(s *sound) scheduler { return keepsWaiting{s} }},
		{name: "hands out what was cancelled", caught: "cancel-waiting", mutant: func(s *sound) scheduler { return cancelsWaitingInName{s} }},
		{name: "accepts stale IDs", caught: "stale-ids", mutant: func(s *sound) scheduler { return takesStale{s} }},
		{name: "panics on garbage", caught: "foreign-ids", mutant: func(s *sound) scheduler { return panicsOnGarbage{s} }},
		{name: "repeats IDs", caught: "unique-ids", mutant: func(s *sound) scheduler { return repeatsIDs{s} }},
		{name: "shares its state", caught: "independent", mutant: sharing()},
		{name: "counts the cancelled", caught: "len", mutant: func(s *sound) scheduler { return ignoresCancelled{s, new(int)} }},
		{name: "has always a next", caught: "next-iff-pending", mutant: func(s *sound) scheduler { return alwaysNext{s} }},
		{name: "wakes too late", caught: "next-lower-bound", mutant: func(s *sound) scheduler { return nextTooLate{s} }},
		{name: "sleeps while something is due", caught: "next-when-due", mutant: func(s *sound) scheduler { return nextAfterClock{s} }},
		{name: "never sleeps", caught: "next-when-due", mutant: func(s *sound) scheduler { return nextIsClock{s} }},
		{name: "wakes for the cancelled", caught: "next-after-cancel", mutant: func(s *sound) scheduler { return &wakesForCancelled{sound: s} }},
		{name: "sleeps by the nanosecond", caught: "next-suffices", unseen: true, mutant: func(s *sound) scheduler { return nextCrawls{s} }},
		{name: "overflows", caught: "maximum-duration", mutant: func(s *sound) scheduler { return overflows{s} }},
		{name: "strands the last tick", caught: "maximum-duration", mutant: func(s *sound) scheduler { return strands{s} }},
		{name: "strands the end of time", caught: "end-of-time", mutant: func(s *sound) scheduler { return strands{s} }},
		{name: "refuses within the horizon", caught: "horizon", horizon: 512 * time.Millisecond, mutant: func(s *sound) scheduler { return refusesInside{s} }},
		{name: "refuses without figures", caught: "horizon", unseen: true, horizon: 512 * time.Millisecond, mutant: func(s *sound) scheduler { return refusesBarely{s} }},
		{name: "measures the horizon from zero", caught: "horizon-moves", horizon: time.Minute, mutant: func(s *sound) scheduler { return horizonStays{s} }},
		{name: "ignores a later reset", caught: "reset", mutant: func(s *sound) scheduler { return resetForgets{s} }},
		{name: "does not reset what waits", caught: "reset-waiting", mutant: func(s *sound) scheduler { return resetKeepsWaiting{s} }},
		{name: "loses what it cannot reset", caught: "reset-refused", horizon: 512 * time.Millisecond, mutant: func(s *sound) scheduler { return resetDrops{s} }},
		{name: "lists too few", caught: "all", mutant: func(s *sound) scheduler { return allMissesOne{s} }},
		{name: "does not find what is pending", caught: "value", mutant: func(s *sound) scheduler { return valueForgets{s} }},
		{name: "finds what is stale", caught: "value", mutant: func(s *sound) scheduler { return valueOfStale{s} }},
		{name: "returns copies of values", caught: "value-replaced", unseen: true, mutant: func(s *sound) scheduler { return valueCopied{s} }},
		{name: "misreports the tick", caught: "resolution", unseen: true, mutant: func(s *sound) scheduler { return misreportsTick{s} }},
		{name: "steps through the ticks", caught: "long-jump", unseen: true, mutant: func(s *sound) scheduler { return &stepsThroughTicks{extra{sound: s}} }},
		{name: "pays for idle time", caught: "idle-jump", unseen: true, mutant: func(s *sound) scheduler { return &paysWhenIdle{extra{sound: s}} }},
		{name: "hoards the cancelled", caught: "held-bound", mutant: func(s *sound) scheduler { return &hoards{extra{sound: s}} }},
		{name: "allocates", caught: "no-allocations", unseen: true, mutant: func(s *sound) scheduler { return &allocates{sound: s} }},
		{name: "never gives back", caught: "memory-returns", unseen: true, mutant: func(s *sound) scheduler { return &neverGivesBack{sound: s} }},
	}
}

func TestMutantsAreCaught(t *testing.T) {
	cases := map[string]schedtest.Case{}
	for _, c := range schedtest.Cases() {
		cases[c.Name] = c
	}
	for _, m := range mutations() {
		t.Run(m.name, func(t *testing.T) {
			s := m.subject()
			c, ok := cases[m.caught]
			require.True(t, ok, "no case is called %s", m.caught)
			assert.Error(t, c.Verify(s).Err, "%s does not catch it", m.caught)
			if err := schedtest.Compare(s, 1, 100_000); m.unseen {
				assert.NoError(t, err)
			} else {
				assert.Error(t, err)
			}
		})
	}
}
