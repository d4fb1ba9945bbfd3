package machine

import (
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// Quota returns the least CPU time of the control group (version 2) that a file names, and of all groups above it, below root:
// microseconds in each period of microseconds, or "max" without limit. It is "" if the system does not say.
func Quota(file, root string) (least string) {
	share := 0.0
	// A container may not see the path of its group; then the root stands for it.
	for dir := path.Clean("/" + strings.TrimPrefix(Field(file, "0"), ":")); ; dir = path.Dir(dir) {
		found := Line(filepath.Join(root, dir, "cpu.max"))
		switch s, limited := ShareOf(found); {
		case limited && (share == 0 || s < share):
			least, share = found, s
		case least == "":
			least = found
		}
		if dir == "/" {
			return least
		}
	}
}

// ShareOf returns how many processors a quota comes to, and whether there is a limit.
func ShareOf(quota string) (processors float64, limited bool) {
	allowed, period, _ := strings.Cut(quota, " ")
	a, err := strconv.ParseFloat(allowed, 64)
	p, err2 := strconv.ParseFloat(period, 64)
	return a / p, err == nil && err2 == nil && a > 0 && p > 0
}
