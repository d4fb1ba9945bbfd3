package choice

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/internal/words"
	"schedbench/judge"
	"schedbench/tune"
)

// answered returns an answer as it is written.
func answered(t *testing.T, tg *Tuning) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, tg.Answer(&b))
	return b.String()
}

// writtenBy returns an answer and its reasons, with single spaces.
func writtenBy(t *testing.T, tg *Tuning) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, tg.Why(&b, false))
	return strings.Join(strings.Fields(answered(t, tg)+b.String()), " ")
}

func TestAChoiceIsWrittenWithItsReasons(t *testing.T) {
	tg := fullTuning()
	tg.Choice.Notes = []string{"the percentile is the usual one"}
	said := writtenBy(t, tg)
	for _, want := range []string{
		"99 % of the timers at most 5ms late", "at most 2 % of one core", "at most 67.1 MB of memory", "the percentile is the usual one",
		"PICK hierwheel, a tick of 5ms, 64 slots a level, sleeping until due, waiting precisely COSTS 0.335 % of a core", "the knee of what is predicted, from which on less lateness costs ever more CPU, is hierwheel 5ms x 64", "RUNNER-UP roundswheel, a tick of 2ms, 512 slots, sleeping until due:",
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
	x := &Explained{Explanation: e, Load: madeUpLoad(), Cached: fullTuning().Cached}
	write := func() {
		require.NoError(t, x.Answer(&b))
		require.NoError(t, x.Why(&b, false))
	}
	write()
	said := strings.Join(strings.Fields(b.String()), " ")
	require.Contains(t, said, "JUDGED netty on made-up: roundswheel, a tick of 100ms, 512 slots, waking at every tick FOUND it wakes up 10 times a second with nothing due")
	require.NotContains(t, said, "The same with other ticks")
	e.Rows = []tune.Prediction{e.Prediction}
	x.Rows = []tune.Proved{proved(e.Prediction, 2, 1, true)}
	b.Reset()
	write()
	require.Contains(t, b.String(), "measured")
	require.Contains(t, b.String(), "The same with other ticks")
	for _, want := range []string{
		"NETTY: roundswheel 100ms x 512", "on made-up", "CPU with nothing pending 0.100 % ±10%", "51.2s", "entries visited in a revolution 4.32k",
		"most in one 31", "slots that are empty 2.00 %", "variance to mean (1 if at random) 3.1", "it wakes up 10 times a second", "late at 99.9 % 99.9 ms",
	} {
		require.Contains(t, said, want)
	}
	e.Prediction.Impossible = "its horizon is too short"
	b.Reset()
	write()
	require.Contains(t, b.String(), "IMPOSSIBLE    its horizon is too short")
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
	require.NoError(t, tg.Why(&all, false))
	for n := 0; n < all.Len(); n += 97 {
		require.ErrorIs(t, tg.Why(&broken{n}, false), errBroken)
	}
	require.ErrorIs(t, tg.Answer(&broken{10}), errBroken)
	x := &Explained{Explanation: fullExplanation(), Load: madeUpLoad(), Cached: tg.Cached}
	require.ErrorIs(t, x.Answer(&broken{50}), errBroken)
	require.ErrorIs(t, x.Why(&broken{50}, true), errBroken)
	require.ErrorIs(t, Calibration(&broken{10}, tg.Cached, true), errBroken)
	require.ErrorIs(t, Workload(&broken{10}, madeUpLoad()), errBroken)
}
