package main

import "schedbench/catalog"

// The contestants of package durable: where timers are kept, and how they are synced.
const (
	durableName = "durable-sqlite"
	durableFull = "durable-sqlite-full"
	durablePg   = "durable-postgres"
	durablePgNo = "durable-postgres-async"
)

// pollBeside is the contestant that the curve of intervals is compared with.
const pollBeside = durableName

// pairs are the contestants that are compared by sentences of their own.
func pairs() [][2]string {
	return [][2]string{
		{durableName, catalog.Hier}, {durableFull, durableName}, {durablePg, durableName}, {durablePgNo, durablePg},
		{durablePg, "river"}, {durableName, "asynq"},
	}
}

// durables returns the contestants of package durable.
func durables() []contestant {
	return []contestant{{name: durableName}, {name: durableFull}, {name: durablePg, server: postgres}, {name: durablePgNo, server: postgres}}
}
