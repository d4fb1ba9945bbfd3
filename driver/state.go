package driver

import (
	"fmt"

	"schedbench/schedulers"
)

// State says where a timer stands. See Timer.State.
type State uint8

const (
	// Unknown: the driver was not started WithStates, or the timer ended so long
	// ago that its place in the scheduler has served other timers since.
	Unknown State = iota
	// IsPending: the task has not begun.
	IsPending
	// Fired: the task has begun.
	Fired
	// Cancelled: Stop, Reset or Close took the task away before it began.
	Cancelled
)

// String returns the name of the state in lower case.
func (s State) String() string {
	names := [...]string{"unknown", "pending", "fired", "cancelled"}
	if int(s) < len(names) {
		return names[s]
	}
	return fmt.Sprintf("State(%d)", uint8(s))
}

// outcomes remembers for each cell of a scheduler the last ID that was
// cancelled. The generations of a cell rise, so an ID that is not pending and
// comes after the last cancelled one has fired.
type outcomes struct {
	pages map[uint32]*[outcomePage]uint32 // generation + 1, or 0 for none
}

const outcomePage = 1024

// cancelled notes that id was pending and is no more.
func (o *outcomes) cancelled(id schedulers.ID) {
	page := o.pages[id.Cell()/outcomePage]
	if page == nil {
		if o.pages == nil {
			o.pages = make(map[uint32]*[outcomePage]uint32)
		}
		page = new([outcomePage]uint32)
		o.pages[id.Cell()/outcomePage] = page
	}
	page[id.Cell()%outcomePage] = id.Generation() + 1
}

// state returns what became of id, which is not pending.
func (o *outcomes) state(id schedulers.ID) State {
	last := uint32(0)
	if page := o.pages[id.Cell()/outcomePage]; page != nil {
		last = page[id.Cell()%outcomePage]
	}
	switch {
	case last == id.Generation()+1:
		return Cancelled
	case last > id.Generation():
		return Unknown
	}
	return Fired
}
