package main

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/harness"
)

func TestMain(m *testing.M) {
	if os.Getenv(jobEnv) != "" {
		if obey(os.Stdin, os.Stdout) != nil {
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// withServers returns a run of all contestants whose servers are here, and says which are not.
func withServers(t *testing.T, c config) *measuring {
	t.Helper()
	t.Setenv(serversEnv, "")
	m := &measuring{config: c}
	m.Scratch = t.TempDir()
	var missing []string
	var err error
	m.servers, missing, err = startServers(t.Context(), m.needed())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, m.servers.stop()) })
	for _, line := range missing {
		t.Log(line)
	}
	m.leaveOut()
	return m
}

// noted are when timers ran, by number.
type noted struct {
	mu   sync.Mutex
	when map[uint32][]time.Time
}

func (n *noted) note(number uint32) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.when[number] = append(n.when[number], time.Now())
}

func (n *noted) count() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.when)
}

// What a contestant is measured at it does: it runs each timer once and not early, and none that was
// cancelled or put off.
func TestContestantsKeepTimers(t *testing.T) {
	m := withServers(t, usual())
	for _, c := range m.Contestants {
		t.Run(c.name, func(t *testing.T) {
			s, err := m.newSite(t.Context(), c)
			require.NoError(t, err)
			defer func() { require.NoError(t, s.remove()) }()
			s.Interval = 10 * time.Millisecond
			far := time.Now().Add(farAway)
			if !c.memory {
				k, err := c.open(t.Context(), s.place, nil)
				require.NoError(t, err)
				empty, err := s.size(t.Context())
				require.NoError(t, err)
				all := make([]timer, 2000)
				for i := range all {
					all[i].at = far
				}
				require.NoError(t, k.Many(t.Context(), all))
				require.NoError(t, k.Close(context.Background()))
				full, err := s.size(t.Context())
				require.NoError(t, err)
				require.Greater(t, full, empty)
			}

			ran := &noted{when: map[uint32][]time.Time{}}
			k, err := c.open(t.Context(), s.place, ran.note)
			require.NoError(t, err)
			defer func() { require.NoError(t, k.Close(context.Background())) }()
			due := time.Now().Add(c.ahead + time.Second)
			want := map[uint32]bool{}
			for number := range uint32(6) {
				require.NoError(t, k.Schedule(t.Context(), timer{due, number}))
				want[number] = number > 1
			}
			var all []timer
			for number := uint32(6); number < 26; number++ {
				all = append(all, timer{due, number})
				want[number] = true
			}
			require.NoError(t, k.Many(t.Context(), all))
			require.NoError(t, k.Cancel(t.Context(), 0))
			require.Error(t, k.Cancel(t.Context(), 0), "it is cancelled already")
			if r, ok := k.(resetter); ok {
				require.NoError(t, r.Reset(t.Context(), 1, far))
			} else {
				require.NoError(t, k.Cancel(t.Context(), 1))
			}
			require.Eventually(t, func() bool { return ran.count() >= 24 }, latest, 10*time.Millisecond)
			for number, runs := range want {
				require.Len(t, ran.when[number], map[bool]int{true: 1, false: 0}[runs], "timer %d", number)
				for _, at := range ran.when[number] {
					if !c.early {
						require.False(t, at.Before(due), "timer %d is %v early", number, due.Sub(at))
					}
				}
			}
		})
	}
}

// Every cell of a run of what needs no server has the figures that its questions ask for.
func TestARunMeasuresWhatIsAsked(t *testing.T) {
	c := quick()
	c.Contestants = nil
	for _, found := range contestants() {
		if found.server == "" {
			c.Contestants = append(c.Contestants, found)
		}
	}
	m := withServers(t, c)
	d, err := harness.Run(t.Context(), m.plan(), t.TempDir(), nil, nil)
	require.NoError(t, err)
	left, err := os.ReadDir(m.Scratch)
	require.NoError(t, err)
	require.Empty(t, left, "what was on disk is gone")
	for _, q := range questions() {
		series := d.Select(q.Experiment)
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
	require.NotEmpty(t, d.Select(idleExperiment, "impl="+harness.ProcessControl))
}

func TestAServerThatIsNotHereIsSaid(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv(serversEnv, "")
	m := &measuring{config: usual()}
	servers, missing, err := startServers(t.Context(), []string{redisServer})
	require.NoError(t, err)
	require.Len(t, missing, 1)
	require.Contains(t, missing[0], "contestants that need redis-server are left out")
	m.servers = servers
	m.leaveOut()
	require.NotContains(t, names(m.Contestants), "asynq")
	require.Contains(t, names(m.Contestants), "hierwheel")
}

func TestWrongFlagsAreRefused(t *testing.T) {
	for want, f := range map[string]flags{
		"--held -3, want 1 to":         {Held: []int{-3}},
		"--held 7 is given twice":      {Held: []int{7, 7}},
		"--rates 0, want 1 to":         {Rates: []int{0}},
		"--rates 5 is given twice":     {Rates: []int{5, 5}},
		"--intervals 1µs, want 1ms to": {Intervals: []time.Duration{time.Microsecond}},
		"--live-held -1, want":         {LiveHeld: -1},
		"--load 1ms, want 10ms to":     {Load: time.Millisecond},
		"--blocks -1, want 1 to":       {Blocks: -1},
		"--contestants cron, want":     {Contestants: []string{"cron"}},
	} {
		err := f.Validate()
		require.ErrorContains(t, err, want)
	}
	require.NoError(t, (&flags{}).Validate())
}
