package idtable

import "schedbench/schedulers"

// Holds reports whether id is valid: false also for an ID that was never handed
// out. O(1).
func (t *Table) Holds(id schedulers.ID) bool {
	cell := id.Cell()
	return cell>>pageBits < uint32(len(t.pages)) && id.Generation()&1 == 1 &&
		t.pages[cell>>pageBits][cell&pageMask] == id.Generation()
}
