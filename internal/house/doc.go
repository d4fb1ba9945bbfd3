// Package house has tests of the whole tree: which package imports which, which words are used, where links lead, and whether
// the Go in texts compiles.
package house
