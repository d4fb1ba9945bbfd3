package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"time"

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
func closeOrder(_ context.Context, task durable.Task) error {
	late := time.Since(task.At)
	var o order
	if err := json.Unmarshal(task.Payload, &o); err != nil {
		return err
	}
	_, err := fmt.Println("closed", o.Number, late.Nanoseconds(), task.Delivery)
	return err
}

// place schedules the closing of orders, and cancels that of each third, which is paid. What it
// says has been acknowledged.
func place(ctx context.Context, timers *durable.Timers, p plan, say func(words ...any)) error {
	for number := range p.orders {
		payload, err := json.Marshal(order{number, "somebody"})
		if err != nil {
			return err
		}
		delay := p.within/4 + rand.N(p.within*3/4)
		id := durable.ID(fmt.Sprint("order-", number))
		if _, err = timers.ScheduleAfter(ctx, delay, closing, payload, durable.WithID(id)); err != nil {
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

// work closes orders until nobody wants it any more: until its standard input ends.
func work(ctx context.Context, timers *durable.Timers) error {
	if err := timers.Register(closing, closeOrder); err != nil {
		return err
	}
	fmt.Println("ready")
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	return timers.Close(ctx)
}

// shop has its timers in a folder, by a server inside this process. One that opens has orders placed; one that
// is opened again finds those that are there.
func shop(p plan, dir string, opens bool) error {
	ctx := context.Background()
	timers, err := durable.Open(ctx, durable.Options{Dir: dir})
	if err != nil {
		return err
	}
	if opens {
		if err := place(ctx, timers, p, func(words ...any) { fmt.Println(words...) }); err != nil {
			return err
		}
	}
	return work(ctx, timers)
}

// redelivery is how long timers are missed that a killed worker had in its hands.
const redelivery = 2 * time.Second

// worker shares the timers of a server with others.
func worker(url string) error {
	ctx := context.Background()
	timers, err := durable.Open(ctx, durable.Options{URL: url, Redelivery: redelivery})
	if err != nil {
		return err
	}
	return work(ctx, timers)
}
