package live

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/internal/must"
)

// millis returns some milliseconds.
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
	require.Equal(t, []Stall{{1, 20}, {30, 400}}, must.Get(ReadStalls(strings.NewReader("1 20\n30 400\n5 6")))(t), "the last is not whole yet")
	_, err := ReadStalls(strings.NewReader("1 x\n"))
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
