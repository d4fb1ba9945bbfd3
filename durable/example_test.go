package durable_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"schedbench/durable"
)

func Example() {
	ctx := context.Background()
	dir, _ := os.MkdirTemp("", "durable")
	defer os.RemoveAll(dir)
	timers, err := durable.Open(ctx, filepath.Join(dir, "orders.db"), durable.Options{})
	if err != nil {
		panic(err)
	}
	closeOrder := func(_ context.Context, task durable.Task) error { return nil }
	if err := timers.Register("close-order", closeOrder, durable.Policy{}); err != nil {
		panic(err)
	}
	if err := timers.Start(ctx); err != nil {
		panic(err)
	}
	made, err := timers.Schedule(ctx, durable.New{Kind: "close-order", At: time.Now().Add(30 * time.Minute)})
	fmt.Println("existed", made.Existed, err)
	fmt.Println(timers.Cancel(ctx, made.ID))
	fmt.Println(timers.Close(ctx))
	// Output:
	// existed false <nil>
	// true <nil>
	// <nil>
}
