//go:build unix

package durable

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"schedbench/internal/must"
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
			p.Kill()
		}
		j.verdict(t, where)
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
		other.Kill()
		other = p
	}
	other.Kill()
	j.verdict(t, where)
}

// The server is killed at random instants and started again; the worker goes on by itself.
func TestServerKilled(t *testing.T) {
	t.Parallel()
	n := (kills(t, 6) + 2) / 3
	s, j := startServer(t), newJudge()
	where := database(t, s)
	p := startChild(t, j, "work", where)
	for range n {
		time.Sleep(300*time.Millisecond + rand.N(300*time.Millisecond))
		s.Kill()
		require.NoError(t, s.Restart())
	}
	time.Sleep(time.Second)
	p.Kill()
	j.verdict(t, where)
}

// The primary is killed and its standby promoted. Only what an asynchronous standby had not received is gone: half a second.
func TestFailover(t *testing.T) {
	t.Parallel()
	kills(t, 1)
	for _, synchronous := range []bool{true, false} {
		t.Run(fmt.Sprintf("synchronous=%v", synchronous), func(t *testing.T) {
			t.Parallel()
			failover(t, synchronous)
		})
	}
}

func failover(t *testing.T, synchronous bool) {
	primary := startServer(t)
	where := database(t, primary)
	standby := must.Get(primary.Standby("second"))(t)
	defer standby.Stop()
	name := where[strings.LastIndex(where, "/")+1:]
	onPrimary, onStandby := connect(t, where), connect(t, standby.URL(name))
	ask := func(conn *pgx.Conn, sql string, into any) {
		require.NoError(t, conn.QueryRow(t.Context(), sql).Scan(into))
	}
	set := func(conn *pgx.Conn, setting string) {
		for _, line := range []string{"ALTER SYSTEM SET " + setting, "SELECT pg_reload_conf()"} {
			must.Get(conn.Exec(t.Context(), line))(t)
		}
	}
	if synchronous {
		set(onPrimary, "synchronous_standby_names = 'second'")
	}
	eventually(t, func() (replicates bool) {
		ask(onPrimary, fmt.Sprintf("SELECT count(*) = 1 FROM pg_stat_replication WHERE (sync_state = 'sync') = %v", synchronous), &replicates)
		return replicates
	})
	j := newJudge()
	p := startChild(t, j, "work", strings.Replace(where, "/"+name, ","+strings.TrimPrefix(standby.URL(name), "postgres://timers@"), 1)+"?target_session_attrs=read-write")
	time.Sleep(time.Second)
	if !synchronous {
		var at string
		now := time.Now().UnixNano()
		ask(onPrimary, "SELECT pg_current_wal_insert_lsn()::text", &at)
		eventually(t, func() (has bool) {
			ask(onStandby, "SELECT pg_last_wal_receive_lsn() >= '"+at+"'::pg_lsn", &has)
			return has
		})
		j.mu.Lock()
		j.behind = now
		j.mu.Unlock()
		set(onStandby, "primary_conninfo = ''") // it receives no more
		time.Sleep(500 * time.Millisecond)
	}
	primary.Kill()
	require.NoError(t, standby.Promote())
	time.Sleep(2 * time.Second)
	p.Kill()
	j.verdict(t, standby.URL(name))
	require.Equal(t, synchronous, j.counts["gone"] == 0)
}
