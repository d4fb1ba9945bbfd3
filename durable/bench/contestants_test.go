package main

import (
	"bytes"
	"context"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/internal/lists"
	"schedbench/internal/must"
	"schedbench/live"
)

func TestMain(m *testing.M) {
	if os.Getenv(jobEnv) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func sized(t *testing.T, args ...string) (c command, err error) {
	t.Helper()
	_, err = must.Get(kong.New(&c))(t).Parse(args)
	return c, err
}

// withServers returns a run of all contestants whose servers are here, or of some.
func withServers(t *testing.T, args ...string) *measuring {
	t.Helper()
	t.Setenv(serversEnv, "")
	c := must.Get(sized(t, args...))(t)
	m := must.Get(c.measuring(t.Output()))(t)
	t.Cleanup(func() { require.NoError(t, m.servers.stopAll()) })
	m.Scratch = t.TempDir()
	return m
}

// A contestant runs each timer once and not early, and none that was cancelled or put off.
func TestContestantsKeepTimers(t *testing.T) {
	m := withServers(t)
	for _, c := range lists.Only(m.contestants, func(c contestant) bool { return c.most > 0 }) {
		t.Run(c.name, func(t *testing.T) {
			s := must.Get(newSite(m.servers[c.server], c.server, m.Scratch))(t)
			defer func() { require.NoError(t, s.remove()) }()
			s.Interval = 10 * time.Millisecond
			far := time.Now().Add(farAway)
			if !c.memory {
				k := must.Get(c.open(t.Context(), s.place, nil))(t)
				empty := must.Get(s.size())(t)
				require.NoError(t, k.Many(t.Context(), slices.Repeat([]timer{{at: far}}, 2000)))
				require.NoError(t, k.Close(context.Background()))
				require.Greater(t, must.Get(s.size())(t), empty)
			}

			ran := &work{began: time.Now()}
			k := must.Get(c.open(t.Context(), s.place, ran.fire))(t)
			defer func() { require.NoError(t, k.Close(context.Background())) }()
			due := time.Now().Add(c.ahead + time.Second)
			var all []timer
			for number := range uint32(26) {
				all = append(all, timer{due, number})
			}
			for _, one := range all[:6] {
				require.NoError(t, k.Schedule(t.Context(), one))
			}
			require.NoError(t, k.Many(t.Context(), all[6:]))
			require.NoError(t, k.Cancel(t.Context(), 0))
			require.Error(t, k.Cancel(t.Context(), 0), "it is cancelled already")
			if r, ok := k.(resetter); ok {
				require.NoError(t, r.Reset(t.Context(), 1, far))
			} else {
				require.NoError(t, k.Cancel(t.Context(), 1))
			}
			require.Eventually(t, func() bool {
				ran.mu.Lock()
				defer ran.mu.Unlock()
				return len(ran.fired) >= 24
			}, patience, 10*time.Millisecond)
			require.ElementsMatch(t, lists.Each(all[2:], func(one timer) int32 { return int32(one.number) }),
				lists.Each(ran.fired, func(f live.Firing) int32 { return f.Timer }), "the first is cancelled, the second put off")
			for _, f := range ran.fired {
				early := due.Sub(ran.began) - f.At
				require.True(t, c.early || early <= 0, "timer %d is %v early", f.Timer, early)
			}
		})
	}
}

// Every cell of a run of what needs no server has the figures that its chapters ask for.
func TestARunMeasuresWhatIsAsked(t *testing.T) {
	m := withServers(t, "--quick", "--contestants", "durable-sqlite,hierwheel", "--only", "calls,idle,live")
	d := must.Get(harness.Run(t.Context(), m.plan(), t.TempDir(), nil, nil))(t)
	require.Empty(t, must.Get(os.ReadDir(m.Scratch))(t), "what was on disk is gone")
	for _, q := range chapters() {
		series := d.Select(q.Experiment)
		if q.Experiment == pollExperiment { // for which a server is needed
			continue
		}
		require.NotEmpty(t, series, q.Experiment)
		for _, measure := range q.Measures {
			for _, s := range series {
				if outlives := s.Get("impl") == durableName; outlives || measure.Unit != ReadyNs && measure.Unit != ReadyBytes && measure.Unit != ResetNs {
					require.Len(t, s.Values[measure.Unit], 1, "%s %s", s.Name(), measure.Unit)
				}
			}
		}
		if q.Spectrum {
			for _, s := range series {
				require.EqualValues(t, 20, s.Late.TotalCount(), s.Name())
			}
		}
	}
	require.NotEmpty(t, d.Select(idleExperiment, "impl="+rundata.ProcessControl))
}

func TestAServerThatIsNotHereIsSaid(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv(serversEnv, "")
	c := must.Get(sized(t, "--contestants", "asynq,hierwheel"))(t)
	var told bytes.Buffer
	m := must.Get(c.measuring(&told))(t)
	require.Contains(t, told.String(), "bench: asynq is left out: no redis-server (")
	require.Len(t, m.contestants, 2, "the idle process, too")
}

func TestTheFlagNamesEveryContestant(t *testing.T) {
	c := must.Get(sized(t))(t)
	all := lists.Only(contestants(), func(c contestant) bool { return c.most > 0 })
	require.Equal(t, lists.Each(all, func(c contestant) string { return c.name }), c.Contestants)
}

func TestWrongFlagsAreRefused(t *testing.T) {
	for arg, want := range map[string]string{
		"--held=-3":          "--held -3, want 1 to",
		"--rates=0":          "--rates 0, want 1 to",
		"--intervals=1us":    "--intervals 1µs, want 1ms to",
		"--live-held=-1":     "--live-held -1, want",
		"--load=1ms":         "--load 1ms, want 10ms to",
		"--blocks=-1":        "--blocks -1, want 1 to",
		"--contestants=cron": "must be one of",
		"--calls=-1s":        "--calls -1s, want",
		"--only=everything":  "must be one of",
	} {
		_, err := sized(t, arg)
		require.ErrorContains(t, err, want, arg)
	}
}
