package workload

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Limits of a profile. What is beyond them is refused when it is read.
const (
	maxDuration   = 100 * year
	maxPopulation = 10_000_000 // timers of one block that are fixed, or pending at the start
	maxRate       = 1e9        // operations per second
	maxBlocks     = 64
	maxResets     = 65535
)

const (
	day  = 24 * time.Hour
	year = 365 * day
)

var units = map[string]time.Duration{
	"y": year, "d": day, "h": time.Hour, "min": time.Minute, "m": time.Minute, "s": time.Second,
	"ms": time.Millisecond, "us": time.Microsecond, "µs": time.Microsecond, "ns": time.Nanosecond,
}

// parseDuration reads numbers with units, as 1h30m, 0.5ms or 1y. A year is 365 days.
func parseDuration(text string) (time.Duration, error) {
	switch text {
	case "0":
		return 0, nil
	case "":
		return 0, fmt.Errorf("a duration is missing")
	}
	total := 0.0
	for rest := text; rest != ""; {
		n, tail, err := leadingNumber(rest)
		if err != nil {
			return 0, fmt.Errorf("%q is not a duration such as 20ms, 1h30m or 1y", text)
		}
		name := tail
		if i := strings.IndexAny(tail, "0123456789."); i >= 0 {
			name = tail[:i]
		}
		size, ok := units[name]
		if !ok {
			return 0, fmt.Errorf("%q is not a duration: want numbers with the units ns, us, ms, s, m, h, d or y", text)
		}
		total += n * float64(size)
		rest = tail[len(name):]
	}
	if total > float64(maxDuration) {
		return 0, fmt.Errorf("%q is longer than 100 years", text)
	}
	return time.Duration(math.Round(total)), nil
}

// leadingNumber splits a number that is not negative off the front of text.
func leadingNumber(text string) (n float64, rest string, err error) {
	rest = strings.TrimLeft(text, "0123456789._")
	n, err = strconv.ParseFloat(strings.ReplaceAll(text[:len(text)-len(rest)], "_", ""), 64)
	return n, rest, err
}

// parseCount reads a number such as 100_000, 100k or 2M.
func parseCount(text string) (float64, error) {
	n, rest, err := leadingNumber(text)
	factor, ok := map[string]float64{"": 1, "k": 1e3, "M": 1e6}[rest]
	if err != nil || !ok {
		return 0, fmt.Errorf("%q is not a number such as 1000, 100k or 2M", text)
	}
	return n * factor, nil
}

// parsePopulation reads a number of timers: a whole number from 1 to 10 million.
func parsePopulation(text string) (int, error) {
	n, err := parseCount(text)
	if err == nil && (n != math.Trunc(n) || n < 1 || n > maxPopulation) {
		err = fmt.Errorf("%s is not a whole number from 1 to 10M", text)
	}
	return int(n), err
}

// parseRate reads a number per second, as 10k/s or 3/min.
func parseRate(text string) (perSecond float64, err error) {
	count, per, ok := strings.Cut(text, "/")
	size, known := units[per]
	if !ok || !known {
		return 0, fmt.Errorf("%q is not a rate such as 10k/s or 3/min", text)
	}
	n, err := parseCount(count)
	if err != nil {
		return 0, err
	}
	perSecond = n / size.Seconds()
	if perSecond < 1e-9 || perSecond > maxRate {
		return 0, fmt.Errorf("%s is not a rate from 1e-9/s to 1000M/s", text)
	}
	return perSecond, nil
}

// parseWeight reads a weight, as 3 or 30%.
func parseWeight(text string) (float64, error) {
	w, err := parseCount(strings.TrimSuffix(text, "%"))
	if err != nil || w < 1e-6 || w > 1e9 {
		return 0, fmt.Errorf("%q is not a weight from 1e-6 to 1e9, such as 3 or 30%%", text)
	}
	return w, nil
}

// parseShare reads a part of the whole, as 88% or 0.88.
func parseShare(text string) (float64, error) {
	n, rest, err := leadingNumber(text)
	if rest == "%" {
		n /= 100
	} else if rest != "" {
		err = strconv.ErrSyntax
	}
	if err != nil {
		return 0, fmt.Errorf("%q is not a share such as 88%% or 0.88", text)
	}
	if n > 1 {
		return 0, fmt.Errorf("%s is more than 100%%", text)
	}
	return n, nil
}
