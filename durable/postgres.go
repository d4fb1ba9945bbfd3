package durable

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// postgresStore keeps timers in PostgreSQL. A batch is one round trip and one transaction.
type postgresStore struct {
	pool   *pgxpool.Pool
	answer time.Duration
}

func openPostgres(ctx context.Context, url string, o Options) (store, *texts, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrOption, err)
	}
	if o.Sync != 0 {
		config.ConnConfig.RuntimeParams["synchronous_commit"] = map[Sync]string{SyncNormal: "off", SyncFull: "on"}[o.Sync]
	}
	config.MaxConns, config.ConnConfig.ConnectTimeout = 4, o.Answer
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrStore, err)
	}
	p := &postgresStore{pool, o.Answer}
	sql := write("{part}", "4 * ", "{skip}", "FOR UPDATE SKIP LOCKED", "{lock}", "FOR UPDATE", "{empty}", "''::bytea", "{bytes}", "bytea", "{form}", "WITH (fillfactor = 70)", "{ended}", "lease <=",
		"{may}", "holder = $4 AND lease > $5 AND (state = 1 AND attempt = $1 - 1 OR state = 2 AND attempt = $1)") // or another began it meanwhile; the answer was lost
	ctx, end := context.WithTimeout(ctx, o.Answer)
	defer end()
	if err = p.prepare(ctx, sql.tables); err != nil {
		pool.Close()
	}
	return p, sql, p.fault(err)
}

// prepare makes the tables where there are none, and says which rights are missing.
func (p *postgresStore) prepare(ctx context.Context, tables []string) error {
	var there bool
	if err := p.pool.QueryRow(ctx, "SELECT to_regclass($1) IS NOT NULL", table+"_dead").Scan(&there); err != nil {
		return err
	}
	if !there {
		script := append([]string{"SELECT pg_advisory_xact_lock(hashtext('" + table + "'))"}, tables...) // all in one transaction
		script = append(script, fmt.Sprintf("COMMENT ON TABLE %s IS '%d'", table, layout))
		if _, err := p.pool.Exec(ctx, strings.Join(script, ";")); err != nil {
			return fmt.Errorf("tables not made: %w", err)
		}
	}
	var lacks string
	var found int // tables without a comment are of the first layout
	if err := p.pool.QueryRow(ctx, `SELECT coalesce(string_agg(may || ' on table ' || name, ', '), ''), coalesce(obj_description(to_regclass($1), 'pg_class')::int, 1)
		FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) may, unnest(ARRAY[$1, $1 || '_dead']) name WHERE NOT has_table_privilege(name, may)`,
		table).Scan(&lacks, &found); err != nil || lacks == "" {
		return cmp.Or(err, checkLayout(found))
	}
	return fmt.Errorf("%w: %s", ErrRights, lacks)
}

func (p *postgresStore) fault(err error) error {
	kind := ErrStore
	if said, is := errors.AsType[*pgconn.PgError](err); is && said.Code == "42501" {
		kind = ErrRights
	}
	if err == nil || errors.Is(err, kind) || errors.Is(err, ErrRights) || errors.Is(err, ErrLayout) {
		return err
	}
	return fmt.Errorf("%w: %w", kind, err)
}

func (p *postgresStore) undone(err error) bool { return errors.As(err, new(*pgconn.PgError)) }
func (p *postgresStore) shared() bool          { return true }
func (p *postgresStore) close()                { go p.pool.Close() } // it waits for connections, which answer or time out

func (p *postgresStore) run(ops []*op) error {
	if len(ops) == 0 {
		return nil
	}
	ctx, end := context.WithTimeout(context.Background(), p.answer)
	defer end()
	var batch pgx.Batch
	for _, o := range ops {
		batch.Queue(o.text, o.args...).Query(func(rows pgx.Rows) (err error) {
			o.rows, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (r record, err error) {
				var due int64
				err = row.Scan(&r.ID, &r.Token, &due, &r.Kind, &r.Payload, &r.state, &r.Attempt, &r.Failed, &r.fire, &r.reason)
				r.At = time.Unix(0, due)
				return r, err
			})
			o.n = int(rows.CommandTag().RowsAffected())
			return err
		})
	}
	return p.fault(p.pool.SendBatch(ctx, &batch).Close())
}

// watch looks once, listens to what others notify, and connects again each second when the connection is lost.
func (p *postgresStore) watch(ctx context.Context, wake func(at int64)) {
	for ctx.Err() == nil {
		_ = p.pool.AcquireFunc(ctx, func(conn *pgxpool.Conn) error {
			n, err := &pgconn.Notification{Payload: "0"}, error(nil)
			for _, err = conn.Exec(ctx, "LISTEN "+table); err == nil; n, err = conn.Conn().WaitForNotification(ctx) {
				if at, err := strconv.ParseInt(n.Payload, 10, 64); err == nil {
					wake(at)
				}
			}
			return err
		})
		retry, end := context.WithTimeout(ctx, time.Second)
		<-retry.Done()
		end()
	}
}
