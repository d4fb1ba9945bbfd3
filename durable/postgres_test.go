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

// database makes an empty database.
func database(t *testing.T, s *pgserver.Server) string {
	t.Helper()
	name := fmt.Sprint("t", databases.Add(1))
	conn := must.Get(pgx.Connect(t.Context(), s.URL("postgres")))(t)
	defer conn.Close(context.Background())
	must.Get(conn.Exec(t.Context(), "CREATE DATABASE "+name))(t)
	return s.URL(name)
}
