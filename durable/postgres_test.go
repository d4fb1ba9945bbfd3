package durable

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"schedbench/durable/internal/pgserver"
)

// shared is the server of most tests.
var shared struct {
	sync.Once
	*pgserver.Server
	err error
}

var databases int

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
	databases++
	name := fmt.Sprint("t", databases)
	conn, err := pgx.Connect(t.Context(), s.URL("postgres"))
	require.NoError(t, err)
	defer conn.Close(context.Background())
	_, err = conn.Exec(t.Context(), "CREATE DATABASE "+name)
	require.NoError(t, err)
	return s.URL(name)
}
