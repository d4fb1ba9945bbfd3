package report

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"schedbench/report/text"
)

func TestTables(t *testing.T) {
	var b strings.Builder
	if err := Tables(&b, fullData()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Cost of insert", "/ time.AfterFunc", "hierwheel-again", "Cost of pair", "bimodal delays",
		"goroutines: 2", "  CPU ", "caught up in", "run out on the real clock", "Ways of sleeping", "Slack: later", "500µs", "Known systems", "jdk-timer", "all due at once", "longest gap", "Lateness of the others", "pool-4", "through one driver", "sharded", "Steps of an operation", "Lateness after the planned deadline", "doubled",
		"beyond the idle process", "Memory of pending timers", "Memory of an empty scheduler", "Controls", "±",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in the tables", want)
		}
	}
}

// The lines of a table are as long as its ruler, so that columns line up.
func TestTableIsAligned(t *testing.T) {
	tab := text.Table{Title: "T", Names: 1, Header: []string{"who", "µs", "none"}}
	tab.Add("a", "1 µs ±3%", "")
	tab.Add("bcd", "", "")
	var b strings.Builder
	if err := tab.Write(&b); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")[2:]
	for _, l := range lines {
		if got, want := utf8.RuneCountInString(l), utf8.RuneCountInString(lines[0]); got != want {
			t.Errorf("%q has %d columns of text, want %d", l, got, want)
		}
	}
	if strings.Contains(b.String(), "none") {
		t.Error("an empty column is shown")
	}
}

type failing struct{}

var errFull = errors.New("full")

func (failing) Write([]byte) (int, error) { return 0, errFull }

func TestTablesReportsWriteErrors(t *testing.T) {
	if err := Tables(failing{}, fullData()); !errors.Is(err, errFull) {
		t.Errorf("got %v", err)
	}
}
