package report

import (
	"slices"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/lists"
	"schedbench/internal/report/chart"
	"schedbench/internal/report/text"
	"schedbench/internal/words"
)

// held is a way to weigh timers. Bare schedulers hold a number for each and are compared with container/heap. Drivers
// hold a function for each and are compared with time.AfterFunc.
type held struct {
	name     string // ends titles and names of measures
	title    string // of tables
	what     string // the value of the parameter
	notes    []string
	baseline string
}

var holdings = []held{
	{"bare schedulers", "Memory of timers pending in bare schedulers, which hold a number for each", "",
		[]string{"All figures include the empty scheduler. A name is what a program keeps to stop a timer; the other figures leave it out."}, catalog.ContainerHeap},
	{"behind a driver", "Memory of timers pending behind a driver, which holds a function for each, as " + catalog.RuntimeTimer + " does", rundata.HoldingFunctions,
		[]string{"The collection also marks the names of the timers, which are kept here."}, catalog.RuntimeTimer},
}

var memoryChapter = chapter{
	section: howMuchMemory,
	figures: func(v *Report) []*chart.Figure {
		f := &chart.Figure{
			Name: "memory", Alike: true, Width: chart.Inches(13), Height: chart.Inches(1.6),
			Title: "How much memory does a pending timer take, and how long a garbage collection?",
			Subtitle: "Heap taken for each timer: just inserted, and after every timer was cancelled and " +
				"another inserted; a collection is forced, of the whole heap; bare schedulers hold a number for each, drivers and " + catalog.RuntimeTimer +
				" a function; median and 95 % interval",
		}
		for _, h := range holdings {
			y := chart.Axis{Label: "bytes per timer, lower is better", Format: words.Tidy(words.Bytes), Log: true}
			nothing := v.memoryGrid(rundata.GCNs, h)
			collection := nothing.panel(h.name+", a collection", "timers pending", nanosAxis("time of a collection, lower is better"))
			collection.Own, nothing.ways = true, v.each([]string{rundata.NothingControl})
			if none := nothing.medians()[0].Points; len(none) > 0 {
				collection.Bands = []chart.Band{{Name: "nothing pending", Points: none}}
			}
			if len(v.pendingMemory(h)) > 0 {
				f.Rows = append(f.Rows, []*chart.Panel{
					v.memoryGrid(rundata.BytesPerTimer, h).panel(h.name+", just inserted", "timers pending", y),
					v.memoryGrid(rundata.ChurnedPerTimer, h).panel(h.name+", after replacing all", "timers pending", y), collection,
				})
				f.Height += chart.Inches(3.8)
			}
		}
		return []*chart.Figure{f}
	},
	tables: func(v *Report) (tables []*text.Table) {
		for _, h := range holdings {
			t := tableOf(h.title, 1, v.ordered(v.pendingMemory(h)), []column{
				contestant, amount("pending", "pending"),
				{"for each timer", func(s *rundata.Series) string {
					return orState(s, within(summary(s, rundata.BytesPerTimer), words.Bytes))
				}},
				median("after replacing all", rundata.ChurnedPerTimer, words.Bytes),
				median("its name", rundata.NamePerTimer, words.Bytes), median("collection", rundata.GCNs, words.Nanos),
			})
			t.Notes = h.notes
			tables = append(tables, t)
		}
		return tables
	},
	// The memory of a timer once all have been replaced, and the time of a collection. Only the memory behind a driver
	// votes: programs ask for the memory of functions.
	measures: func(v *Report) (all []measure) {
		const fewest = 10_000 // timers that make a collection longer than one of an empty heap
		for _, h := range holdings {
			t := measure{name: "memory of a timer, " + h.name, group: "memory", takes: "as much", where: "with %s pending", baseline: h.baseline,
				note: "differences under 1 MB in all count as none", negligible: 1e6, inAll: true,
				votes: h.what != "", of: v.memoryGrid(rundata.ChurnedPerTimer, h)}
			collection := measure{name: "a garbage collection, " + h.name, group: "memory", takes: "as long", where: t.where, baseline: h.baseline,
				of: v.memoryGrid(rundata.GCNs, h)}
			collection.of.series = slices.DeleteFunc(collection.of.series, func(s *rundata.Series) bool { return number(s.Get("pending")) < fewest })
			all = append(all, t, collection)
		}
		return all
	},
}

var horizonChapter = chapter{
	heading: "What does a wide horizon cost before anything is scheduled?",
	section: howMuchMemory,
	tables: func(v *Report) []*text.Table {
		c := grid{series: v.data.Select(rundata.Memory), key: "horizon"}
		t := &text.Table{Title: "Memory of an empty scheduler by horizon", Names: 1, Header: append([]string{"contestant"}, lists.Each(c.values(), c.nameOf)...)}
		for _, name := range v.names {
			addRow(t, name, c.values(), func(horizon string) string {
				return within(summary(c.at([]string{"impl=" + name}, horizon), rundata.BytesPerWheel), words.Bytes)
			})
		}
		return []*text.Table{t}
	},
}

func (v *Report) memoryGrid(unit string, h held) grid {
	return grid{v.pendingMemory(h), "pending", nil, unit, v.each(v.names)}
}

// pendingMemory returns the memory series that count timers, and not wheels, weighed in some way.
func (v *Report) pendingMemory(h held) []*rundata.Series {
	return slices.DeleteFunc(v.data.Select(rundata.Memory, "holding="+h.what), func(s *rundata.Series) bool { return s.Get("pending") == "" })
}
