package choice

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/judge"
	"schedbench/tune"
)

// answerWords returns an answer with single spaces.
func answerWords(t *testing.T, tg *Tuning) string {
	t.Helper()
	return strings.Join(strings.Fields(answered(t, tg)), " ")
}

// fits demands that an answer is no longer and no wider than it may be.
func fits(t *testing.T, text string) {
	t.Helper()
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	require.LessOrEqual(t, len(lines), AnswerLines, "%s", text)
	for _, l := range lines {
		require.LessOrEqual(t, utf8.RuneCountInString(strings.ReplaceAll(l, "\t", "        ")), 100, "%s", l)
	}
}

// An answer begins with what is to be taken, which it says once.
func TestAnAnswerIsShortAndBeginsWithThePick(t *testing.T) {
	for _, c := range []catalog.Config{
		{Scheduler: catalog.RuntimeTimer}, {Scheduler: catalog.Heap}, {Scheduler: catalog.List, Waiting: catalog.Precise},
		{Scheduler: catalog.Heap, Tick: 15 * time.Millisecond, Waking: catalog.Ticking},
		{Scheduler: catalog.Single, Tick: time.Millisecond, Slots: 1 << 20, Waking: catalog.Ticking, Waiting: catalog.Precise},
		{Scheduler: catalog.Hier, Tick: time.Millisecond, Slots: 256},
	} {
		tg := fullTuning()
		p := predicted(c, tg.Choice.Requirements)
		tg.Choice.Pick, tg.Choice.Asked = &p, tune.Requirements{}
		tg.Choice.Notes = []string{"no limit for lateness was given: at most 1s at the p99 is assumed, which hardly any timeout minds"}
		tg.Proof.Runs[0] = proved(p, 1.1, 0.95, true)
		tg.Proof.Final = &tg.Proof.Runs[0]
		tg.Proof.Runs = append(tg.Proof.Runs, proved(p, 2, 3, false), proved(p, 4, 5, false))
		tg.Cached.Calibration.Busy = 0.5
		for i := range 9 {
			tg.Proof.Notes = append(tg.Proof.Notes, fmt.Sprintf("note %d, which goes on for longer than a line of a hundred letters has room for, since notes do that", i))
		}
		text := answered(t, tg)
		fits(t, text)
		require.True(t, strings.HasPrefix(text, "PICK          "+described(c)), text)
		require.Equal(t, 1, strings.Count(text, "PICK"))
		require.Contains(t, text, "PROGRAM\n    package timers\n")
		require.Equal(t, c.Scheduler == catalog.RuntimeTimer, strings.Contains(text, "needs no scheduler"))
		require.Contains(t, strings.Join(strings.Fields(text), " "), "ASSUMED no limit for lateness was given: at most 1s at the p99")
	}
}

func TestThePickIsWhatTheProofSays(t *testing.T) {
	tg := fullTuning()
	require.Contains(t, answerWords(t, tg), "PROVED the pick, played for 10s: 0.369 % of a core")
	require.NotContains(t, answerWords(t, tg), "which was predicted to be the best")

	// The runner-up was told to take less: it is the pick, and the only one.
	slow, fast := rounds(0.02, 0.01), rounds(0.01, 0.01)
	tg.Proof.Runs[0].Measured.CPU, tg.Proof.Runs[1].Measured.CPU = slow, fast
	tg.Proof.MoreThanRunnerUp = tune.MoreCPU(tg.Proof.Runs[0].Measured, tg.Proof.Runs[1].Measured, judge.Imperceptible, 1)
	tg.Proof.Same = judge.Imperceptible
	tg.Proof.Final = &tg.Proof.Runs[1]
	said := answerWords(t, tg)
	require.True(t, strings.HasPrefix(said, "PICK roundswheel, a tick of 2ms, 512 slots, sleeping until due COSTS"), said)
	require.Contains(t, said, "RUNNER-UP hierwheel, a tick of 5ms, 64 slots a level, sleeping until due, waiting precisely: measured side by side, it, which was predicted to be the best, takes 1 % of a core more (")
	require.Contains(t, said, "PROVED what was predicted to be the best, played for 10s: 2 % of a core")
	require.Contains(t, said, "the pick, played for 10s: 1 % of a core")
	require.Contains(t, said, "roundswheel.New[driver.Task](2*time.Millisecond, 512)")
	require.Equal(t, 1, strings.Count(said, "PICK"))

	// Nothing of what was tried kept the limits.
	tg.Proof.Final = nil
	require.Contains(t, answerWords(t, tg), "BUT the pick is a prediction that was refuted, as was all that was tried")

	tg.Proof = nil
	said = answerWords(t, tg)
	require.NotContains(t, said, "refuted")
	require.NotContains(t, said, " PROVED the pick")
	require.Contains(t, said, "NOT PROVED nothing was played: all figures are predicted")
	tg.Unproven = "too fast"
	require.Contains(t, answerWords(t, tg), "NOT PROVED too fast")
}

