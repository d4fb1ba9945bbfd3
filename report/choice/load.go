package choice

import (
	"fmt"
	"io"

	"schedbench/internal/words"
	"schedbench/report/text"
	"schedbench/tune"
	"schedbench/tune/costs"
)

// Workload writes a workload in numbers.
func Workload(w io.Writer, l *tune.Load) error {
	t := &text.Page{W: w}
	tab := loadTable(l)
	tab.Title = fmt.Sprintf("WORKLOAD %s, in numbers: over %s of it%s", l.Name, words.Span(rounded(l.Span)), warmth(l))
	tab.Notes = l.Notes
	t.Table(tab)
	return t.Err
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
	t := &text.Page{W: w}
	from := "measured just now, and kept"
	if !c.Fresh {
		from = "measured on " + c.Calibration.Made.UTC().Format("2006-01-02 15:04 MST") + ", as it is kept"
	}
	t.Printf("CALIBRATION %s in %s\n", from, c.Path)
	if c.Notice != "" {
		t.Item(c.Notice)
	}
	t.Printf("\n")
	if each {
		t.Table(eachTermTable(c.Calibration))
	} else {
		t.Table(termsTable(c.Calibration))
	}
	t.Table(latencyTable(c.Calibration))
	return t.Err
}
