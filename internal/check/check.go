// Package check makes the errors of bad input.
package check

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Named reports whether a name is not empty, and has no space and no letter of not.
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

// Within returns an error that names the values below low or above high. The format takes a value, low and high.
func Within[T cmp.Ordered](format string, low, high T, values ...T) (err error) {
	for _, v := range values {
		err = errors.Join(err, That(low <= v && v <= high, format, v, low, high))
	}
	return err
}

// Known returns an error with each of the names that is not among all.
func Known(what string, names, all []string) (err error) {
	for _, name := range names {
		if !slices.Contains(all, name) {
			err = errors.Join(err, Unknown(what, name, all))
		}
	}
	return err
}

// Unknown returns the error of a name. It suggests names that begin with it or differ by at most two letters; without any
// it lists all.
func Unknown(what, name string, all []string) error {
	begins := func(a string) bool { return name != "" && strings.HasPrefix(a, name) }
	near := slices.DeleteFunc(slices.Clone(all), func(a string) bool { return !begins(a) && distance(name, a) > 2 })
	if len(near) > 0 {
		return fmt.Errorf("unknown %s %q, did you mean %s?", what, name, strings.Join(near, " or "))
	}
	return fmt.Errorf("unknown %s %q, want one of %s", what, name, strings.Join(all, ", "))
}

// distance is Levenshtein's, in bytes; capitals count as small letters. O(length of a × length of b).
func distance(a, b string) int {
	a, b = strings.ToLower(a), strings.ToLower(b)
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}

// Field is what is wrong with a field of a struct.
type Field struct {
	Name string
	Err  error
}

func (f *Field) Error() string { return f.Name + ": " + f.Err.Error() }

// Unwrap returns what is wrong.
func (f *Field) Unwrap() error { return f.Err }

// In returns the errors of a field as one that names it, or nil if there are none.
func In(field string, errs ...error) error {
	if err := errors.Join(errs...); err != nil {
		return &Field{field, err}
	}
	return nil
}

// Repeated returns an error that names the values that are in list more than once.
func Repeated[T comparable](what string, list []T) (err error) {
	for i, v := range list {
		err = errors.Join(err, That(!slices.Contains(list[:i], v), "%s %v is given twice, want each once", what, v))
	}
	return err
}
