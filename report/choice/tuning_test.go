package choice

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/internal/words"
	"schedbench/judge"
	"schedbench/tune"
)

// writtenBy returns what is written about a choice, with single spaces.
func writtenBy(t *testing.T, tg *Tuning) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, tg.Write(&b))
	return strings.Join(strings.Fields(b.String()), " ")
}

func TestAChoiceIsWrittenWithItsReasons(t *testing.T) {
	tg := fullTuning()
	tg.Choice.Notes = []string{"the percentile is the usual one"}
	said := writtenBy(t, tg)
	for _, want := range []string{
		"99 % of the timers at most 5ms late", "at most 2 % of one core", "at most 67.1 MB of memory", "the percentile is the usual one",
		"PICK hierwheel 5ms x 64", "the knee of what is predicted, from which on less lateness costs ever more CPU, is hierwheel 5ms x 64", "RUNNER-UP roundswheel 2ms x 512",
		tg.Choice.Why, tg.Choice.Lost,
		"lateness: 200 µs left of the 5 ms allowed", "CPU: 1 % left of the 2 % allowed", "memory: 66.1 MB left of the 67.1 MB allowed",
		"waking up", "10·c·n/(w·L·d) 1.2k slots", "(c7/c6)·m·M does not apply",
		"confirmed: both within", "refuted", "The proof: predicted beside measured",
		"PROGRAM",
	} {
		require.Contains(t, said, want)
	}
}

func TestWhatWasPlayedIsToldApart(t *testing.T) {
	tg := fullTuning()
	require.Empty(t, tg.played())
	tg.Proof.Runs[0].Prediction.CPU.Value /= 2
	require.Len(t, tg.played(), 1)
	require.Contains(t, writtenBy(t, tg), "as it was played, with its operations in groups: 0.168 % in place of 0.335 % for hierwheel 5ms × 64")
}

func TestARefutedPickGivesWayToWhatWasConfirmed(t *testing.T) {
	tg := fullTuning()
	tg.Proof.Runs[0].Verdict.CPU = judge.Fails
	tg.Proof.Runs[1].Verdict.CPU = judge.Holds
	tg.Proof.Final = &tg.Proof.Runs[1]
	require.Equal(t, tg.Choice.RunnerUp.Config, tg.final().Config)
	require.Contains(t, writtenBy(t, tg), "Take roundswheel 2ms x 512, tickless, runtime waiting: the pick was refuted, and this was confirmed.")

	tg.Proof.Runs[1].Verdict.Lateness = judge.Undecided
	require.Contains(t, writtenBy(t, tg), "the pick was refuted, and this was neither confirmed nor refuted.")

	tg.Proof.Runs[0].Verdict.CPU, tg.Proof.Runs[1].Verdict.Lateness = judge.Holds, judge.Holds
	require.Contains(t, writtenBy(t, tg), "Take roundswheel 2ms x 512, tickless, runtime waiting: it takes less than the pick, and this was confirmed.")

	tg.Proof.Final = nil
	require.Equal(t, tg.Choice.Pick.Config, tg.final().Config)
	require.Contains(t, writtenBy(t, tg), "The pick stands as a prediction that was refuted, as all that was tried.")

	tg.Proof = nil
	said := writtenBy(t, tg)
	require.NotContains(t, said, "The pick stands")
	require.NotContains(t, said, "Take ")
	require.NotContains(t, said, "The proof")
}

func TestAPickThatWasNotToldStandsAsAPrediction(t *testing.T) {
	tg := fullTuning()
	require.NotContains(t, writtenBy(t, tg), "The pick stands")
	tg.Proof.Runs[0].Verdict.CPU = judge.Undecided
	said := writtenBy(t, tg)
	require.Contains(t, said, "The pick stands as a prediction that was neither confirmed nor refuted.")
	require.Contains(t, said, "cannot be told late at 99 %", "the CPU share has a verdict of its own")
	require.Contains(t, said, "what is asked for kept")
	tg.Proof.Runs[0].Verdict.Kept = judge.Fails
	require.Contains(t, writtenBy(t, tg), "what is asked for broken")
}

