package rundata

import (
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"schedbench/internal/machine"
	"schedbench/live"
)

// SystemLoad is what else the machine did while a block was measured: it shows how far to trust the block.
type SystemLoad struct {
	Block, Date string        // its name, and the day on which it was measured
	Took        time.Duration // 0 if unknown
	Stolen      time.Duration // that the host gave away, summed over processors; negative if unknown
	Others      float64       // the share of all processors' time that others took, with the host's; negative if unknown
	Battery     bool          // the machine ran on its battery when the block began or ended
}

// The keys of these. The ticks are noted before and after a block.
const (
	tookKey  = "took"
	stealKey = "steal-ticks-"

	OthersKey  = "others-share"
	batteryKey = "on-battery-"
)

const perTick = 10 * time.Millisecond

// SystemLoadOf returns what a description says of the machine around a block.
func SystemLoadOf(block string, description []Param) SystemLoad {
	number := func(text string) float64 { // -1 if it is none
		if v, err := strconv.ParseFloat(text, 64); err == nil {
			return v
		}
		return -1
	}
	took, _ := time.ParseDuration(Get(description, tookKey))
	a := SystemLoad{
		Block: block, Date: Get(description, dateKey), Took: took,
		Stolen: -1, Others: number(Get(description, OthersKey)),
		Battery: Get(description, batteryKey+"before") != "" || Get(description, batteryKey+"after") != "",
	}
	if before, after := number(Get(description, stealKey+"before")), number(Get(description, stealKey+"after")); before >= 0 && after >= before {
		a.Stolen = time.Duration(after-before) * perTick
	}
	return a
}

// Took describes how long a block took.
func Took(d time.Duration) Param { return Param{tookKey, d.Round(time.Millisecond).String()} }

// LoadNow describes how busy the machine is, which is noted around each block.
func LoadNow(when string) []Param {
	var p []Param
	if cpu := strings.Fields(machine.Line("/proc/stat")); len(cpu) > 8 {
		p = append(p, Param{stealKey + when, cpu[8]})
	}
	if onBattery("/sys/class/power_supply") {
		p = append(p, Param{batteryKey + when, "true"})
	}
	return p
}

// NoticedBusy is the share of the processors' time that others may take before a run says so.
const NoticedBusy = 0.02

// OthersSince describes how much of the machine other processes have taken since.
func OthersSince(since live.OtherProcesses) []Param {
	if machine.Line("/proc/stat") == "" { // the system does not say
		return nil
	}
	return []Param{{OthersKey, strconv.FormatFloat(since.Share(), 'g', 4, 64)}}
}

// onBattery reports whether a machine runs on its battery: no supply is online, and a battery is being emptied.
func onBattery(root string) bool {
	supplies, _ := filepath.Glob(filepath.Join(root, "*"))
	emptied := false
	for _, dir := range supplies {
		if machine.Line(filepath.Join(dir, "online")) == "1" {
			return false
		}
		emptied = emptied || machine.Line(filepath.Join(dir, "type")) == "Battery" && machine.Line(filepath.Join(dir, "scope")) != "Device" &&
			machine.Line(filepath.Join(dir, "status")) == "Discharging"
	}
	return emptied
}
