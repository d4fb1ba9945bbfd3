//go:build unix

package durable

import (
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"schedbench/durable/internal/pgserver"
)

// kills returns how often to kill: few, or as many as DURABLE_KILLS says. Short tests have one process.
func kills(t *testing.T, few int) int {
	if testing.Short() {
		t.Skip("several processes")
	}
	if n, err := strconv.Atoi(os.Getenv("DURABLE_KILLS")); err == nil {
		return n
	}
	return few
}

// One process is killed at random instants, and another goes on.
func TestKilledAtRandomInstants(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, where string) {
		t.Parallel()
		j := newJudge()
		for range kills(t, 8) {
			p := startChild(t, j, "work", where)
			time.Sleep(rand.N(300 * time.Millisecond))
			p.kill()
		}
		require.NoError(t, startChild(t, j, "drain", where).end())
		j.verdict(t)
	})
}

// Of two workers one is killed, or stopped for longer than its lease, at random instants.
func TestWorkersKilledAndPaused(t *testing.T) {
	n, where, j := kills(t, 6), postgresURL(t), newJudge()
	other := startChild(t, j, "work", where)
	for i := range n {
		p := startChild(t, j, "work", where)
		time.Sleep(rand.N(300 * time.Millisecond))
		if i%3 == 0 {
			require.NoError(t, p.Process.Signal(syscall.SIGSTOP))
			time.Sleep(childOptions.Lease * 3 / 2)
			require.NoError(t, p.Process.Signal(syscall.SIGCONT))
			time.Sleep(100 * time.Millisecond)
		}
		other.kill()
		other = p
	}
	other.kill()
	require.NoError(t, startChild(t, j, "drain", where).end())
	j.verdict(t)
}

// The server is killed at random instants and started again; the worker goes on by itself.
func TestServerKilled(t *testing.T) {
	t.Parallel()
	n := (kills(t, 6) + 2) / 3
	s, err := pgserver.Start("")
	if err != nil {
		t.Skip("no server of PostgreSQL: ", err)
	}
	defer func() { s.Stop() }()
	j := newJudge()
	where := database(t, s)
	p := startChild(t, j, "work", where)
	for range n {
		time.Sleep(300*time.Millisecond + rand.N(300*time.Millisecond))
		s.Kill()
		require.NoError(t, s.Restart())
	}
	time.Sleep(time.Second)
	p.kill()
	require.NoError(t, startChild(t, j, "drain", where).end())
	j.verdict(t)
}

// The primary is killed and its standby promoted: with synchronous replication nothing is lost. The worker goes on by itself.
func TestFailover(t *testing.T) {
	t.Parallel()
	kills(t, 1)
	s, err := pgserver.Start("")
	if err != nil {
		t.Skip("no server of PostgreSQL: ", err)
	}
	defer func() { s.Stop() }()
	where := database(t, s)
	standby, err := s.Standby("second")
	require.NoError(t, err)
	defer standby.Stop()
	conn, err := pgx.Connect(t.Context(), where)
	require.NoError(t, err)
	for _, line := range []string{"ALTER SYSTEM SET synchronous_standby_names = 'second'", "SELECT pg_reload_conf()"} {
		_, err = conn.Exec(t.Context(), line)
		require.NoError(t, err)
	}
	eventually(t, func() bool {
		var state string
		return conn.QueryRow(t.Context(), "SELECT sync_state FROM pg_stat_replication").Scan(&state) == nil && state == "sync"
	})
	require.NoError(t, conn.Close(t.Context()))

	name := where[strings.LastIndex(where, "/"):]
	both := strings.TrimSuffix(where, name) + "," + strings.TrimPrefix(strings.TrimSuffix(standby.URL(name[1:]), name), "postgres://timers@") + name + "?target_session_attrs=read-write"
	j := newJudge()
	p := startChild(t, j, "work", both)
	time.Sleep(time.Second)
	s.Kill()
	require.NoError(t, standby.Promote())
	time.Sleep(2 * time.Second)
	p.kill()
	require.NoError(t, startChild(t, j, "drain", standby.URL(name[1:])).end())
	j.verdict(t)
}
