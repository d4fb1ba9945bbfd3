package durable

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"schedbench/durable/internal/pgserver"
	"schedbench/internal/must"
)

// shared is the server of most tests.
var shared struct {
	sync.Once
	*pgserver.Server
	err error
}

var databases atomic.Int64

// postgresURL returns a URL of an empty database, or skips the test.
func postgresURL(t *testing.T) string {
	t.Helper()
	shared.Do(func() { shared.Server, shared.err = pgserver.Start("") })
	if shared.err != nil {
		t.Skip("no server of PostgreSQL: ", shared.err)
	}
	return database(t, shared.Server)
}

// startServer starts a server for one test, or skips it.
func startServer(t *testing.T) *pgserver.Server {
	t.Helper()
	s, err := pgserver.Start("")
	if err != nil {
		t.Skip("no server of PostgreSQL: ", err)
	}
	t.Cleanup(s.Stop)
	return s
}

// connect returns a connection until the test ends.
func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn := must.Get(pgx.Connect(t.Context(), url))(t)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func database(t *testing.T, s *pgserver.Server) string {
	t.Helper()
	name := fmt.Sprint("t", databases.Add(1))
	must.Get(connect(t, s.URL("postgres")).Exec(t.Context(), "CREATE DATABASE "+name))(t)
	return s.URL(name)
}
