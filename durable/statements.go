package durable

import "strings"

// statement is a step of the protocol: one conditional statement of SQL. Both databases take the same texts, but for what
// stands in braces. Parameters are numbered in the order in which they first occur.
type statement int

const (
	insert statement = iota
	replace
	cancel
	reset
	claim
	begin
	complete
	retry
	bury
	release
	renew
	recoverKind
	next
	get
	list
	count
	listDead
	requeue
	notify
	statements
)

// columns are those of a record.
const columns = "id, token, due, kind, payload, state, attempt, failed, fire, ''"

// texts has the statements. A timer that waits is leased when wake is near; one that is leased may be leased by others when
// lease has passed, and its wake is the lead after that, which keeps it out of their way in the index.
var texts = [statements]string{
	insert: `INSERT INTO {t} (id, token, due, fire, kind, payload, state, attempt, failed, wake, lease, holder)
		VALUES ($1, $2, $3, $3, $4, $5, $6, 0, 0, $7, $8, $9) ON CONFLICT (id) DO NOTHING`,
	replace: `INSERT INTO {t} (id, token, due, fire, kind, payload, state, attempt, failed, wake, lease, holder)
		VALUES ($1, $2, $3, $3, $4, $5, $6, 0, 0, $7, $8, $9) ON CONFLICT (id) DO UPDATE SET token = excluded.token,
		due = excluded.due, fire = excluded.fire, kind = excluded.kind, payload = excluded.payload, state = excluded.state,
		attempt = 0, failed = 0, wake = excluded.wake, lease = excluded.lease, holder = excluded.holder`,
	cancel: `DELETE FROM {t} WHERE id = $1 AND (state < 2 OR lease <= $2)`,
	reset: `UPDATE {t} SET token = $1, due = $2, fire = $2, wake = $2, state = 0, attempt = 0, failed = 0, lease = 0, holder = 0
		WHERE id = $3 AND (state < 2 OR lease <= $4)`,
	claim: `UPDATE {t} SET state = 1, holder = $1, lease = $2, wake = $3 WHERE id IN (SELECT id FROM {t}
		WHERE kind = $4 AND wake <= $5 AND (state = 0 OR lease <= $6) ORDER BY wake LIMIT $7 {skip}) RETURNING ` + columns,
	begin: `UPDATE {t} SET state = 2, attempt = $1 WHERE id = $2 AND token = $3 AND holder = $4 AND lease > $5
		AND (state = 1 AND attempt = $1 - 1 OR state = 2 AND attempt = $1)`, // or another began it meanwhile; the answer was lost
	complete: `DELETE FROM {t} WHERE id = $1 AND token = $2 AND holder = $3 AND state = 2`,
	retry: `UPDATE {t} SET state = 0, failed = $1, fire = $2, wake = $2, lease = 0, holder = 0
		WHERE id = $3 AND token = $4 AND holder = $5 AND state = 2`,
	release: `UPDATE {t} SET state = 0, wake = fire, lease = 0, holder = 0 WHERE id = $1 AND token = $2 AND holder = $3 AND state = 1`,
	renew:   `UPDATE {t} SET lease = $1, wake = $2 WHERE id = $3 AND token = $4 AND holder = $5 AND state > 0`,
	recoverKind: `UPDATE {t} SET state = 0, wake = fire, lease = 0, holder = 0
		WHERE kind = $1 AND wake > $2 AND wake <= $3 AND state > 0 AND holder <> $4`,
	next: `SELECT ` + nextColumns + ` FROM {t} WHERE kind = $1 ORDER BY wake LIMIT 1`,
	get:  `SELECT ` + columns + ` FROM {t} WHERE id = $1`,
	list: `SELECT id, token, due, kind, payload, state, attempt, failed, wake, '' FROM {t}
		WHERE kind = $1 AND due >= $2 AND due < $3 AND (wake, id) > ($4, $5) ORDER BY wake, id LIMIT $6`,
	count: `SELECT '', count(*), 0, '', {empty}, 0, 0, 0, 0, '' FROM {t}`,
	listDead: `SELECT id, token, due, kind, payload, 0, attempt, failed, died, reason FROM {t}_dead
		WHERE (died, token) > ($1, $2) ORDER BY died, token LIMIT $3`,
}

