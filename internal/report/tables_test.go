package report

import (
	"errors"
	"strings"
	"testing"
)

func TestTables(t *testing.T) {
	var b strings.Builder
	if err := Tables(&b, fullData(), Options{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Cost of insert", "grows as", "n^0.9", "/ time.AfterFunc", "hierwheel-again", "Cost of pair", "bimodal delays",
		"Cost of AfterFunc and Stop in a running program, goroutines: 2", "Cost of Timer.Reset in a running program, goroutines: 2", "  CPU ", "caught up in", "stopped and continued by signals", "suspended the clock stands still", "run out on the real clock", "Ways of sleeping", "Slack: later", "500µs", "jdk-timer", "all due at once", "longest gap", "Lateness of the others", "pool-4", "through one driver", "sharded", "Steps of an operation", "Lateness after the planned deadline", "doubled",
		"beyond the idle process", "Memory of timers pending in bare schedulers", "Memory of timers pending behind a driver", "its name", "Memory of an empty scheduler", "Controls", "±",
		"Lateness with delays up to 5 ms", "kicks", "150/s", "armed late by, 50 %", "CPU of arriving", "12 %",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in the tables", want)
		}
	}
}

type failing struct{}

var errFull = errors.New("full")

func (failing) Write([]byte) (int, error) { return 0, errFull }

func TestTablesReportsWriteErrors(t *testing.T) {
	if err := Tables(failing{}, fullData(), Options{}); !errors.Is(err, errFull) {
		t.Errorf("got %v", err)
	}
}
