package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"

	"schedbench/durable"
)

// order is what a timer carries: data, since functions do not survive.
type order struct {
	Number int    `json:"number"`
	Buyer  string `json:"buyer"`
}

// closing is the kind of the timers: the name under which every process registers what to do.
const closing = "close-order"

// closeOrder is the handler. It may run twice for an order: a real one asks first whether the order is still open.
func closeOrder(_ context.Context, task durable.Task, o order) error {
	_, err := fmt.Println("closed", o.Number, time.Since(task.At).Nanoseconds(), task.Attempt)
	return err
}

// openBook opens the database of the timers, in which the orders are too.
func openBook(driver, where string) (*sql.DB, error) {
	book, err := sql.Open(driver, where)
	if err == nil {
		_, err = book.Exec("CREATE TABLE IF NOT EXISTS orders (number integer PRIMARY KEY)")
	}
	return book, err
}

// store stores an order together with the timer that closes it, or neither.
func store(ctx context.Context, book *sql.DB, timers *durable.Timers, number int, timer durable.New) error {
	tx, err := book.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // if it did not commit
	if _, err := tx.ExecContext(ctx, "INSERT INTO orders VALUES ($1)", number); err != nil {
		return err
	}
	if _, err := timers.ScheduleTx(ctx, tx, timer); err != nil {
		return err
	}
	return tx.Commit()
}

// place stores orders with their timers, and cancels the timer of each third, which is paid. say hears what is acknowledged.
func place(ctx context.Context, timers *durable.Timers, book *sql.DB, p plan, say func(words ...any)) error {
	for number := range p.orders {
		id := fmt.Sprint("order-", number)
		payload := fmt.Appendf(nil, `{"number":%d,"buyer":"somebody"}`, number)
		at := time.Now().Add(p.within/4 + rand.N(p.within*3/4))
		if err := store(ctx, book, timers, number, durable.New{Kind: closing, ID: id, At: at, Payload: payload}); err != nil {
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

const lease = 2 * time.Second // how late orders may be that a killed worker had leased

// work closes orders until its standard input ends. One that places puts orders into its file first.
func work(p plan, where string, places bool) error {
	ctx := context.Background()
	timers, err := durable.Open(ctx, where, durable.Options{Lead: lease / 2, Lease: lease})
	if err != nil {
		return err
	}
	err = errors.Join(timers.Register(closing, durable.Handle(closeOrder), durable.Policy{}), timers.Start(ctx))
	if places && err == nil {
		var book *sql.DB
		if book, err = openBook("sqlite", "file:"+where+"?_txlock=immediate&_pragma=busy_timeout(5000)"); err == nil {
			err = place(ctx, timers, book, p, func(words ...any) { fmt.Println(words...) })
		}
		err = errors.Join(err, book.Close())
	}
	if err == nil {
		fmt.Println("ready")
		_, err = io.Copy(io.Discard, os.Stdin)
	}
	return errors.Join(err, timers.Close(ctx))
}
