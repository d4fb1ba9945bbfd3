package buckets

import "schedbench/schedulers"

// Holds reports whether id is pending. O(1).
func (b *Buckets[K, T]) Holds(id schedulers.ID) bool { return b.ids.Holds(id) }
