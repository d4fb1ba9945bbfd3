// Package tune chooses a scheduler, its tick and its size for a workload on this
// machine, and proves the choice.
package tune
