package machine

import "runtime"

// Heap returns the bytes of all objects on the heap after one collection.
func Heap() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}
