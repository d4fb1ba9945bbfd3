package live

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/internal/must"
)

// judged judges two timers, due at 10 ms of 20, that were noted as given: pairs of a number and an instant.
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

func millis(n float64) time.Duration { return time.Duration(n * float64(time.Millisecond)) }

func TestTimersThatFireInAStallAreHeldUp(t *testing.T) {
	const began = int64(1e12)
	at := func(firings ...float64) *Outcome {
		o := &Outcome{Began: began}
		for _, f := range firings { // each 40 ms late
			o.Firings = append(o.Firings, Firing{At: millis(f), Deadline: millis(f - 40)})
		}
		return o
	}
	stalls := []Stall{{began + int64(millis(100)), began + int64(millis(110))}}
	for name, c := range map[string]struct {
		o      *Outcome
		heldUp int
		calm   []bool
	}{
		"before, when it begins, in it, at its end, just after, later": {at(99.9, 100, 105, 110, 111, 111.1, 112, 140, 141), 4, []bool{true, false, false, false, false, true, true, true, true}},
		"due in it, and later by itself":                               {at(145, 146), 0, []bool{true, true}},
		"more than half":                                               {at(90, 100, 105), 0, []bool{true, true, true}},
		"half":                                                         {at(90, 105), 1, []bool{true, false}},
		"nothing fired":                                                {at(), 0, nil},
		"an unknown beginning":                                         {&Outcome{Firings: at(1, 2, 100).Firings}, 0, []bool{true, true, true}},
	} {
		calm, heldUp := c.o.Calm(stalls)
		require.Equal(t, c.heldUp, heldUp, name)
		for i, f := range c.o.Firings {
			require.Equal(t, c.calm[i], calm(f), "%s: %v", name, f)
		}
	}
}

func TestStallsAreReadAsTheyAreWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stalls")
	require.Empty(t, must.Get(StallsIn(path))(t))
	require.NoError(t, os.WriteFile(path, []byte("1 20\n30 400\n5 6"), 0o600))
	require.Equal(t, []Stall{{1, 20}, {30, 400}}, must.Get(StallsIn(path))(t), "the last is not whole yet")
	require.NoError(t, os.WriteFile(path, []byte("1 x\n"), 0o600))
	_, err := StallsIn(path)
	require.ErrorContains(t, err, `"1 x\n"`)
}

func TestAThreadThatIsLateIsAStall(t *testing.T) {
	next := alarm(100 * time.Millisecond)
	var found []Stall
	for _, woke := range []float64{100.1, 102.5, 104.9, 105.1, 200} {
		if s, stalled := next.woke(int64(millis(woke))); stalled {
			found = append(found, s)
		}
	}
	require.Equal(t, []Stall{{int64(millis(102)), int64(millis(104.9))}, {int64(millis(106.9)), int64(millis(200))}}, found)
	require.Equal(t, alarm(millis(201)), next)
}
