// Package house holds the module to its own plan: its test fails if a package
// imports one of a higher floor, or if a new package has no floor.
package house
