package machine

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Quota returns the least CPU time of the control groups that a file names, below root, as version 2 writes it: microseconds in
// each period of microseconds, or "max" without limit. It is "" if the system does not say.
func Quota(file, root string) string {
	least, share := "", 0.0
	for _, found := range quotas(file, root) {
		switch s, limited := ShareOf(found); {
		case limited && (share == 0 || s < share):
			least, share = found, s
		case least == "":
			least = found
		}
	}
	return least
}

// quotas returns the quotas of the control groups that a file names, and of all groups above them. A group numbered 0
// is of version 2.
func quotas(file, root string) (found []string) {
	text, _ := os.ReadFile(file)
	for l := range strings.Lines(string(text)) {
		parts := strings.SplitN(strings.TrimSpace(l), ":", 3)
		if len(parts) < 3 {
			continue
		}
		for _, dir := range upwards(parts[2]) {
			of := filepath.Join(root, parts[1], dir)
			if parts[0] == "0" {
				found = append(found, Line(filepath.Join(of, "cpu.max")))
			} else if strings.Contains(","+parts[1]+",", ",cpu,") {
				allowed, period := Line(filepath.Join(of, "cpu.cfs_quota_us")), Line(filepath.Join(of, "cpu.cfs_period_us"))
				if strings.HasPrefix(allowed, "-") {
					allowed = "max"
				}
				found = append(found, allowed+" "+period)
			}
		}
	}
	return slices.DeleteFunc(found, func(q string) bool { return len(strings.Fields(q)) < 2 })
}

// upwards returns a path and all above it. A container may not see its own path; then the root stands for it.
func upwards(name string) (all []string) {
	for dir := path.Clean("/" + name); ; dir = path.Dir(dir) {
		all = append(all, dir)
		if dir == "/" {
			return all
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
