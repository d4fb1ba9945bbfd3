package report

import (
	"io"

	"schedbench/harness"
)

// Tables writes the figures behind the charts: medians, with how far their
// 95 % intervals go from them.
func Tables(w io.Writer, d *harness.Data) error {
	v := newView(d)
	var all []*table
	for _, op := range v.ops() {
		for _, delay := range v.delays(op) {
			all = append(all, v.costTable(op, delay))
		}
	}
	all = append(all, v.replayTables()...)
	all = append(all, v.onTheClockTable())
	all = append(all, v.liveTables()...)
	all = append(all,
		v.parallelTable(), v.workTable(), v.latenessTable(), v.slowTable(), v.burstTable(), v.drainTable(), v.pauseTable(), v.waitingTable(), v.slackTable(),
		v.idleTable(), v.systemsTable(), v.memoryTable(), v.horizonTable(), v.controlTable())
	for _, t := range all {
		if err := t.write(w); err != nil {
			return err
		}
	}
	return nil
}
