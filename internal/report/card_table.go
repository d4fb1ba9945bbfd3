package report

// cardTable returns the worst of each contender in each group, for those that
// there are to choose from and for what Go has.
func (v *view) cardTable(all []inquiry) (t CardTable) {
	t.Columns = groupsOf(all)
	shown := v.candidates()
	for _, name := range v.names {
		if baseline(name) || !preset(name) && v.noScheduler(name) {
			shown = append(shown, name)
		}
	}
	for _, name := range shown {
		of := stands(name, all)
		row, measured := CardRow{Name: name}, false
		for _, column := range t.Columns {
			worst, took := worstStand(ofGroup(of, column))
			row.Cells = append(row.Cells, worst.cell(name, took))
			measured = measured || took
		}
		if measured {
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// cell returns a stand as a cell of the table.
func (s stand) cell(name string, took bool) CardCell {
	if !took {
		return CardCell{State: CellNone}
	}
	c := CardCell{State: CellSame, Worst: s.factor(name)}
	switch {
	case s.behind():
		c.State = CellBehind
	case s.open && s.first:
		c.State = CellFront
	case s.open:
		c.State = CellOpen
	}
	return c
}
