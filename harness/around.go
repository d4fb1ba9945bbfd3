package harness

import (
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"schedbench/live"
)

// Around is what the machine did while a block was measured, besides that: how far to
// trust the block.
type Around struct {
	// Block names it, and Date is the day on which it was measured.
	Block, Date string
	// Took is how long it took; 0 if the data do not say, as older ones do not.
	Took time.Duration
	// Load is how many threads wanted a processor on average over the last minute when
	// the block began, those of the run itself too; negative if the data do not say.
	Load float64
	// Stolen is the time for which the host gave processors to others, summed over
	// processors; negative if the data do not say.
	Stolen time.Duration
	// Others is the share of all processors' time that other processes took, with what the
	// host gave away; negative if the data do not say.
	Others float64
	// Battery says that the machine ran on its battery when the block began or ended.
	Battery bool
}

// The keys of these. The load and the ticks are noted before and after a block.
const (
	tookKey  = "took"
	loadKey  = "load-"
	stealKey = "steal-ticks-"

	othersKey  = "others-share"
	batteryKey = "on-battery-"
)

// perTick is the time of a tick of Linux' counts of processor time.
const perTick = 10 * time.Millisecond

// aroundsOf returns what parts say of the machine.
func aroundsOf(parts []*blockFile) (all []Around) {
	for _, p := range parts {
		a := aroundOf(p.name, p.env)
		if a.Took == 0 {
			for _, c := range p.cells {
				a.Took += c.took
			}
		}
		all = append(all, a)
	}
	return all
}

// aroundOf returns what a description says of the machine around a block.
func aroundOf(block string, description []Param) Around {
	a := Around{Block: block, Date: valueOf(description, dateKey), Load: -1, Stolen: -1, Others: -1}
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
	if v, err := strconv.ParseFloat(valueOf(description, othersKey), 64); err == nil {
		a.Others = v
	}
	a.Battery = valueOf(description, batteryKey+"before") != "" || valueOf(description, batteryKey+"after") != ""
	return a
}

// load describes how busy the machine is, which is noted around each block.
func load(when string) []Param {
	var p []Param
	if l := line("/proc/loadavg"); l != "" {
		p = append(p, Param{loadKey + when, strings.Join(strings.Fields(l)[:3], " ")})
	}
	if cpu := strings.Fields(line("/proc/stat")); len(cpu) > 8 {
		p = append(p, Param{stealKey + when, cpu[8]})
	}
	if onBattery(powerSupplies) {
		p = append(p, Param{batteryKey + when, "true"})
	}
	return p
}

// others describes how much of the machine other processes have taken since.
func others(since live.OtherProcesses) []Param {
	if line("/proc/stat") == "" { // the system does not tell
		return nil
	}
	return []Param{{othersKey, strconv.FormatFloat(since.Share(), 'g', 4, 64)}}
}

// powerSupplies is where Linux tells of them.
const powerSupplies = "/sys/class/power_supply"

// onBattery reports whether a machine runs on its battery, by what it says of its power
// supplies: none is online, and a battery is being emptied.
func onBattery(root string) bool {
	supplies, _ := filepath.Glob(filepath.Join(root, "*"))
	emptied := false
	for _, dir := range supplies {
		if line(filepath.Join(dir, "online")) == "1" {
			return false
		}
		emptied = emptied || line(filepath.Join(dir, "type")) == "Battery" && line(filepath.Join(dir, "scope")) != "Device" &&
			line(filepath.Join(dir, "status")) == "Discharging"
	}
	return emptied
}
