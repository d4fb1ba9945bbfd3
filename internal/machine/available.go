package machine

import (
	"math"
	"path/filepath"
	"strconv"
	"strings"
)

// Available returns how many bytes of memory the system has for the process besides what it has taken, without
// swapping, and whether the system says so: Linux does. In a container it is no more than that may take.
func Available() (bytes float64, known bool) {
	kB, unit, _ := strings.Cut(Field("/proc/meminfo", "MemAvailable"), " ")
	n, err := strconv.ParseFloat(kB, 64)
	if err != nil || unit != "kB" {
		return 0, false
	}
	return min(n*1024, leftInGroup("/proc/self/cgroup", "/sys/fs/cgroup")), true
}

// leftInGroup returns how many bytes the control group (version 2) that a file names may still take, Inf without a limit.
func leftInGroup(file, root string) float64 {
	dir := filepath.Join(root, strings.TrimPrefix(Field(file, "0"), ":"))
	limit, err := strconv.ParseFloat(Line(filepath.Join(dir, "memory.max")), 64)
	used, err2 := strconv.ParseFloat(Line(filepath.Join(dir, "memory.current")), 64)
	if err != nil || err2 != nil { // there is no such file, or the limit is "max"
		return math.Inf(1)
	}
	// The system drops files when memory is wanted.
	files, _ := strconv.ParseFloat(valueOf(filepath.Join(dir, "memory.stat"), "inactive_file", " "), 64)
	return max(limit-used+files, 0)
}
