// Package workload describes what programs ask of their timers: streams of
// operations, made from a profile or read from a trace, that drive a scheduler
// as a real program would.
package workload
