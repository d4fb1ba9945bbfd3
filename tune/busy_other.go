//go:build !linux

package tune

func readMachine() (machineTime, bool) { return machineTime{}, false }
