// Package lists has functions of slices and maps that the standard library lacks.
package lists

import (
	"maps"
	"slices"
)

// Keys returns the keys of a map, sorted.
func Keys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// Each returns the results of a function for the elements of a list.
func Each[T, R any](list []T, of func(T) R) (results []R) {
	for _, v := range list {
		results = append(results, of(v))
	}
	return results
}

// Only returns those of a list that meet a condition.
func Only[T any](list []T, is func(T) bool) (some []T) {
	for _, v := range list {
		if is(v) {
			some = append(some, v)
		}
	}
	return some
}

// Most returns the largest result of a function for the elements of a list, 0 if the list is empty.
func Most[T any](list []T, of func(T) int) (largest int) {
	for _, v := range list {
		largest = max(largest, of(v))
	}
	return largest
}

// Groups returns a list by key, in the order of the first appearance of each.
func Groups[T any](list []T, key func(T) string) (groups [][]T) {
	at := map[string]int{}
	for _, v := range list {
		i, known := at[key(v)]
		if !known {
			i = len(groups)
			at[key(v)], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], v)
	}
	return groups
}
