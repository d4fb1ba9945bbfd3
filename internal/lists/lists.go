// Package lists has what the standard library has not for slices and maps.
package lists

import (
	"maps"
	"slices"
)

// Keys returns the keys of a map, sorted.
func Keys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// Each returns what of returns for each of a list.
func Each[T, R any](list []T, of func(T) R) (results []R) {
	for _, v := range list {
		results = append(results, of(v))
	}
	return results
}

// Most returns the largest of what is counted of each of a list, 0 if it is empty.
func Most[T any](list []T, of func(T) int) (largest int) {
	for _, v := range list {
		largest = max(largest, of(v))
	}
	return largest
}
