package report

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/report/card"
)

// watched makes up a run in which timers of hierwheel, of its A/A series, of a control and of
// no other's were watched, and hierwheel is the fastest.
func watched() (d *rundata.Data, of func(impl string) *rundata.Series) {
	d = wins(ahead(3, catalog.Hier))
	g := newSynthetic(6)
	found := map[string]*rundata.Series{}
	for _, impl := range []string{catalog.Hier, catalog.Hier + rundata.AASuffix, catalog.Heap, rundata.ClockControl} {
		found[impl] = g.jitter(impl, rundata.Tickless, 0)
	}
	d.Series = append(d.Series, g.data.Series...)
	return d, func(impl string) *rundata.Series { return found[impl] }
}

// What an A/A series gets wrong is wrong of its contestant, on every line of the card.
func TestWhatAnAASeriesGetsWrongCounts(t *testing.T) {
	for unit, did := range map[string]string{
		rundata.Lost: "lost 3 timers", rundata.Early: "fired 3 timers early", rundata.Doubled: "fired 3 timers twice",
	} {
		d, of := watched()
		sound := cardText(t, NewCard(d, Options{}))
		has(t, sound, "TAKE          hierwheel", "timers fired once and not early")
		lacks(t, sound, "WRONG")
		require.NoError(t, WrongAnswers(d))

		of(catalog.Hier + rundata.AASuffix).Values[unit][2] = 3
		wrong := cardText(t, NewCard(d, Options{}))
		has(t, wrong, "WRONG         hierwheel "+did+": do not take it")
		lacks(t, wrong, "TAKE          hierwheel", "fired once")
		require.EqualError(t, WrongAnswers(d), "answers were wrong: hierwheel "+did)

		of(catalog.Hier).Values[unit][0] = 2
		of(catalog.Heap).Values[rundata.Lost][0] = 1
		require.ErrorContains(t, WrongAnswers(d), "timer")
		require.Len(t, NewCard(d, Options{}).Wrong, 2, "hierwheel and its A/A series are one")
	}
}

// What is lost of a control makes the run worthless, and no contestant.
func TestWhatAControlGetsWrongCounts(t *testing.T) {
	d, of := watched()
	of(rundata.ClockControl).Values[rundata.Lost][1] = 1
	said := cardText(t, NewCard(d, Options{}))
	has(t, said, "WRONG         the control "+rundata.ClockControl+" lost 1 timer: do not trust this run", "TAKE          hierwheel")
	lacks(t, said, "fired once")
	require.ErrorContains(t, WrongAnswers(d), rundata.ClockControl+" lost 1 timer")
}

// A replay of an A/A series counts, and is named once.
func TestAWrongReplayOfAnAASeriesCounts(t *testing.T) {
	d := replays()
	for range 2 {
		g := newSynthetic(6)
		g.given(rundata.Profiles, "profile=heartbeat impl=hierwheel"+rundata.AASuffix+" tick=1ms", rundata.NsPerOp, heap...)
		g.data.Series[0].Note = rundata.Wrong + ": it fired a timer that was cancelled"
		d.Series = append(d.Series, g.data.Series...)
	}
	require.EqualError(t, WrongAnswers(d), "answers were wrong: hierwheel gave other answers than the model in heartbeat")
}

// A card that has no room for all that was wrong does not say that all was right.
func TestNoRoomIsNoProof(t *testing.T) {
	d, of := watched()
	of(catalog.Heap).Values[rundata.Lost][0] = 1
	c := NewCard(d, Options{})
	replay := card.Wrong{Name: "x", Replays: []string{"heartbeat"}}
	c.Wrong = append(slices.Repeat([]card.Wrong{replay}, card.Lines), c.Wrong...)
	require.NotContains(t, cardText(t, c), "fired once")
}

// Timers that are early by design are not wrong ones.
func TestWhatIsEarlyByDesignIsSaid(t *testing.T) {
	g := newSynthetic(6)
	g.jitters(catalog.Hier)
	require.Regexp(t, `^every one of \S+ timers fired once and not early$`, NewCard(g.data, Options{}).Checked())

	s := g.jitter("jdk-timer", rundata.PresetWaking, 0)
	s.Values[rundata.EarlyByDesign] = make([]float64, len(s.Values[rundata.Fired]))
	s.Values[rundata.EarlyByDesign][0] = s.Values[rundata.Fired][0]
	card := NewCard(g.data, Options{})
	require.Empty(t, card.Wrong)
	require.Contains(t, card.Checked(), "once and not early, except those that are early by design (jdk-timer)")

	s.Values[rundata.Early][0] = 1
	require.Len(t, NewCard(g.data, Options{}).Wrong, 1)
}
