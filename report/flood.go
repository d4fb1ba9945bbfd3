package report

import (
	"schedbench/harness/rundata"
	"schedbench/internal/words"
	"schedbench/report/text"
)

// floodQuestion is how late a timer is right after very many were armed and stopped.
var floodQuestion = question{
	section: howLate, experiments: []string{rundata.Flood},
	tables: func(v *view) []*text.Table {
		return []*text.Table{tableOf("A timer of 1 ms right after very many were armed and stopped", 1, v.ordered(v.data.Select(rundata.Flood)), []column{
			contender, amount("armed and stopped", "stopped"),
			median("each took", rundata.NsPerOp, words.Nanos), median("the timer was late by", rundata.LateAfter, words.Nanos),
		})}
	},
}
