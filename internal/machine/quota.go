package machine

import (
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// Quota returns the least CPU time that the control groups of the process may take, as
// version 2 writes it: so many microseconds in each of so many, "max" if it is all there
// is, and "" if the system does not say. A file says which groups they are, below root.
func Quota(file, root string) string {
	least, share := "", 0.0
	for _, found := range append(quotasOfV2(file, root), quotasOfV1(file, root)...) {
		switch s, limited := ShareOf(found); {
		case limited && (share == 0 || s < share):
			least, share = found, s
		case least == "":
			least = found
		}
	}
	return least
}

// quotasOfV2 returns those of a group and of all above it.
func quotasOfV2(file, root string) (found []string) {
	name, ok := strings.CutPrefix(Field(file, "0"), ":")
	if !ok {
		return nil
	}
	for _, dir := range upwards(name) {
		if q := Line(filepath.Join(root, dir, "cpu.max")); q != "" {
			found = append(found, q)
		}
	}
	return found
}

// quotasOfV1 returns those of a group of version 1 and of all above it.
func quotasOfV1(file, root string) (found []string) {
	text, _ := os.ReadFile(file)
	for l := range strings.Lines(string(text)) {
		parts := strings.SplitN(strings.TrimSpace(l), ":", 3)
		if len(parts) < 3 || !strings.Contains(","+parts[1]+",", ",cpu,") {
			continue
		}
		for _, dir := range upwards(parts[2]) {
			of := filepath.Join(root, parts[1], dir)
			allowed, period := Line(filepath.Join(of, "cpu.cfs_quota_us")), Line(filepath.Join(of, "cpu.cfs_period_us"))
			if strings.HasPrefix(allowed, "-") {
				allowed = "max"
			}
			if allowed != "" && period != "" {
				found = append(found, allowed+" "+period)
			}
		}
	}
	return found
}

// upwards returns a path and all above it, up to the root. That of a container may be one
// that is not there as the container sees it; then the root stands for it.
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
