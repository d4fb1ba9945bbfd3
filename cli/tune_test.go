package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/internal/judge"
	"schedbench/internal/must"
	"schedbench/internal/tune"
	"schedbench/workload"
)

// tuned runs a command line of tune with a made-up choice, or an error.
func tuned(t *testing.T, err error, args ...string) (got outcome, src workload.Source, o tune.Options) {
	t.Helper()
	late := judge.Average{Estimate: judge.Estimate{Value: 0.001, Low: 0.001, High: 0.001}}
	f := &tune.Figures{CPU: judge.Mean([]float64{0.01, 0.011}), Lateness: late}
	c := must.Get(tuneOf(t, args...))(t)
	choose := func(_ context.Context, s workload.Source, r tune.Requirements, with tune.Options) (*tune.Choice, error) {
		src, o = s, with
		with.Progress("playing", 0, 0)
		if err != nil {
			return nil, err
		}
		ch := &tune.Choice{Segment: &tune.Segment{Source: s, Scale: 1}, Requirements: r,
			Candidates: []*tune.Candidate{{Config: catalog.Config{Scheduler: catalog.Heap}, Heat: f, Final: f}}}
		ch.Decide()
		return ch, nil
	}
	var out, errOut bytes.Buffer
	err = c.run(&console{Program: Program{Contestants: ownContestants()}, ctx: t.Context(), out: &out, err: &errOut}, choose)
	return outcome{exitStatus(err, &errOut), out.String(), errOut.String()}, src, o
}

func TestTuneAnswers(t *testing.T) {
	got, _, _ := tuned(t, nil, "idle", "--explain", "clockwork")
	got.says(t, "JUDGED        clockwork on idle")
	got, src, o := tuned(t, nil, "idle", "--p99", "5ms", "--explain", "netty", "--time", "30s")
	got.ends(t, 0).says(t, "JUDGED        netty on idle", "PICK          heapsched, sleeping until due", "all candidates: the same with --why")
	require.Equal(t, "idle", src.Name)
	require.Equal(t, 30*time.Second, o.Time)
	require.Equal(t, "netty", o.Explain.Name)
}

func TestAnInterruptedTuneSaysSo(t *testing.T) {
	got, _, _ := tuned(t, context.Canceled, "idle")
	got.ends(t, exitInterrupted).complains(t, "interrupted before anything could be chosen")
	got, _, _ = tuned(t, os.ErrPermission, "idle")
	got.ends(t, exitFailed)
}

// The candidates of a match are played by processes of their own, which get what the command line says of them.
func TestAMatchIsPlayedByProcesses(t *testing.T) {
	t.Parallel()
	args, own := []string{"heartbeat", "--explain", "clockwork"}, ownContestants()
	c := must.Get(tuneOf(t, args...))(t)
	src := must.Get(c.workload(workload.Options{}, io.Discard))(t)
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

	m.Candidates = []*tune.Candidate{{Config: catalog.Config{Scheduler: "nothing"}}}
	_, err := play(t.Context(), m)
	require.ErrorContains(t, err, "nothing")
}
