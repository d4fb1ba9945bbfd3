package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/internal/judge"
	"schedbench/internal/must"
	"schedbench/internal/tune"
	"schedbench/workload"
)

// tuned runs a command line of tune in an empty folder, with a made-up choice.
func tuned(t *testing.T, err error, args ...string) (got outcome, src workload.Source, o tune.Options) {
	t.Helper()
	t.Chdir(t.TempDir())
	return tunedHere(t, err, args...)
}

// tunedHere is tuned in the folder of the test.
func tunedHere(t *testing.T, err error, args ...string) (got outcome, src workload.Source, o tune.Options) {
	t.Helper()
	c, failed := tuneOf(t, args...)
	require.NoError(t, failed)
	choose := func(_ context.Context, s workload.Source, r tune.Requirements, with tune.Options) (*tune.Choice, error) {
		src, o = s, with
		with.Progress("playing", 0, 0)
		if err != nil {
			return nil, err
		}
		f := &tune.Figures{CPU: judge.Mean([]float64{0.01, 0.011}), Lateness: judge.Average{Estimate: judge.Estimate{Value: 0.001, Low: 0.001, High: 0.001}}}
		ch := &tune.Choice{Segment: &tune.Segment{Source: s, Scale: 1}, Requirements: r,
			Candidates: []*tune.Candidate{{Config: catalog.Config{Scheduler: catalog.Heap}, Heat: f, Final: f}}}
		ch.Decide()
		return ch, nil
	}
	var out, errOut bytes.Buffer
	err = c.run(&console{Program: Program{Contestants: ownContestants()}, ctx: t.Context(), out: &out, err: &errOut}, choose)
	return outcome{exitStatus(err, &errOut), out.String(), errOut.String()}, src, o
}

func TestTuneAnswersAndDraws(t *testing.T) {
	got, _, _ := tuned(t, nil, "heartbeat", "--explain", "clockwork")
	require.Contains(t, got.out, "JUDGED        clockwork on heartbeat", "a driver of the program")
	got, src, o := tuned(t, nil, "heartbeat", "--p99", "5ms", "--explain", "netty", "--time", "30s")
	got.ends(t, 0)
	got.says(t, "JUDGED        netty on heartbeat", "PICK          heapsched, sleeping until due", "all candidates: the same with --why")
	require.Equal(t, "heartbeat", src.Name)
	require.Equal(t, 30*time.Second, o.Time)
	require.Equal(t, "netty", o.Explain.Name)
}

func TestTuneKeepsTheChartsOfEarlierOnes(t *testing.T) {
	t.Chdir(t.TempDir())
	tunedHere(t, os.ErrPermission, "heartbeat")
	require.Empty(t, must.Get(os.ReadDir("results"))(t), "nothing is drawn")
	require.NoError(t, os.Mkdir("mine", 0o755))
	tunedHere(t, os.ErrPermission, "heartbeat", "--out", "mine")
	require.DirExists(t, "mine", "it was there before")
	for n := range 2 {
		got, _, _ := tunedHere(t, nil, "heartbeat")
		drawn := must.Get(filepath.Glob(filepath.Join("results", "tune-heartbeat-*", "tune.png")))(t)
		require.Len(t, drawn, n+1)
		got.says(t, "chart: "+filepath.Dir(drawn[n])+": tune.png")
	}
	for range 2 {
		got, _, _ := tunedHere(t, nil, "heartbeat", "--out", "here")
		got.says(t, "here: tune.png")
	}
}

func TestTuneWithoutLatenessDrawsNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	c := must.Get(tuneOf(t, "heartbeat", "--out", "drawn"))(t)
	var out bytes.Buffer
	require.NoError(t, c.run(&console{ctx: t.Context(), out: &out, err: io.Discard}, func(_ context.Context, s workload.Source, _ tune.Requirements, _ tune.Options) (*tune.Choice, error) {
		f := &tune.Figures{CPU: judge.Mean([]float64{0.01, 0.011})}
		chosen := &tune.Choice{Segment: &tune.Segment{Source: s, Scale: 1}, Candidates: []*tune.Candidate{{Config: catalog.Config{Scheduler: catalog.Heap}, Heat: f, Final: f}}}
		chosen.Decide()
		return chosen, nil
	}))
	require.Contains(t, out.String(), "no chart: no timer fired")
	require.NoDirExists(t, "drawn")
}

func TestAnInterruptedTuneSaysSo(t *testing.T) {
	got, _, _ := tuned(t, context.Canceled, "heartbeat")
	require.Contains(t, got.ends(t, exitInterrupted).err, "interrupted before anything could be chosen")
	got, _, _ = tuned(t, os.ErrPermission, "heartbeat")
	got.ends(t, exitFailed)
}

// The candidates of a match are played by processes of their own, which get what the command line says of them.
func TestAMatchIsPlayedByProcesses(t *testing.T) {
	args, own := []string{"heartbeat", "--explain", "clockwork"}, ownContestants()
	c := must.Get(tuneOf(t, args...))(t)
	src := must.Get(c.workload(workload.Options{}, func(string) {}))(t)
	clockwork := must.Get(c.explained(c.requireFlags, own))(t)
	con := &console{Program: Program{Contestants: own, processes: true}, ctx: t.Context(), args: append([]string{"tune"}, args...)}
	play := c.player(con)
	m := tune.Match{Source: src, Slice: 300 * time.Millisecond, Candidates: []*tune.Candidate{
		{Config: catalog.Config{Scheduler: catalog.RuntimeTimer}},
		{Config: catalog.Config{Scheduler: catalog.Heap, Tick: 50 * time.Millisecond, Waking: catalog.Ticking}},
		clockwork,
	}}
	samples := must.Get(play(t.Context(), m))(t)
	require.Len(t, samples, 3)
	for i, s := range samples {
		require.Empty(t, s.Note, i)
		require.Positive(t, s.Late.TotalCount(), i)
	}
	require.Greater(t, samples[1].Late.Max(), samples[0].Late.Min()+int64(10*time.Millisecond), "it ticks")

	m.Candidates = m.Candidates[:0:0]
	m.Candidates = append(m.Candidates, &tune.Candidate{Config: catalog.Config{Scheduler: "nothing"}})
	_, err := play(t.Context(), m)
	require.ErrorContains(t, err, "nothing")
}
