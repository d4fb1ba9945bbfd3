package words

import (
	"regexp"
	"strconv"
	"time"
)

// figure is a number with its unit as the formats of this package write it.
var figure = regexp.MustCompile(`^\(?(?:same: |n\^|under )?(-?[0-9]+(?:\.[0-9]+)?(?:e-[0-9]+)?)(?: ?(ns|µs|ms|s|B|kB|MB|GB|k|M|G|d|%|×))?×?(?:/s)?(?:$|[ ).,;])`)

// units are what figures are multiplied by. Times are in nanoseconds.
var units = map[string]float64{
	"": 1, "ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9, "d": 24 * 3600e9,
	"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "k": 1e3, "M": 1e6, "G": 1e9, "%": 0.01, "×": 1,
}

// Figure reads what a cell of a table begins with: 1.5 for "1.5× ±3%", 2e6 for "2 ms". It reports whether that is a figure.
func Figure(cell string) (float64, bool) {
	if d, err := time.ParseDuration(cell); err == nil {
		return float64(d), true
	}
	found := figure.FindStringSubmatch(cell)
	if found == nil {
		return 0, false
	}
	v, err := strconv.ParseFloat(found[1], 64)
	return v * units[found[2]], err == nil
}
