package durable

import "strings"

// table has the timers; those that are dead are in a table of its name with "_dead".
const table = "durable_timers"

// layout is the version of the tables and of what their values mean: the user_version of a file, the comment of a table of PostgreSQL.
const layout = 2

// texts are the steps of the protocol in the words of a database: each is one conditional statement of SQL.
type texts struct {
	insert, replace, cancel, reset, bring, claim, find, begin, complete, retry, bury, release, renew string
	next, get, list, count, listDead, requeue, forget, notify                                        string
	tables                                                                                           []string
}

const columns = "id, token, due, kind, payload, state, attempt, failed, fire, ''"

// write returns the steps. Each pair has a word in braces, or a sign, and what replaces it for a database. A timer that waits is
// leased when wake is near; one that is far has the negative wake of its slot: see Timers.wake. One that is leased may be leased
// by others after lease; its wake is a lead later, out of their way. In a file the lock is the lease: find takes the place of
// claim, and other holders have ended. Bury and complete, requeue and forget move a timer between the tables.
func write(pairs ...string) *texts {
	w := strings.NewReplacer(append(pairs, "{t}", table, "{n}", "bigint NOT NULL")...).Replace
	const row = `(id, token, due, fire, kind, payload, state, attempt, failed, wake, lease, holder)`
	const values = row + ` VALUES ($1, $2, $3, $3, $4, $5, $6, 0, 0, $7, $8, $9) ON CONFLICT (id) DO `
	const byWake = `SELECT id, token, due, kind, payload, state, attempt, failed, wake, '' FROM {t} WHERE kind = $1 AND `
	return &texts{
		insert: w(`INSERT INTO {t} ` + values + `NOTHING`),
		replace: w(`INSERT INTO {t} ` + values + `UPDATE SET token = excluded.token,
			due = excluded.due, fire = excluded.fire, kind = excluded.kind, payload = excluded.payload, state = excluded.state,
			attempt = 0, failed = 0, wake = excluded.wake, lease = excluded.lease, holder = excluded.holder`),
		cancel: w(`DELETE FROM {t} WHERE id = $1 AND (state < 2 OR {ended} $2)`),
		reset: w(`UPDATE {t} SET token = $1, due = $2, fire = $2, wake = $3, state = 0, attempt = 0, failed = 0, lease = 0, holder = 0
			WHERE id = $4 AND (state < 2 OR {ended} $5)`),
		bring: w(`UPDATE {t} SET wake = fire WHERE id IN (SELECT id FROM {t} WHERE kind = $1 AND wake <= $2 AND state = 0 ORDER BY wake LIMIT {part}$3 {skip})`), // at a server more: it passes over the dead lines of those before
		claim: w(`UPDATE {t} SET state = 1, holder = $1, lease = $2, wake = $3 WHERE id IN (SELECT id FROM {t}
			WHERE kind = $4 AND wake >= 0 AND wake <= $5 AND (state = 0 OR lease <= $6) ORDER BY wake LIMIT $7 {skip}) RETURNING ` + columns),
		find:     w(byWake + `(wake, id) > ($2, $3) AND wake <= $4 AND (state = 0 OR holder <> $5) ORDER BY wake, id LIMIT $6`),
		begin:    w(`UPDATE {t} SET state = 2, attempt = $1, holder = $4 WHERE id = $2 AND token = $3 AND {may}`),
		complete: w(`DELETE FROM {t} WHERE id = $1 AND token = $2 AND holder = $3 AND state = 2`),
		retry: w(`UPDATE {t} SET state = 0, failed = $1, fire = $2, wake = $2, lease = 0, holder = 0
			WHERE id = $3 AND token = $4 AND holder = $5 AND state = 2`),
		bury: w(`INSERT INTO {t}_dead (id, token, due, kind, payload, attempt, failed, reason, died)
			SELECT id, token, due, kind, payload, attempt, failed + 1, CAST($1 AS text), CAST($2 AS bigint) FROM {t}
			WHERE id = $3 AND token = $4 AND holder = $5 AND state = 2 {lock}`),
		release: w(`UPDATE {t} SET state = 0, wake = fire, lease = 0, holder = 0 WHERE id = $1 AND token = $2 AND holder = $3 AND state = 1`),
		renew:   w(`UPDATE {t} SET lease = $1, wake = $2 WHERE id = $3 AND token = $4 AND holder = $5 AND state > 0`),
		next:    w(`SELECT '', 0, 0, '', {empty}, 0, 0, 0, wake, '' FROM {t} WHERE kind = $1 AND wake > $2 ORDER BY wake LIMIT 1`),
		get:     w(`SELECT ` + columns + ` FROM {t} WHERE id = $1`),
		list:    w(byWake + `due >= $2 AND due < $3 AND (wake, id) > ($4, $5) ORDER BY wake, id LIMIT $6`),
		count:   w(`SELECT '', count(*), 0, '', {empty}, 0, 0, 0, 0, '' FROM {t}`),
		listDead: w(`SELECT id, token, due, kind, payload, 3, attempt, failed, died, reason FROM {t}_dead
			WHERE (died, token) > ($1, $2) ORDER BY died, token LIMIT $3`),
		requeue: w(`INSERT INTO {t} ` + row + ` SELECT id, CAST($1 AS bigint), due, CAST($2 AS bigint), kind, payload, 0, 0, 0, CAST($2 AS bigint), 0, 0
			FROM {t}_dead WHERE token = $3 {lock} ON CONFLICT (id) DO NOTHING RETURNING ` + columns),
		forget: w(`DELETE FROM {t}_dead WHERE token = $1 AND EXISTS (SELECT 1 FROM {t} WHERE {t}.id = {t}_dead.id AND {t}.token = $2)`),
		notify: `SELECT '', 0, 0, '', ''::bytea, 0, 0, 0, 0, '' FROM pg_notify($1, $2)`,
		tables: []string{ // each timer has one line of the index, by which it is found when wake is near
			w(`CREATE TABLE IF NOT EXISTS {t} (id text PRIMARY KEY, token {n}, due {n}, fire {n}, kind text NOT NULL, payload {bytes} NOT NULL,
				state {n}, attempt {n}, failed {n}, wake {n}, lease {n}, holder {n}) {form}`),
			w(`CREATE INDEX IF NOT EXISTS {t}_wake ON {t} (kind, wake, id)`),
			w(`CREATE TABLE IF NOT EXISTS {t}_dead (token bigint PRIMARY KEY, id text NOT NULL, due {n}, kind text NOT NULL,
				payload {bytes} NOT NULL, attempt {n}, failed {n}, reason text NOT NULL, died {n})`),
		},
	}
}

type record struct {
	Task
	state  State
	fire   int64 // when to run; of other statements: wake, died
	reason string
}

// op is a step with its arguments, and afterwards what came of it.
type op struct {
	text string
	args []any // int64, string or []byte
	n    int   // rows changed
	rows []record
}

func step(text string, args ...any) *op { return &op{text: text, args: args} }
func (o *op) reads() bool               { return strings.HasPrefix(o.text, "SELECT") }
