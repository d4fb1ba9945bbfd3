package harness

import (
	"errors"
	"io/fs"
	"strconv"
	"strings"
	"time"
)

// Around is what the machine did while a cell was measured, besides that: how far to
// trust the cell.
type Around struct {
	// Cell is its name, Date the day on which it was measured.
	Cell, Date string
	// Took is how long it took; 0 if the data do not say, as older ones do not.
	Took time.Duration
	// Load is how many threads wanted a processor on average over the last minute when
	// the cell began, those of the run itself too; negative if the data do not say.
	Load float64
	// Stolen is the time for which the host gave processors to others, summed over
	// processors; negative if the data do not say.
	Stolen time.Duration
}

// The keys of these. The load and the ticks are noted before and after a cell.
const (
	tookKey  = "took"
	loadKey  = "load-"
	stealKey = "steal-ticks-"
)

// perTick is the time of a tick of Linux' counts of processor time.
const perTick = 10 * time.Millisecond

// LoadAround reads from dir what the machine did around each cell that is there.
func LoadAround(dir string) (all []Around, err error) {
	env, err := loadRunOf(dir)
	if err != nil {
		return nil, err
	}
	for _, name := range strings.Fields(valueOf(env, "order")) {
		description, err := loadDescription(dir, name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return nil, err
		}
		all = append(all, aroundOf(name, description))
	}
	return all, nil
}

// aroundOf returns what a description says of the machine around a cell.
func aroundOf(cell string, description []Param) Around {
	a := Around{Cell: cell, Date: valueOf(description, dateKey), Load: -1, Stolen: -1}
	a.Took, _ = time.ParseDuration(valueOf(description, tookKey))
	if load := strings.Fields(valueOf(description, loadKey+"before")); len(load) > 0 {
		if v, err := strconv.ParseFloat(load[0], 64); err == nil {
			a.Load = v
		}
	}
	before, err := strconv.ParseInt(valueOf(description, stealKey+"before"), 10, 64)
	after, err2 := strconv.ParseInt(valueOf(description, stealKey+"after"), 10, 64)
	if err == nil && err2 == nil && after >= before {
		a.Stolen = time.Duration(after-before) * perTick
	}
	return a
}

// load describes how busy the machine is, which is noted around each cell.
func load(when string) []Param {
	var p []Param
	if l := line("/proc/loadavg"); l != "" {
		p = append(p, Param{loadKey + when, strings.Join(strings.Fields(l)[:3], " ")})
	}
	if cpu := strings.Fields(line("/proc/stat")); len(cpu) > 8 {
		p = append(p, Param{stealKey + when, cpu[8]})
	}
	return p
}
