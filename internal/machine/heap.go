package machine

import "runtime"

// Heap returns the bytes of all objects on the heap, after garbage was collected.
func Heap() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // what pools and cleanups held goes now
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}
