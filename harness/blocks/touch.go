package blocks

import (
	"runtime"
	"runtime/debug"
	"time"
)

// pageSize is that of the pages that the system hands out.
const pageSize = 4096

// FaultIn touches so many bytes of memory, which the runtime keeps: later measurements get touched memory. It
// returns the time of the first touch of a page, in nanoseconds, 0 if there is nothing to touch.
func FaultIn(bytes int) (perPage float64) {
	if bytes < pageSize {
		return 0
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	memory := make([]byte, bytes)
	start := time.Now()
	for i := 0; i < len(memory); i += pageSize {
		memory[i] = 1
	}
	took := time.Since(start)
	runtime.KeepAlive(memory)
	memory = nil
	runtime.GC()
	return float64(took.Nanoseconds()) / float64(bytes/pageSize)
}
