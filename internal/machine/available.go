package machine

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Available returns how many bytes of memory the system has for the process besides what it
// has taken, without swapping, and whether the system says so: Linux does. In a container it is
// no more than that may take.
func Available() (bytes float64, known bool) {
	kB, unit, _ := strings.Cut(Field("/proc/meminfo", "MemAvailable"), " ")
	n, err := strconv.ParseFloat(kB, 64)
	if err != nil || unit != "kB" {
		return 0, false
	}
	return min(n*1024, leftInGroup("/proc/self/cgroup", "/sys/fs/cgroup")), true
}

// leftInGroup returns how many bytes the control group that a file names may still take,
// infinitely many if it has no limit. Groups are below root, those of version 2.
func leftInGroup(file, root string) float64 {
	dir := filepath.Join(root, strings.TrimPrefix(Field(file, "0"), ":"))
	limit, err := strconv.ParseFloat(Line(filepath.Join(dir, "memory.max")), 64)
	used, err2 := strconv.ParseFloat(Line(filepath.Join(dir, "memory.current")), 64)
	if err != nil || err2 != nil { // there is no such file, or the limit is "max"
		return math.Inf(1)
	}
	return max(limit-used+reclaimable(filepath.Join(dir, "memory.stat")), 0)
}

// reclaimable returns how many bytes of what a group uses are those of files, which the system
// drops when memory is wanted.
func reclaimable(path string) float64 {
	text, _ := os.ReadFile(path)
	for l := range strings.Lines(string(text)) {
		if bytes, ok := strings.CutPrefix(l, "inactive_file "); ok {
			n, _ := strconv.ParseFloat(strings.TrimSpace(bytes), 64)
			return n
		}
	}
	return 0
}
