// Package check makes errors of values that are not as they should be.
package check

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Named reports whether a name has letters, and none of those in not nor a space.
func Named(name, not string) bool {
	return name != "" && !strings.ContainsAny(name, not) && !strings.ContainsFunc(name, unicode.IsSpace)
}

// That returns an error if something does not hold.
func That(holds bool, format string, args ...any) error {
	if holds {
		return nil
	}
	return fmt.Errorf(format, args...)
}

// Within returns an error, of a format that takes three, that names those of some values
// that are not from low to high.
func Within[T cmp.Ordered](format string, low, high T, values ...T) (err error) {
	for _, v := range values {
		err = errors.Join(err, That(low <= v && v <= high, format, v, low, high))
	}
	return err
}

// Known returns an error that names those of some names that are not among those there
// are.
func Known(what string, names, all []string) (err error) {
	for _, name := range names {
		err = errors.Join(err, That(slices.Contains(all, name), "unknown %s %q, want some of %s", what, name, strings.Join(all, ", ")))
	}
	return err
}

// Repeated returns an error that names the values that are in list more than once.
func Repeated[T comparable](what string, list []T) (err error) {
	for i, v := range list {
		err = errors.Join(err, That(!slices.Contains(list[:i], v), "%s %v is given twice, want each once", what, v))
	}
	return err
}
