package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"time"

	"github.com/jackc/pgx/v5"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"schedbench/durable"
)

// order is what a timer carries: data, since functions do not survive.
type order struct {
	Number int    `json:"number"`
	Buyer  string `json:"buyer"`
}

// closing is the kind of the timers: the name under which every process registers what to do.
const closing = "close-order"

// closeOrder is the handler. It may run twice for an order, so a real one asks first whether the order is
// still open. This one only says what it does.
func closeOrder(_ context.Context, task durable.Task, o order) error {
	_, err := fmt.Println("closed", o.Number, time.Since(task.At).Nanoseconds(), task.Attempt)
	return err
}

// book stores orders: each together with the timer that closes it, or neither.
type book interface {
	store(ctx context.Context, timers *durable.Timers, number int, timer durable.New) error
}

const makeOrders = "CREATE TABLE IF NOT EXISTS orders (number integer PRIMARY KEY)"

// fileBook has orders in the file of the timers.
type fileBook struct{ *sqlite.Conn }

func openFileBook(path string) (fileBook, error) {
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err == nil {
		conn.SetBusyTimeout(5 * time.Second)
		err = sqlitex.ExecuteTransient(conn, makeOrders, nil)
	}
	return fileBook{conn}, err
}

func (b fileBook) store(ctx context.Context, timers *durable.Timers, number int, timer durable.New) (err error) {
	end, err := sqlitex.ImmediateTransaction(b.Conn)
	if err != nil {
		return err
	}
	defer end(&err)
	if err = sqlitex.Execute(b.Conn, "INSERT INTO orders VALUES (?)", &sqlitex.ExecOptions{Args: []any{number}}); err == nil {
		_, err = timers.ScheduleTx(ctx, durable.ConnTx(b.Conn), timer)
	}
	return err
}

// serverBook has orders in the database of the timers.
type serverBook struct{ *pgx.Conn }

func openServerBook(ctx context.Context, url string) (serverBook, error) {
	conn, err := pgx.Connect(ctx, url)
	if err == nil {
		_, err = conn.Exec(ctx, makeOrders)
	}
	return serverBook{conn}, err
}

func (b serverBook) store(ctx context.Context, timers *durable.Timers, number int, timer durable.New) error {
	return pgx.BeginFunc(ctx, b.Conn, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "INSERT INTO orders VALUES ($1)", number)
		if err == nil {
			_, err = timers.ScheduleTx(ctx, durable.PgxTx(tx), timer)
		}
		return err
	})
}

// place stores orders with their timers, and cancels the timer of each third, which is paid. What it
// says has been acknowledged.
func place(ctx context.Context, timers *durable.Timers, b book, p plan, say func(words ...any)) error {
	for number := range p.orders {
		id := fmt.Sprint("order-", number)
		payload := fmt.Appendf(nil, `{"number":%d,"buyer":"somebody"}`, number)
		at := time.Now().Add(p.within/4 + rand.N(p.within*3/4))
		if err := b.store(ctx, timers, number, durable.New{Kind: closing, ID: id, At: at, Payload: payload}); err != nil {
			return err
		}
		say("placed", number)
		if number%3 > 0 {
			continue
		}
		cancelled, err := timers.Cancel(ctx, id)
		if err != nil {
			return err
		}
		if cancelled {
			say("paid", number)
		}
	}
	return nil
}

// work closes orders until its standard input ends.
func work(ctx context.Context, timers *durable.Timers) error {
	if address := os.Getenv("ORDERS_METRICS"); address != "" {
		go func() { fmt.Fprintln(os.Stderr, http.ListenAndServe(address, metrics(timers))) }()
	}
	fmt.Println("ready")
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	return timers.Close(ctx)
}

// open opens timers with a handler, and starts.
func open(ctx context.Context, where string) (*durable.Timers, error) {
	timers, err := durable.Open(ctx, where, durable.Options{Lead: lease / 2, Lease: lease})
	if err == nil {
		if err = errors.Join(timers.Register(closing, durable.Handle(closeOrder), durable.Policy{}), timers.Start(ctx)); err != nil {
			_ = timers.Close(ctx)
		}
	}
	return timers, err
}

// lease is how late orders may be that a killed worker had leased.
const lease = 2 * time.Second

// shop has its timers in a file, in this process. One that opens has orders placed; one that
// is opened again finds those that are there.
func shop(p plan, path string, opens bool) error {
	ctx := context.Background()
	timers, err := open(ctx, path)
	if err != nil {
		return err
	}
	if opens {
		b, err := openFileBook(path)
		if err == nil {
			err = place(ctx, timers, b, p, func(words ...any) { fmt.Println(words...) })
		}
		if err = errors.Join(err, b.Close()); err != nil {
			return err
		}
	}
	return work(ctx, timers)
}

// worker shares the timers of a server with others.
func worker(url string) error {
	ctx := context.Background()
	timers, err := open(ctx, url)
	if err != nil {
		return err
	}
	return work(ctx, timers)
}

// metrics answers Prometheus, in its text format.
func metrics(timers *durable.Timers) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		h := timers.Health()
		for _, m := range []struct {
			name, kind string
			value      float64
		}{
			{"near", "gauge", float64(h.Near)}, {"due", "gauge", float64(h.Due)}, {"running", "gauge", float64(h.Running)},
			{"late_seconds", "gauge", h.Late.Seconds()}, {"begun_total", "counter", float64(h.Begun)},
			{"completed_total", "counter", float64(h.Completed)}, {"retried_total", "counter", float64(h.Retried)},
			{"dead_total", "counter", float64(h.Dead)},
		} {
			fmt.Fprintf(w, "# TYPE timers_%s %s\ntimers_%s %g\n", m.name, m.kind, m.name, m.value)
		}
	})
}