// What was confirmed is said so, and of what was not, what it was.
func TestEachProofHasItsLine(t *testing.T) {
	tg := fullTuning()
	const confirmed = "no more than predicted, and within the limits"
	require.Equal(t, 1, strings.Count(answerWords(t, tg), confirmed), "the runner-up was refuted")
	require.Contains(t, answerWords(t, tg), "; refuted: CPU 2 %")
	tg.Proof.Runs[0].Verdict.Lateness, tg.Proof.Runs[0].Verdict.Why = judge.Undecided, "cannot be told: lateness, since no timer fired"
	tg.Proof.Runs[0].Measured.Fired = 0
	said := answerWords(t, tg)
	require.NotContains(t, said, confirmed)
	require.Contains(t, said, "; cannot be told: lateness, since no timer fired")
}

// How much more the pick takes than the least is said, and whether anybody would notice.
func TestTheRegretIsSaid(t *testing.T) {
	const least, above = "the least of all 1 that keep the limits", "of a core above the least of all 1 that keep the limits (listsched, sleeping until due)"
	const unnoticed, open = "which nobody would notice", "which the costs of this machine do not tell from none"
	for name, c := range map[string]struct {
		cpu  judge.Estimate // of the least; the pick takes 0.5 %
		says []string
	}{
		"it is the least": {judge.Estimate{}, []string{least}},
		"unnoticed":       {judge.Estimate{Value: 0.0045, Low: 0.0045, High: 0.0045}, []string{"0.05 % " + above, unnoticed}},
		"open":            {judge.Estimate{Value: 0.0043, Low: 0.003, High: 0.009}, []string{above, open}},
		"told":            {judge.Estimate{Value: 0.0035, Low: 0.0034, High: 0.0036}, []string{"0.15 % " + above}},
	} {
		t.Run(name, func(t *testing.T) {
			tg := fullTuning()
			tg.Choice.Pick.CPU = judge.Estimate{Value: 0.005, Low: 0.005, High: 0.005}
			tg.Choice.Ranked = []tune.Prediction{*tg.Choice.Pick}
			tg.Proof, tg.Choice.Least = nil, tg.Choice.Pick
			if c.cpu.Value > 0 {
				tg.Choice.Least = &tune.Prediction{Config: catalog.Config{Scheduler: catalog.List}, CPU: c.cpu}
			}
			said := answerWords(t, tg)
			for _, s := range c.says {
				require.Contains(t, said, s)
			}
			for _, s := range []string{unnoticed, open} {
				require.Equal(t, strings.Contains(strings.Join(c.says, " "), s), strings.Contains(said, s), said)
			}
		})
	}
}

// The pick is called better than the runner-up on evidence only.
func TestThePickAndTheRunnerUpSideBySide(t *testing.T) {
	const less, asLittle, more, open = "it takes 1 % of a core more (", "it takes as little as the pick: 0", "it takes 1 % of a core less (", "whether it takes less than the pick cannot be told: "
	all := []string{less, asLittle, more, open, "measured side by side"}
	for name, c := range map[string]struct {
		pick, second judge.Average
		says         []string
	}{
		"less":             {rounds(0.02, 0.01), rounds(0.03, 0.01), []string{less, "measured side by side"}},
		"as little":        {rounds(0.02, 0.001), rounds(0.02, 0.001), []string{asLittle, "measured side by side"}},
		"more":             {rounds(0.03, 0.01), rounds(0.02, 0.01), []string{more, "measured side by side"}},
		"cannot be told":   {judge.Mean([]float64{0.001, 0.07, 0.02, 0.05, 0.001, 0.06}), rounds(0.02, 0.1), []string{open, "measured side by side"}},
		"one was measured": {rounds(0.02, 0.01), judge.Mean(nil), nil},
	} {
		t.Run(name, func(t *testing.T) {
			tg := fullTuning()
			tg.Proof.Same = judge.Imperceptible
			tg.Proof.Runs[0].Measured.CPU, tg.Proof.Runs[1].Measured.CPU = c.pick, c.second
			tg.Proof.MoreThanRunnerUp = tune.MoreCPU(tg.Proof.Runs[0].Measured, tg.Proof.Runs[1].Measured, tg.Proof.Same, 1)
			said := answerWords(t, tg)
			for _, s := range all {
				require.Equal(t, strings.Contains(strings.Join(c.says, "|"), s), strings.Contains(said, s), "%s: %s", s, said)
			}
		})
	}
}

func TestInfeasibleRequirementsAreExplained(t *testing.T) {
	tg := fullTuning()
	tg.Proof = nil
	tg.Choice.Infeasible = &tune.Infeasible{
		Binds:  "the lateness binds",
		Change: []string{"allow a lateness of 120 µs", "allow precise waiting"},
	}
	tg.Choice.Pick, tg.Choice.RunnerUp, tg.Choice.Knee = nil, nil, nil
	said := writtenBy(t, tg)
	for _, want := range []string{
		"PICK nothing meets what is asked for: 99 % of the timers at most 5ms late", "BINDS the lateness binds",
		"CHANGE allow a lateness of 120 µs allow precise waiting", "The alternatives",
	} {
		require.Contains(t, said, want)
	}
	fits(t, answered(t, tg))
	require.NotContains(t, said, "RUNNER-UP")
	require.NotContains(t, said, "PROGRAM")
	require.NotEmpty(t, saidBy(t, tg.figure()), "the chart is drawn all the same")
}