// The pick is called better than the runner-up on evidence only.
func TestThePickAndTheRunnerUpSideBySide(t *testing.T) {
	const less, asLittle, more, open = "the pick takes 1 % of a core less (", "the pick takes as little as the runner-up: 0", "the pick takes 1 % of a core more (", "whether the pick takes less than the runner-up cannot be told: "
	const hardly = "the pick takes 0.09 % of a core more ("
	const ofNote = "; whether that is more than the 0.1 % that count as none cannot be told, "
	all := []string{less, asLittle, more, open, hardly, ofNote, "side by side"}
	for name, c := range map[string]struct {
		pick, second judge.Average
		says         []string
	}{
		"less":             {rounds(0.02, 0.01), rounds(0.03, 0.01), []string{less, "side by side"}},
		"as little":        {rounds(0.02, 0.001), rounds(0.02, 0.001), []string{asLittle, "side by side"}},
		"more":             {rounds(0.03, 0.01), rounds(0.02, 0.01), []string{more, "side by side"}},
		"cannot be told":   {judge.Mean([]float64{0.001, 0.07, 0.02, 0.05, 0.001, 0.06}), rounds(0.02, 0.1), []string{open, "side by side"}},
		"more, but hardly": {rounds(0.0209, 0.02), rounds(0.02, 0.002), []string{hardly, ofNote, "side by side"}},
		"one was measured": {rounds(0.02, 0.01), judge.Mean(nil), nil},
	} {
		t.Run(name, func(t *testing.T) {
			tg := fullTuning()
			tg.Proof.Same = judge.Imperceptible
			tg.Proof.MoreThanRunnerUp = tune.MoreCPU(tune.Measured{CPU: c.pick}, tune.Measured{CPU: c.second}, tg.Proof.Same, 1)
			said := writtenBy(t, tg)
			for _, s := range all {
				if slices.Contains(c.says, s) {
					require.Contains(t, said, s)
				} else {
					require.NotContains(t, said, s)
				}
			}
		})
	}
}

func TestInfeasibleRequirementsAreExplained(t *testing.T) {
	tg := fullTuning()
	tg.Proof = nil
	tg.Choice.Infeasible = &tune.Infeasible{
		Binds:  "the lateness binds",
		Change: []string{"allow a lateness of 120 µs"},
	}
	tg.Choice.Pick, tg.Choice.RunnerUp, tg.Choice.Knee = nil, nil, nil
	said := writtenBy(t, tg)
	for _, want := range []string{
		"NOTHING MEETS THE REQUIREMENTS", "the lateness binds",
		"allow a lateness of 120 µs", "The alternatives",
	} {
		require.Contains(t, said, want)
	}
	require.NotContains(t, said, "PICK")
	require.NotContains(t, said, "PROGRAM")
	require.NotEmpty(t, saidBy(t, tg.figure()), "the chart is drawn all the same")
}

func TestTheBestOfEachKindIsOneThatMeetsTheMostLimits(t *testing.T) {
	all, req := fullTuning().Choice.All, fullTuning().Choice.Requirements
	best := bestOfEach(all, nil, req)
	require.Len(t, best, 5*len(ways))
	for i, b := range best {
		if i > 0 {
			require.LessOrEqual(t, better(best[i-1], b, req), 0, "in order")
		}
		for _, q := range all {
			if q.Config.Scheduler == b.Config.Scheduler && q.Config.Waking == b.Config.Waking && q.Config.Waiting == b.Config.Waiting {
				require.LessOrEqual(t, better(b, q, req), 0)
			}
		}
	}
	slow := all[len(all)-1]
	require.Contains(t, bestOfEach(all, []namedPrediction{{"pick", slow}, {"knee", all[0]}}, req), slow, "what is named stands for its kind")
	require.Equal(t, "perhaps lateness, cpu", missing(tune.Prediction{Misses: []string{"lateness", "cpu"}, Perhaps: []string{"lateness"}}))
	impossible := tune.Prediction{Impossible: "no"}
	require.Positive(t, better(impossible, all[0], req))
	require.Equal(t, "no", missing(impossible))
	near := tune.Prediction{Misses: []string{tune.LimitLateness}, Lateness: about(2*req.Lateness.Seconds(), 0), CPU: about(0.9, 0)}
	far := tune.Prediction{Misses: []string{tune.LimitLateness}, Lateness: about(9*req.Lateness.Seconds(), 0), CPU: about(0.1, 0)}
	require.Negative(t, better(near, far, req), "what misses by less is better than what takes less")
	require.InDelta(t, 9, excess(far, req), 1e-9)
}

