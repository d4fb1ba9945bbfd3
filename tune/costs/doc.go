// Package costs knows what things cost on this machine: a wake-up, a tick, a visit, an
// insertion, and so on, fitted from short runs, with intervals, and kept in a file.
//
// Calibrate measures them in about a minute, LoadOrCalibrate only if that was not done
// before on the same machine, and Drift measures the most fickle of them again, to see
// whether the machine is what it was.
package costs
