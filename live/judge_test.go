package live

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// judged returns what is made of two timers, due at 10 ms of 20, that were noted as
// given, in pairs of a number and an instant.
func judged(change func(*player), noted ...time.Duration) (o Outcome) {
	p := newPlayer(context.Background(), &Clock{}, &Slice{Length: 20 * ms, Timers: 2}, Options{})
	p.deadline[0], p.deadline[1] = 10*ms, 10*ms
	if change != nil {
		change(p)
	}
	for i := 0; i < len(noted); i += 2 {
		p.notes.add(int32(noted[i]), noted[i+1])
	}
	p.judge(&o)
	return o
}

func TestWrongAnswersAreFound(t *testing.T) {
	stopped := func(p *player) { p.stopped[0] = true }
	for name, c := range map[string]struct {
		got                                  Outcome
		fired, early, lost, doubled, firings int
	}{
		"on time":            {judged(nil, 1, 11*ms, 0, 10*ms), 2, 0, 0, 0, 2},
		"due later":          {judged(func(p *player) { p.deadline[0] = 25 * ms }, 1, 11*ms, 0, 30*ms), 2, 0, 0, 0, 1},
		"never armed":        {judged(func(p *player) { p.deadline[0] = never }, 1, 11*ms), 1, 0, 0, 0, 1},
		"early":              {judged(nil, 1, 10*ms-1, 0, 10*ms), 2, 1, 0, 0, 2},
		"before it was":      {judged(nil, 1, 0, 0, -10*ms), 2, 2, 0, 0, 2},
		"twice":              {judged(nil, 1, 10*ms, 1, 11*ms, 0, 10*ms), 2, 0, 0, 1, 2},
		"three times":        {judged(nil, 1, 10*ms, 1, 11*ms, 1, 12*ms, 0, 10*ms), 2, 0, 0, 1, 2},
		"never":              {judged(nil, 1, 10*ms), 1, 0, 1, 0, 1},
		"all lost":           {judged(nil), 0, 0, 2, 0, 0},
		"stopped":            {judged(stopped, 1, 10*ms), 1, 0, 0, 0, 1},
		"stopped, and fired": {judged(stopped, 0, 5*ms, 1, 10*ms), 2, 0, 0, 1, 1},
	} {
		require.Equal(t, []int{c.fired, c.early, c.lost, c.doubled, c.firings},
			[]int{c.got.Fired, c.got.Early, c.got.Lost, c.got.Doubled, len(c.got.Firings)}, name)
		require.Equal(t, c.early+c.lost+c.doubled > 0, errors.Is(c.got.Check(), ErrWrong), name)
	}
}

func TestNotesAreOfAnyNumber(t *testing.T) {
	n := newNotes(1)
	for range 100 {
		n.add(0, ms)
	}
	seen := 0
	n.each(func(timer int32, at time.Duration) {
		seen++
		require.Zero(t, timer)
		require.Equal(t, ms, at)
	})
	require.Equal(t, len(n.list), seen)
	require.Equal(t, int64(100), n.count.Load())
}

func TestNotingTakesCPUTime(t *testing.T) {
	needCPUTime(t)
	require.Positive(t, NotingCPU(Pending(make([]time.Duration, 10_000))))
}

func TestAnOutcomeIsJudgedAlikeForAllPlayers(t *testing.T) {
	s := Arrivals([]time.Duration{0, ms, 2 * ms, 3 * ms}, []time.Duration{10 * ms, 11 * ms, 12 * ms, 13 * ms})
	out := OutcomeOf(s, []Firing{{Timer: 0, At: 9 * ms}, {Timer: 1, At: 12 * ms}, {Timer: 1, At: 13 * ms}, {Timer: 2, At: 12 * ms}})
	require.Equal(t, 3, out.Fired)
	require.Equal(t, 1, out.Early)
	require.Equal(t, 1, out.Doubled)
	require.Equal(t, 1, out.Lost)
	require.Equal(t, []Firing{{0, 9 * ms, 10 * ms}, {1, 12 * ms, 11 * ms}, {2, 12 * ms, 12 * ms}}, out.Firings)

	out = OutcomeOf(Pending([]time.Duration{ms}), []Firing{{Timer: 0, At: ms}})
	require.NoError(t, out.Check())
}