func TestAWorkloadIsWrittenInNumbers(t *testing.T) {
	l := madeUpLoad()
	l.Resets, l.Warm, l.Notes = 500, time.Second, []string{"cut after two million operations"}
	var b strings.Builder
	require.NoError(t, Workload(&b, l))
	said := strings.Join(strings.Fields(b.String()), " ")
	for _, want := range []string{
		"WORKLOAD made-up, in numbers: over 30s of it, after the first 1s", "timers made 1k/s", "reset 500/s",
		"cancelled 880/s (58.7 %)", "fired 120/s (8.00 %)", "4.32k (at most 5k)", "12.3s", "1m", "cut after two million",
	} {
		require.Contains(t, said, want)
	}
}

func TestACalibrationIsWrittenWithItsFit(t *testing.T) {
	tg := fullTuning()
	var b strings.Builder
	require.NoError(t, Calibration(&b, tg.Cached, false))
	said := strings.Join(strings.Fields(b.String()), " ")
	for _, want := range []string{
		"2026-01-02 03:04 UTC", "results/calibration.json", "measured anew: the kernel is another",
		"insert hierwheel 100 to 10k pending 30.0 ns 40.0 ns ±10 % 7 %",
		"wakeup runtime 1ms to 5ms from one to the next 8.00 µs 9.00 µs",
		"precise 250 µs 810 µs 980 µs 998 µs 1.00 ms",
	} {
		require.Contains(t, said, want)
	}
	tg.Cached.Fresh = true
	b.Reset()
	require.NoError(t, Calibration(&b, tg.Cached, true))
	said = strings.Join(strings.Fields(b.String()), " ")
	require.Contains(t, said, "insert hierwheel 100 - 30.0 ns ±10% 5 %")
	require.Contains(t, said, "wakeup runtime - 5ms 9.00 µs ±10% 4 %")
	require.NotContains(t, said, "expire", "there is none")
	b.Reset()
	require.NoError(t, Calibration(&b, tg.Cached, false))
	require.Contains(t, b.String(), "measured just now")
}

func TestAnExplanationIsWritten(t *testing.T) {
	e := fullExplanation()
	var b strings.Builder
	require.NoError(t, WriteExplanation(&b, e, madeUpLoad()))
	said := strings.Join(strings.Fields(b.String()), " ")
	for _, want := range []string{
		"NETTY: roundswheel 100ms x 512", "on made-up", "CPU with nothing pending 0.100 % ±10%", "51.2s", "entries visited in a revolution 4.32k",
		"most in one 31", "slots that are empty 2.00 %", "variance to mean (1 if at random) 3.1", "it wakes up 10 times a second", "late at 99.9 % 99.9 ms",
	} {
		require.Contains(t, said, want)
	}
	e.Prediction.Impossible = "its horizon is too short"
	b.Reset()
	require.NoError(t, WriteExplanation(&b, e, madeUpLoad()))
	require.NotContains(t, b.String(), "CPU with nothing pending")
}

func TestEstimatesAreWrittenWithTheirIntervals(t *testing.T) {
	for want, e := range map[string]judge.Estimate{
		"":                                {Value: math.NaN()},
		"0 ns":                            {},
		"5.00 ns":                         {Value: 5, Low: 5, High: 5},
		"5.00 ns ±20%":                    {Value: 5, Low: 4.5, High: 6},
		"5.00 ns (1.00 ns to 20.0 ns)":    {Value: 5, Low: 1, High: 20},
		"5.00 ns ±∞":                      {Value: 5, Low: 4, High: math.Inf(1)},
		"-5.00 ns (-11.0 ns to -4.00 ns)": {Value: -5, Low: -11, High: -4},
		"1.00 ms ±1%":                     {Value: 1e6, Low: 0.99e6, High: 1.01e6},
	} {
		require.Equal(t, want, ranging(e, words.Nanos))
	}
	require.Equal(t, "+12 %", deviation(0.123))
	require.Equal(t, "-50 %", deviation(-0.5))
	require.Empty(t, deviation(math.NaN()))
}

// broken is a writer that fails after some bytes.
type broken struct{ left int }

var errBroken = errors.New("disk full")

func (b *broken) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		return 0, errBroken
	}
	return len(p), nil
}

func TestAWriterThatFailsIsReported(t *testing.T) {
	tg := fullTuning()
	var all strings.Builder
	require.NoError(t, tg.Write(&all))
	for n := 0; n < all.Len(); n += 97 {
		require.ErrorIs(t, tg.Write(&broken{n}), errBroken)
	}
	require.ErrorIs(t, WriteExplanation(&broken{50}, fullExplanation(), madeUpLoad()), errBroken)
	require.ErrorIs(t, Calibration(&broken{10}, tg.Cached, true), errBroken)
	require.ErrorIs(t, Workload(&broken{10}, madeUpLoad()), errBroken)
}
