package report

import (
	"fmt"
	"io"

	"schedbench/internal/words"
	"schedbench/tune"
	"schedbench/tune/costs"
)

// Workload writes a workload in numbers.
func Workload(w io.Writer, l *tune.Load) error {
	t := &page{w: w}
	tab := loadTable(l)
	tab.title = fmt.Sprintf("WORKLOAD %s, in numbers: over %s of it%s", l.Name, words.Span(rounded(l.Span)), warmth(l))
	tab.notes = l.Notes
	t.table(tab)
	return t.err
}

// warmth says what was left out before a workload was steady.
func warmth(l *tune.Load) string {
	if l.Warm <= 0 {
		return ""
	}
	return fmt.Sprintf(", after the first %s, in which it was not steady yet", words.Span(rounded(l.Warm)))
}

// Calibration writes the costs of a machine, and how well they fit: in kinds, or
// each of them.
func Calibration(w io.Writer, c costs.Cached, each bool) error {
	t := &page{w: w}
	from := "measured just now, and kept"
	if !c.Fresh {
		from = "measured on " + c.Calibration.Made.UTC().Format("2006-01-02 15:04 MST") + ", as it is kept"
	}
	t.printf("CALIBRATION %s in %s\n", from, c.Path)
	if c.Notice != "" {
		t.item(c.Notice)
	}
	t.printf("\n")
	if each {
		t.table(eachTermTable(c.Calibration))
	} else {
		t.table(termsTable(c.Calibration))
	}
	t.table(latencyTable(c.Calibration))
	return t.err
}