const nextColumns = "'', 0, 0, '', {empty}, 0, 0, 0, wake, ''"

// move has what moves a timer between the two tables, in one transaction: by one statement of PostgreSQL, or two of SQLite.
const (
	buryTo   = "INSERT INTO {t}_dead (id, token, due, kind, payload, attempt, failed, reason, died) SELECT id, token, due, kind, payload, attempt, failed + 1, CAST($4 AS text), CAST($5 AS bigint) FROM "
	buried   = "{t} WHERE id = $1 AND token = $2 AND holder = $3 AND state = 2"
	backTo   = "INSERT INTO {t} (id, token, due, fire, kind, payload, state, attempt, failed, wake, lease, holder) SELECT id, CAST($2 AS bigint), due, CAST($3 AS bigint), kind, payload, 0, 0, 0, CAST($3 AS bigint), 0, 0 FROM "
	backFrom = "{t}_dead WHERE token = $1 AND NOT EXISTS (SELECT 1 FROM {t} WHERE {t}.id = {t}_dead.id)"
)

var moveByTwo = map[statement]string{
	bury:    buryTo + buried + "; DELETE FROM " + buried,
	requeue: backTo + backFrom + "; DELETE FROM {t}_dead WHERE token = $1 AND EXISTS (SELECT 1 FROM {t} WHERE {t}.id = {t}_dead.id AND {t}.token = $2)",
}

var moveByOne = map[statement]string{
	bury:    "WITH gone AS (DELETE FROM " + buried + " RETURNING *) " + buryTo + "gone",
	requeue: "WITH gone AS (DELETE FROM " + backFrom + " RETURNING *) " + backTo + "gone",
	notify:  "SELECT pg_notify($1, $2)",
}

// write returns the statements for a table in a dialect: the pairs are replaced.
func write(table string, moves map[statement]string, pairs ...string) (all [statements]string) {
	r := strings.NewReplacer(append(pairs, "{t}", table)...)
	for s, text := range texts {
		if move, there := moves[statement(s)]; there {
			text = move
		}
		all[s] = r.Replace(text)
	}
	return all
}

// selects reports whether a statement returns records.
func (s statement) selects() bool {
	return s == claim || s == next || s == get || s == list || s == count || s == listDead
}

// tables makes the tables. Each timer has one line of the index, by which it is found when wake is near.
var tables = []string{
	`CREATE TABLE IF NOT EXISTS {t} (id text PRIMARY KEY, token bigint NOT NULL, due bigint NOT NULL, fire bigint NOT NULL,
		kind text NOT NULL, payload {bytes} NOT NULL, state bigint NOT NULL, attempt bigint NOT NULL, failed bigint NOT NULL,
		wake bigint NOT NULL, lease bigint NOT NULL, holder bigint NOT NULL) {form}`,
	`CREATE INDEX IF NOT EXISTS {t}_wake ON {t} (kind, wake, id)`,
	`CREATE TABLE IF NOT EXISTS {t}_dead (token bigint PRIMARY KEY, id text NOT NULL, due bigint NOT NULL, kind text NOT NULL,
		payload {bytes} NOT NULL, attempt bigint NOT NULL, failed bigint NOT NULL, reason text NOT NULL, died bigint NOT NULL)`,
}

// record is a row.
type record struct {
	id, kind, reason     string
	payload              []byte
	token, due, fire     int64 // fire is when to run; of other statements: wake, died
	state, attempt, fail int64
}

// op is a statement with its arguments, and afterwards what came of it.
type op struct {
	do   statement
	args []any // int64, string or []byte
	n    int   // rows changed
	rows []record
}

func step(do statement, args ...any) *op { return &op{do: do, args: args} }
